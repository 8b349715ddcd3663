/**
 * The shape of a scripted session (docs/proactive-eval.md): what the agent remembers, then what
 * happens and what must, may or must not be offered. Strict, so that a mistyped label is an error
 * and not a turn that nobody judges. Pure.
 */
import { z } from 'zod';
import { detectorConfigSchema } from '../../src/proactive/config.js';
import { DETECTOR_NAMES } from '../../src/proactive/types.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/shared/clock.js';

const UNITS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS } as const;

/** `90s`, `40m`, `2h`, `3d`, `2w`; read as milliseconds. */
const duration = z
  .string()
  .regex(/^\d+(\.\d+)?[smhdw]$/, 'must be a number and a unit: 30s, 40m, 2h, 3d, 2w')
  .transform((text) => {
    const unit = text.at(-1) as keyof typeof UNITS;
    return Math.round(Number.parseFloat(text) * UNITS[unit]);
  });

const name = z.string().trim().min(1).max(100);
const text = z.string().trim().min(1);

/** Beside these fields stands the memory itself, in RUM's long or short form; the store checks it. */
const memorySchema = z
  .looseObject({
    /** What the labels of this session call it. */
    id: name,
    /** Before the session starts. */
    age: duration,
    /** Another agent of the project that made it; absent: the agent itself. */
    by: name.optional(),
    /** The session it was made in. */
    session: name.optional(),
    /** Made in a private conversation with this person. */
    private_to: name.optional(),
  })
  .transform(({ id, age, by, session, private_to, ...draft }) => ({
    id,
    ageMs: age,
    by,
    session,
    privateTo: private_to,
    draft,
  }));
export type ScriptedMemory = z.output<typeof memorySchema>;

const operation = z.enum(['read', 'open', 'edit', 'create', 'delete']);
const files = z.array(text).optional();
const orText = <Field extends string>(field: Field) =>
  z.preprocess((value) => (typeof value === 'string' ? { [field]: value } : value), z.unknown());

/** What may happen in a turn: exactly one of these. */
const happenings = {
  /** What a person writes in the chat. */
  message: text.optional(),
  /** What the agent says in the conversation. */
  agent: text.optional(),
  file_touch: orText('filePath')
    .pipe(z.strictObject({ filePath: text, operation: operation.optional() }))
    .optional(),
  intent_stated: orText('intent')
    .pipe(z.strictObject({ intent: text, files }))
    .optional(),
  task_start: orText('task')
    .pipe(
      z.strictObject({
        task: text,
        taskType: text.optional(),
        files,
        tags: z.array(text).optional(),
      }),
    )
    .optional(),
  action_planned: orText('action')
    .pipe(z.strictObject({ action: text, filePath: text.optional() }))
    .optional(),
  session_start: z.strictObject({}).optional(),
};
export type HappeningKind = keyof typeof happenings;
export const HAPPENING_KINDS = Object.keys(happenings) as HappeningKind[];

/** Nearly as stored; in related words; in quite other words. */
export const LEVELS = ['verbatim', 'reworded', 'other'] as const;
export type Level = (typeof LEVELS)[number];

const labels = z.array(name).default([]);
const expectSchema = z
  .strictObject({
    /** Nothing may be offered. */
    nothing: z.literal(true).optional(),
    /** Has to be offered now, unless the agent was shown it within the cooldown. */
    must: labels,
    /** Of each group at least one has to be offered, as `must`: a pattern shows some of its cases. */
    any: z.array(z.array(name).min(2)).default([]),
    /** Fitting, but nothing is lost without it. */
    may: labels,
    /** Like what is not named at all; says what the turn is there for. */
    must_not: labels,
    /** The detector that has to offer it. */
    kinds: z.record(name, z.enum(DETECTOR_NAMES)).default({}),
    /** How far the words of the turn are from those of what it wants. */
    level: z.enum(LEVELS).optional(),
  })
  .prefault({ nothing: true });
export type Expectation = z.output<typeof expectSchema>;

const turnSchema = z
  .strictObject({
    /** Since the turn before. */
    after: duration.default(MINUTE_MS),
    ...happenings,
    /** Who writes, and where (with `message` and `agent`); each person has a private room. */
    person: name.optional(),
    /** A room with several people in it; absent: the private conversation with `person`. */
    room: name.optional(),
    /** Names or addresses of attached files. */
    attachments: z.array(text).optional(),
    expect: expectSchema,
    /** Feedback after the turn on the newest offer of this memory. */
    acknowledge: name.optional(),
    dismiss: name.optional(),
  })
  .transform((turn, context) => {
    const given = HAPPENING_KINDS.filter((kind) => turn[kind] !== undefined);
    const [kind] = given;
    if (kind === undefined || given.length > 1) {
      context.addIssue({
        code: 'custom',
        message: `a turn has exactly one of ${HAPPENING_KINDS.join(', ')}; this has ${given.join(', ') || 'none'}`,
      });
      return z.NEVER;
    }
    return { ...turn, kind };
  });
export type ScriptedTurn = z.output<typeof turnSchema>;

const sessionSchema = z.strictObject({
  id: name,
  about: text.optional(),
  /** `CUE_DETECTORS` of the agent, with the seed's names. */
  config: detectorConfigSchema.optional(),
  memories: z.array(memorySchema),
  turns: z.array(turnSchema).min(1),
});
export type ScriptedSession = z.output<typeof sessionSchema>;

/** What is wrong with the names in a session. */
function problemsOf({ memories, turns }: ScriptedSession): string[] {
  const ids = memories.map(({ id }) => id);
  const known = new Set(ids);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return [
    ...twice.map((id) => `two memories are "${id}"`),
    ...memories
      .flatMap(linksOf)
      .filter(({ target }) => !known.has(target))
      .map(({ source, target }) => `"${source}" links to "${target}", which is not there`),
    ...turns.flatMap((turn, index) =>
      labelProblems(turn, known).map((problem) => `turns.${index}.expect: ${problem}`),
    ),
  ];
}

function labelProblems(
  { expect, acknowledge, dismiss }: ScriptedTurn,
  known: ReadonlySet<string>,
): string[] {
  const wanted = [...expect.must, ...expect.any.flat(), ...expect.may];
  const named = [...wanted, ...expect.must_not, ...Object.keys(expect.kinds), acknowledge, dismiss];
  const both = wanted.filter((id) => expect.must_not.includes(id));
  return [
    ...named.flatMap((id) =>
      id === undefined || known.has(id) ? [] : [`there is no memory "${id}"`],
    ),
    ...(expect.nothing && wanted.length > 0 ? ['"nothing" beside must or may'] : []),
    ...(both.length > 0 ? [`wanted and not wanted: ${both.join(', ')}`] : []),
  ];
}

/** Memories beside the sessions stand in each of them; a project has more than one session. */
const fileSchema = z.strictObject({
  about: text.optional(),
  memories: z.array(z.unknown()).default([]),
  sessions: z.array(z.looseObject({ memories: z.array(z.unknown()).default([]) })).min(1),
});

/**
 * A file of sessions: `{ "sessions": [...] }`, a list, one session, or one session a line.
 * @throws Error naming the session and the field that is wrong
 */
export function readSessions(content: string, fileName: string): ScriptedSession[] {
  const sessions = sessionsIn(parsed(content, fileName), fileName).map((raw, index) => {
    const result = sessionSchema.safeParse(raw);
    const problems = result.success ? problemsOf(result.data) : [wrong(result.error)];
    if (result.success && problems.length === 0) return result.data;
    const id = idOf(raw) ?? `session ${index + 1}`;
    throw new Error(`${fileName}: ${id}: ${problems.slice(0, 5).join('; ')}`);
  });
  const ids = new Set<string>();
  for (const { id } of sessions) {
    if (ids.has(id)) throw new Error(`${fileName}: two sessions are "${id}"`);
    ids.add(id);
  }
  return sessions;
}

/** Links of a memory, between names of the session. */
export function linksOf({ id, draft }: ScriptedMemory): {
  source: string;
  target: string;
  type: string;
}[] {
  const { links } = draft;
  if (typeof links !== 'object' || links === null) return [];
  return Object.entries(links).flatMap(([type, named]: [string, unknown]) =>
    [named].flat().map((target) => ({ source: id, target: String(target), type })),
  );
}

function sessionsIn(value: unknown, fileName: string): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || !('sessions' in value)) return [value];
  const result = fileSchema.safeParse(value);
  if (!result.success) throw new Error(`${fileName}: ${wrong(result.error)}`);
  const { memories, sessions } = result.data;
  return sessions.map((session) => ({ ...session, memories: [...memories, ...session.memories] }));
}

function parsed(content: string, fileName: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    const lines = content.split('\n').filter((line) => line.trim() !== '');
    // A broken document is no list of lines: its first line is not a whole value.
    if (lines.length < 2 || !isJson(lines[0] ?? '')) {
      throw new Error(`${fileName} is not JSON: ${(cause as Error).message}`, { cause });
    }
    return lines.flatMap((line, index) => {
      if (isJson(line)) return sessionsIn(JSON.parse(line), fileName);
      throw new Error(`${fileName}: line ${index + 1} is not JSON`);
    });
  }
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function idOf(raw: unknown): string | undefined {
  if (typeof raw !== 'object' || raw === null || !('id' in raw)) return undefined;
  return typeof raw.id === 'string' ? raw.id : undefined;
}

function wrong(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');
}
