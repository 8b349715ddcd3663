/**
 * Every setting, parsed once (DESIGN §11a). A wrong value stops the start with a message naming
 * it. `getSetting` turns 'true' into booleans, leaves numbers as text and loses falsy values, so
 * each is read from text.
 */
import { z } from 'zod';
import { fieldOf } from './shared/json.js';
import { toldSettings } from './shared/package-version.js';
import { isTimeZone } from './shared/zones.js';

const flag = (fallback: boolean) =>
  z
    .union([z.boolean(), z.string()])
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === '') return fallback;
      if (typeof value === 'boolean') return value;
      const word = value.trim().toLowerCase();
      if (['true', '1', 'yes', 'on'].includes(word)) return true;
      if (['false', '0', 'no', 'off'].includes(word)) return false;
      context.addIssue({ code: 'custom', message: `must be true or false, not "${value}"` });
      return z.NEVER;
    });

const whole = (fallback: number, min: number, max: number) =>
  z
    .union([z.number(), z.string()])
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === '') return fallback;
      const number = typeof value === 'number' ? value : Number(value.trim());
      if (Number.isInteger(number) && number >= min && number <= max) return number;
      context.addIssue({
        code: 'custom',
        message: `must be a whole number from ${min} to ${max}, not "${value}"`,
      });
      return z.NEVER;
    });

const oneOf = <const Words extends readonly [string, ...string[]]>(
  words: Words,
  fallback: Words[number],
) =>
  z
    .string()
    .optional()
    .transform((value, context): Words[number] => {
      if (value === undefined || value.trim() === '') return fallback;
      const word = value.trim().toLowerCase();
      const known = words.find((one) => one === word);
      if (known !== undefined) return known;
      context.addIssue({
        code: 'custom',
        message: `must be one of ${words.join(', ')}, not "${value}"`,
      });
      return z.NEVER;
    });

const zone = z
  .string()
  .optional()
  .transform((value, context) => {
    if (value === undefined || value === '') return undefined;
    if (isTimeZone(value)) return value;
    context.addIssue({ code: 'custom', message: `is not an IANA time zone: "${value}"` });
    return z.NEVER;
  });

/** Comma-separated; absent and empty: `undefined`. */
const list = z
  .string()
  .optional()
  .transform((value) => {
    const words = (value ?? '').split(',').map((word) => word.trim());
    const given = words.filter((word) => word !== '');
    return given.length === 0 ? undefined : given;
  });

/** The settings this version reads; the others of DESIGN §11a arrive with their rooms. */
const settingsSchema = z.object({
  CUE_PROJECT: z.string().optional(),
  CUE_DATA_DIR: z.string().optional(),
  CUE_TIMEZONE: zone,
  CUE_TRIGGERS_ENABLED: flag(true),
  CUE_TRIGGERS_PAUSED: flag(false),
  CUE_TRIGGER_MIN_INTERVAL_MS: whole(60_000, 1_000, 86_400_000),
  CUE_TRIGGER_MAX_PER_CREATOR: whole(50, 1, 1_000_000),
  CUE_TRIGGER_MAX_PER_AGENT: whole(10_000, 1, 1_000_000),
  CUE_TRIGGER_RUNS_PER_HOUR: whole(600, 1, 1_000_000),
  CUE_TRIGGER_RUNS_PER_DAY: whole(5_000, 1, 10_000_000),
  CUE_HOT_WINDOW_MS: whole(120_000, 10_000, 86_400_000),
  CUE_CRON_SECONDS: flag(false),
  CUE_AUTONOMY: flag(true),
  CUE_AUTONOMY_LOOP: flag(false),
  CUE_AUTONOMY_INTERVAL_MS: whole(300_000, 5_000, 86_400_000),
  CUE_DELIVERY_RESEND: flag(false),
  CUE_EMBEDDINGS: oneOf(['auto', 'local', 'lexical', 'runtime'], 'auto'),
  CUE_EMBEDDINGS_MODEL_DIR: z.string().optional(),
  CUE_EMBEDDINGS_DOWNLOAD: flag(false),
  CUE_SUMMARIES: oneOf(['extractive', 'model'], 'extractive'),
  CUE_STORE_DIFFS: flag(false),
  CUE_CAPTURE: flag(true),
  CUE_OFFERS_ENABLED: flag(true),
  CUE_OFFERS_PREFIX: z.string().optional(),
  CUE_DETECTORS: z.string().optional(),
  /** On a database server; an embedded database has nothing that finds the others. */
  CUE_CATALOG_MAX: whole(200_000, 1_000, 10_000_000),
  CUE_WHEN_INDEX: z.string().optional(),
  CUE_WHEN_DECISIONS: z.string().optional(),
  CUE_FILE_ROOTS: list,
  CUE_MCP_TOOLS: list,
  NUDGE_MAX_HINTS: whole(5_000, 1, 100_000),
  NUDGE_SECRET_GUARD: flag(true),
  /** Whether it is a duration says who provides the hints. */
  NUDGE_DEFAULT_TTL: z
    .string()
    .optional()
    .transform((value) => value?.trim() || 'session'),
  NUDGE_LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error'], 'info'),
});

export type Settings = z.output<typeof settingsSchema>;

/** As the host stores a setting; what it has not decrypted it hands out like this. */
const ENCRYPTED = /^[\da-f]{32}:(?:[\da-f]{32})+$/i;

/** Whether it is no value of a setting, but what the host has encrypted one to. */
export function isEncrypted(value: unknown): boolean {
  return typeof value === 'string' && ENCRYPTED.test(value);
}

export const SETTING_KEYS: readonly string[] = Object.keys(settingsSchema.shape);

/**
 * @param read the host's `getSetting`
 * @throws Error naming every setting with a wrong value
 */
export function parseSettings(read: (key: string) => unknown): Settings {
  const raw: Record<string, unknown> = {};
  for (const key of SETTING_KEYS) {
    const value = read(key);
    if (value !== null && value !== undefined) raw[key] = value;
  }
  const sealed = Object.keys(raw).filter((key) => isEncrypted(raw[key]));
  if (sealed.length > 0) {
    throw new Error(
      `cue: wrong setting: ${sealed.join(', ')} cannot be decrypted: the database has what another ` +
        'SECRET_SALT encrypted; start with that one, or give these settings anew',
    );
  }
  const parsed = settingsSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new Error(`cue: wrong setting: ${wrong.join('; ')}`);
}

/** The part of a host that settings are read from. */
interface SettingsHost {
  getSetting(key: string): unknown;
  character: { settings?: unknown; secrets?: unknown };
}

/**
 * The host's `getSetting`, which loses `false` and 0 of a character's file (ELIZA_GUIDE §10): what
 * somebody has switched off there must not be on.
 */
export function settingReader(host: SettingsHost): (key: string) => unknown {
  return (key) => {
    const { secrets, settings } = host.character;
    const own = [secrets, settings]
      .map((values) => fieldOf(values, key))
      .find((value) => value !== undefined && value !== null);
    return own === false || own === 0 ? own : host.getSetting(key);
  };
}

/** Whether a setting of another plugin has a value: model plugins read the environment, too. */
export function isConfigured(host: SettingsHost, name: string): boolean {
  return Boolean(host.getSetting(name)) || Boolean(process.env[name]);
}

/** A setting as the operator reads it. */
export interface ShownSetting {
  name: string;
  /** `null`: it is not set and has no default; "(hidden)" of what is secret. */
  value: unknown;
  description: string;
  /** Also where somebody has set what holds anyway. */
  isDefault: boolean;
}

/** Every setting as it holds now. @param read the host's `getSetting` */
export function shownSettings(read: (key: string) => unknown): ShownSetting[] {
  const told = toldSettings();
  return Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const given = read(name) ?? undefined;
    const { description, isSensitive } = told(name);
    const parsed = schema.safeParse(given);
    const value = isSensitive || isEncrypted(given) ? '(hidden)' : parsed.data;
    const usual = schema.safeParse(undefined).data;
    const isDefault = given === undefined || given === '' || parsed.data === usual;
    return { name, value: value ?? null, description, isDefault };
  });
}

/** The kill switch is read anew each time, so that it works without a restart. */
export function pausedNow(read: (key: string) => unknown, settings: Settings): boolean {
  const value = read('CUE_TRIGGERS_PAUSED');
  const parsed = settingsSchema.shape.CUE_TRIGGERS_PAUSED.safeParse(value ?? undefined);
  return parsed.success ? parsed.data : settings.CUE_TRIGGERS_PAUSED;
}

/** The same for offers: `CUE_OFFERS_ENABLED`. */
export function offersEnabledNow(read: (key: string) => unknown, settings: Settings): boolean {
  const value = read('CUE_OFFERS_ENABLED');
  const parsed = settingsSchema.shape.CUE_OFFERS_ENABLED.safeParse(value ?? undefined);
  return parsed.success ? parsed.data : settings.CUE_OFFERS_ENABLED;
}

/** Where the Eliza server listens and what opens it, as the host itself reads them. */
export interface ServerEnvironment {
  /** Base of the message server's routes. */
  baseUrl: string;
  /** Undefined: the server asks for no key. */
  apiKey: string | undefined;
  port: number | null;
  pgliteDir: string | undefined;
  postgresUrl: string | undefined;
}

/**
 * Read from the environment at each call, not through `getSetting`: the host's command line
 * filters settings, and a filtered token must not open our routes (DESIGN §11a).
 */
export function serverEnvironment(): ServerEnvironment {
  const number = Number(process.env.SERVER_PORT);
  const port = Number.isInteger(number) && number > 0 && number <= 65_535 ? number : null;
  return {
    baseUrl: process.env.CENTRAL_MESSAGE_SERVER_URL || `http://127.0.0.1:${port ?? 3000}`,
    apiKey: process.env.ELIZA_SERVER_AUTH_TOKEN || undefined,
    port,
    pgliteDir: process.env.PGLITE_DATA_DIR || undefined,
    postgresUrl: process.env.POSTGRES_URL || undefined,
  };
}

/**
 * How much the host logs: it reads this while it is being imported, and never again. For a process of
 * our own, before it imports the host. What the host uses to read `.env` files says so with an
 * advertisement each time, unless it is told not to.
 */
export function setHostLogLevel(level: string): void {
  process.env.LOG_LEVEL = level;
  process.env.DOTENV_CONFIG_QUIET ??= 'true';
}

/**
 * Does what the host does, but for the `.env` files it reads on the way: a key in one of them would lock
 * out those who were told of none.
 */
export function withoutEnvFiles<T>(work: () => T): T {
  const before = new Set(Object.keys(process.env));
  try {
    return work();
  } finally {
    for (const name of Object.keys(process.env)) if (!before.has(name)) delete process.env[name];
  }
}

/** What says where the PID file lies, for whoever is not handed an environment. */
export function pidEnvironment(): Readonly<Record<string, string | undefined>> {
  const { NUDGE_PID_DIR, LOCALAPPDATA, USERPROFILE } = process.env;
  return { NUDGE_PID_DIR, LOCALAPPDATA, USERPROFILE };
}
