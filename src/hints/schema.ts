/**
 * The wire format of hints (seed `nudge.md` §3, §5; DESIGN §10): snake_case as in the seed; unknown fields
 * are refused. A *hint* is one variant of a key, identified by component, key and normalized scope.
 */
import { z } from 'zod';
import type { Scope } from '../records/index.js';
import { type Finding, InvalidInputError, wrongField } from '../shared/errors.js';
import { parsed } from '../shared/findings.js';
import type { Uuid } from '../shared/ids.js';
import { isDeeper } from '../shared/json.js';
import { hidesCharacters } from '../shared/safe-text.js';

export const SCHEMA_VERSION = '1.0';

export const OS_NAMES = ['linux', 'darwin', 'windows'] as const;
const os = z.enum(OS_NAMES);

/** Characters of a component's name and of a key. */
export const MAX_NAME = 200;
/** Bytes of a value: of a text as it is, of others as JSON. */
export const MAX_VALUE_BYTES = 16_384;
/** Of one list in `meta`, and of one word in it. */
const MAX_LISTED = 50;
const MAX_WORD = 500;

/** Forms of one character, and of the space between words, are one name. */
export function sameName(name: string): string {
  return name.normalize('NFKC').replace(/\p{Zs}+/gu, ' ');
}

/** Letters of both are in no word that somebody means; the same letters are drawn in both. */
const TWO_SCRIPTS =
  /\p{Script=Latin}\p{M}*\p{Script=Cyrillic}|\p{Script=Cyrillic}\p{M}*\p{Script=Latin}/u;

/**
 * Of a component or key: names that look alike are one name, or one of them is refused. Case counts, as in the
 * names of files. `__proto__` and its kind are refused by the store, not only by shape.
 */
export const nameSchema = z
  .string()
  .overwrite(sameName)
  .trim()
  .min(1, 'must not be empty')
  .max(MAX_NAME)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, {
    error: 'must not contain control characters',
    abort: true,
  })
  .refine((name) => !hidesCharacters(name), 'must not contain invisible characters')
  .refine((name) => !TWO_SCRIPTS.test(name), 'must not mix Latin and Cyrillic letters in a word');
const word = z.string().trim().min(1).max(MAX_WORD);
const words = z.array(word).max(MAX_LISTED);

export const hintValueSchema = z.union([
  z.string().min(1),
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('command'),
      shell: z.enum(['bash', 'sh', 'powershell', 'cmd']).optional(),
      cmd: z.string().min(1),
    }),
    z.strictObject({
      type: z.literal('path'),
      os: z.array(os).max(OS_NAMES.length).optional(),
      abs: z.string().min(1),
    }),
    z.strictObject({
      type: z.literal('template'),
      format: z.enum(['mustache', 'handlebars', 'jinja', 'interpolate']),
      body: z.string().min(1),
      defaults: z.record(z.string(), z.string()).optional(),
    }),
    z.strictObject({ type: z.literal('json'), data: z.json() }),
  ]),
]);
export type HintValue = z.output<typeof hintValueSchema>;

/** Under which circumstances a hint counts; every field that is given must match. */
export const hintScopeSchema = z.strictObject({
  /** Any one of these matches the context's `cwd` (picomatch, dotfiles included). */
  cwd_glob: words.optional(),
  repo: z.union([word, words]).optional(),
  /** Names or globs: `hotfix/*`. */
  branch: words.optional(),
  os: z.array(os).max(OS_NAMES.length).optional(),
  /** Names that must be set. */
  env_required: words.optional(),
  /** Exact values. */
  env_match: z.record(word, z.union([z.string(), z.array(z.string()).max(MAX_LISTED)])).optional(),
});
export type HintScope = z.output<typeof hintScopeSchema>;

export const hintMetaSchema = z.strictObject({
  reason: z.string().max(2_000).optional(),
  tags: words.optional(),
  /** 1 to 10; 5 when absent. */
  priority: z.number().min(1).max(10).optional(),
  /** 0 to 1; 0.5 when absent. */
  confidence: z.number().min(0).max(1).optional(),
  /** `session` (life of the serving process) or an ISO-8601 duration. */
  ttl: z.string().trim().min(1).max(100).optional(),
  sensitivity: z.enum(['secret', 'normal']).optional(),
  scope: hintScopeSchema.optional(),
  source: z.enum(['user', 'agent', 'tool-output', 'file-import']).optional(),
  added_by: z.string().max(200).optional(),
});
export type HintMeta = z.output<typeof hintMetaSchema>;

/** A hint as it is stored and shown. Times are ISO 8601 in UTC. */
export const hintSchema = z.strictObject({
  value: hintValueSchema,
  meta: hintMetaSchema,
  /** Counts changes of value and meta, from 1. */
  version: z.int().min(1),
  created_at: z.iso.datetime({ offset: true }),
  updated_at: z.iso.datetime({ offset: true }),
  last_used_at: z.iso.datetime({ offset: true }).optional(),
  use_count: z.int().min(0).optional(),
});
export type Hint = z.output<typeof hintSchema>;

/** One variant of a key, in a list of them. */
export interface ListedHint {
  component: string;
  key: string;
  hint: Hint;
  /** `null`: it ends with a session, or never; `meta.ttl` says which. */
  expires_at: string | null;
}

/** Where the caller works. A field that is absent matches no scope that needs it. */
export const contextSchema = z.strictObject({
  cwd: z.string().max(4_096).optional(),
  repo: z.string().max(2_048).optional(),
  branch: z.string().max(1_024).optional(),
  os: os.optional(),
  env: z.record(z.string(), z.string().optional()).optional(),
  files_open: z.array(z.string().max(4_096)).max(200).optional(),
});
export type NudgeContext = z.output<typeof contextSchema>;

const context = contextSchema.optional();
/** `all`: also why the others were not eligible. */
const explain = z.enum(['matched', 'all']).optional();

export const setHintParams = z.strictObject({
  component: nameSchema,
  key: nameSchema,
  value: hintValueSchema,
  meta: hintMetaSchema.optional(),
  /** 0: must not exist. */
  if_match_version: z.int().min(0).optional(),
  /** `--allow-secret`: stores what looks like a secret, marked as one. */
  allow_secret: z.boolean().optional(),
});
export const getHintParams = z.strictObject({
  component: nameSchema,
  key: nameSchema,
  context,
  limit: z.int().min(1).max(100).optional(),
  explain,
});
export const queryParams = z.strictObject({
  component: nameSchema.optional(),
  keys: z.array(nameSchema).max(100).optional(),
  /** All of them. */
  tags: words.optional(),
  /** On key, value and tags; refused when it could take long. */
  regex: z.string().max(500).optional(),
  context,
  limit: z.int().min(1).max(1_000).optional(),
  explain,
});
export const deleteHintParams = z.strictObject({
  component: nameSchema,
  key: nameSchema,
  /** Only the variant of this scope. */
  scope: hintScopeSchema.optional(),
  /** Only variants that are eligible here. */
  context,
});
export const listComponentsParams = z.strictObject({});
export const bumpParams = z.strictObject({
  component: nameSchema,
  key: nameSchema,
  delta: z.int().min(1).max(1_000).optional(),
  scope: hintScopeSchema.optional(),
  context,
});
export const listHintsParams = z.strictObject({ component: nameSchema.optional() });
export const exportParams = z.strictObject({
  format: z.literal('json').optional(),
  component: nameSchema.optional(),
});

/**
 * Zod drops an entry named `__proto__` and says nothing, so that `replace` would put nothing in the place
 * of everything. Here it keeps it, with a space behind its name: that is no name, and is skipped as such.
 */
function recordOf<Value extends z.ZodType>(value: Value) {
  const record = z.record(z.string(), value);
  return z.preprocess((sent: z.input<typeof record>) => {
    if (typeof sent !== 'object' || sent === null || !Object.hasOwn(sent, '__proto__')) return sent;
    const entries = Object.entries(sent);
    return Object.fromEntries(
      entries.map(([name, held]) => [name === '__proto__' ? `${name} ` : name, held]),
    );
  }, record);
}

const componentSchema = z.looseObject({
  hints: recordOf(z.unknown()),
  /** Every variant of a key that has several; the best one stands in `hints`, too. */
  variants: recordOf(z.array(z.unknown())).optional(),
});
/** Read leniently, hint by hint: one that is damaged is skipped with its reason, the others come in. */
export const storePayloadSchema = z.looseObject({
  schema_version: z.string(),
  created_at: z.string().optional(),
  session_id: z.string().optional(),
  components: recordOf(componentSchema),
});
export const importParams = z.strictObject({
  payload: storePayloadSchema,
  /** `merge` (default): what exists is kept unless the imported one is newer. `replace`: it goes first. */
  mode: z.enum(['merge', 'replace']).optional(),
  allow_secret: z.boolean().optional(),
});

export type SetHintParams = z.input<typeof setHintParams>;
export type GetHintParams = z.input<typeof getHintParams>;
export type QueryParams = z.input<typeof queryParams>;
export type DeleteHintParams = z.input<typeof deleteHintParams>;
export type BumpParams = z.input<typeof bumpParams>;
export type ListHintsParams = z.input<typeof listHintsParams>;
export type ExportParams = z.input<typeof exportParams>;
export type ImportParams = z.input<typeof importParams>;

/** Deeper than any value may be; parsing deeper ones would exhaust the stack. */
export const MAX_DEPTH = 100;

/**
 * @param lenient field that is read piece by piece elsewhere, where a piece that is wrong is left out
 * @throws InvalidInputError naming each field
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  params: unknown,
  lenient?: string,
): z.output<Schema> {
  if (isDeeper(params, MAX_DEPTH)) {
    throw wrongField('(body)', `is nested over ${MAX_DEPTH} deep`);
  }
  const lost = lostFields(params, lenient);
  if (lost.length > 0) throw new InvalidInputError(lost);
  return parsed(schema, params ?? {});
}

/**
 * Fields called `__proto__`, which Zod silently drops from records: a scope that loses a condition would
 * match more than it should. The value must not be too deep.
 * @param except field of the outermost level that is not looked at
 */
export function lostFields(value: unknown, except?: string, path = ''): Finding[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = `${path}${name}`;
    if (name === '__proto__') return [{ field, message: 'must not be "__proto__"' }];
    return name === except ? [] : lostFields(inner, undefined, `${field}.`);
  });
}

/** Why a hint was found, or was not eligible: "cwd matched **\/http-proxy*", "branch=main not in dev". */
export interface MatchExplain {
  matched: boolean;
  /** 0 to 1; absent when it did not match. */
  score?: number;
  reasons: string[];
}

/** A hint in a list, with its component and key. */
export interface OtherHint {
  component: string;
  key: string;
  hint: Hint;
  match_explain: MatchExplain;
}

export interface ScoredHint extends OtherHint {
  score: number;
}

export interface GetResult {
  /** The best; `null`: the key is known, but no variant is eligible here. */
  hint: Hint | null;
  match_explain: MatchExplain;
  /** Best first, when more than one was asked for (`limit`). */
  hints?: ScoredHint[];
  /** With `explain: "all"`: those that are not eligible. */
  others?: OtherHint[];
}

export interface SetResult {
  hint: Hint;
  /** Warns that the hint ends with the serving process although no TTL was given. */
  notice?: string;
}

export interface QueryResult {
  hints: ScoredHint[];
  others?: OtherHint[];
}

export interface DeleteResult {
  deleted: true;
  /** The best of the deleted variants. */
  previous: Hint;
  previous_all: Hint[];
}

export interface ComponentCount {
  name: string;
  hint_count: number;
}

export interface ImportOutcome {
  imported: number;
  skipped: number;
  /** Of the skipped ones, at most 100: `component/key: reason`. */
  reasons: string[];
}

/** The seed's `NudgeStore`, and the variants of keys that have several; fit for `import` as it is. */
export type StorePayload = {
  schema_version: string;
  created_at: string;
  session_id: string;
  components: Record<string, { hints: Record<string, Hint>; variants?: Record<string, Hint[]> }>;
};

export interface HintCounts {
  components: number;
  hints: number;
  durable: number;
  session: number;
  secret: number;
  top_tags: { tag: string; count: number }[];
}

/** One variant as the store holds it. */
export interface StoredHint {
  /** Derived from component, key, normalized scope and, for a private one, its owner. */
  id: Uuid;
  component: string;
  key: string;
  hint: Hint;
  /** Who may read it (DESIGN §3); not to be confused with `hint.meta.scope`. */
  audience: Scope;
  /** Epoch ms; `null`: ends with a session. `Infinity` never occurs. */
  expiresAtMs: number | null;
  /** The client's session that it ends with; `null`: a duration, or the life of the serving process. */
  session: string | null;
}
