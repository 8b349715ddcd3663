/**
 * Events as callers send them: routes, events and tools send `{ type, … }`, hooks the fields alone
 * or just a text. Names are taken in camelCase and snake_case and by a few obvious others; anything else
 * is a finding. Who the caller is, is never read from input.
 */
import { z } from 'zod';
import { TASK_TYPES } from '../memory/index.js';
import { type Finding, InvalidInputError, wrongField } from '../shared/errors.js';
import { judge } from '../shared/findings.js';
import { isUuid, type Uuid } from '../shared/ids.js';
import { normalizePath } from '../shared/paths.js';
import { isVisible } from '../shared/safe-text.js';
import { redactSecrets } from '../shared/secrets.js';
import type { EventInput, ProactiveEvent, ProactiveEventType } from './types.js';

export const INPUT_LIMITS = {
  textBytes: 8_192,
  idChars: 200,
  files: 50,
  tags: 50,
  tagChars: 100,
  folderChars: 4_096,
  repoChars: 2_048,
  branchChars: 1_024,
  reasonChars: 500,
} as const;

const OPERATIONS = ['read', 'open', 'edit', 'create', 'delete'] as const;

const required = (kind: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : `must be ${kind}`,
});

/** Without NULs and half characters (the database refuses both), and without secrets. */
function cleaned(text: string): string {
  const whole = /[\ud800-\udfff]/.test(text) ? Buffer.from(text, 'utf8').toString('utf8') : text;
  return redactSecrets(whole.replaceAll('\u0000', '')).text.trim();
}

const text = z
  .string(required('text'))
  .refine(isVisible, { error: 'must not be empty', abort: true })
  .refine((value) => Buffer.byteLength(value) <= INPUT_LIMITS.textBytes, {
    error: `must be at most ${INPUT_LIMITS.textBytes} bytes`,
    abort: true,
  })
  .transform(cleaned);
const path = z.string(required('a path')).transform((value, context) => {
  const normal = normalizePath(value);
  if ('path' in normal) return normal.path;
  context.addIssue({ code: 'custom', message: normal.finding, input: value });
  return z.NEVER;
});
const paths = z
  .array(path, required('a list of paths'))
  .max(INPUT_LIMITS.files, `must have at most ${INPUT_LIMITS.files} items`)
  .transform((each) => [...new Set(each)]);
const id = z
  .string(required('text'))
  .trim()
  .min(1, 'must not be empty')
  .max(INPUT_LIMITS.idChars, `must have at most ${INPUT_LIMITS.idChars} characters`)
  .refine((value) => !value.includes('\u0000'), 'must not contain NUL characters');
const tags = z
  .array(
    z
      .string(required('text'))
      .trim()
      .min(1, 'must not be empty')
      .max(INPUT_LIMITS.tagChars, `must have at most ${INPUT_LIMITS.tagChars} characters`),
    required('a list of tags'),
  )
  .max(INPUT_LIMITS.tags, `must have at most ${INPUT_LIMITS.tags} items`);
const oneOf = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });

/** Of a place, as it is: hints compare it. */
const fact = (kind: string, most: number) =>
  z
    .string(required(kind))
    .min(1, 'must not be empty')
    .max(most, `must have at most ${most} characters`)
    .refine((value) => !value.includes('\u0000'), 'must not contain NUL characters')
    .optional();

const eventContext = {
  agentId: id.optional(),
  projectId: id.optional(),
  sessionId: id.optional(),
  cwd: fact('a path', INPUT_LIMITS.folderChars),
  repo: fact('an address', INPUT_LIMITS.repoChars),
  branch: fact('a name', INPUT_LIMITS.branchChars),
  roomId: z
    .custom<Uuid>(isUuid, 'must be a UUID')
    .transform((value) => value.toLowerCase() as Uuid)
    .optional(),
};

interface Form<Fields> {
  schema: z.ZodType<Fields>;
  /** The field for which a bare text stands. */
  main?: string;
  /** Other names of fields, in camelCase. */
  aliases: Readonly<Record<string, string>>;
}

const ACTION_ALIASES = { command: 'action', text: 'action', file: 'filePath', path: 'filePath' };
const FORMS = {
  file_touch: {
    schema: z.strictObject({
      ...eventContext,
      filePath: path,
      operation: oneOf(OPERATIONS).optional(),
    }),
    main: 'filePath',
    aliases: { file: 'filePath', path: 'filePath' },
  },
  intent_stated: {
    schema: z.strictObject({ ...eventContext, intent: text, files: paths.optional() }),
    main: 'intent',
    aliases: { goal: 'intent', text: 'intent' },
  },
  task_start: {
    schema: z.strictObject({
      ...eventContext,
      task: text,
      taskType: oneOf(TASK_TYPES).optional(),
      files: paths.optional(),
      tags: tags.optional(),
    }),
    main: 'task',
    aliases: { description: 'task', taskDescription: 'task', text: 'task' },
  },
  action_planned: {
    schema: z.strictObject({ ...eventContext, action: text, filePath: path.optional() }),
    main: 'action',
    aliases: { ...ACTION_ALIASES, plan: 'action' },
  },
  action_completed: {
    schema: z.strictObject({
      ...eventContext,
      action: text,
      success: z.boolean(required('true or false')),
      error: text.optional(),
      filePath: path.optional(),
    }),
    aliases: ACTION_ALIASES,
  },
  session_start: { schema: z.strictObject(eventContext), main: 'sessionId', aliases: {} },
} satisfies {
  [Type in ProactiveEventType]: Form<EventInput<Type>>;
};

/** `FILE_TOUCH`, `fileTouch`, `CUE_FILE_TOUCH` and `onFileTouch` are read as `filetouch`. */
const TYPES: ReadonlyMap<string, ProactiveEventType> = new Map<string, ProactiveEventType>([
  ['filetouch', 'file_touch'],
  ['filetouched', 'file_touch'],
  ['intentstated', 'intent_stated'],
  ['intent', 'intent_stated'],
  ['taskstart', 'task_start'],
  ['taskstarted', 'task_start'],
  ['actionplanned', 'action_planned'],
  ['actioncompleted', 'action_completed'],
  ['actiondone', 'action_completed'],
  ['sessionstart', 'session_start'],
  ['sessionstarted', 'session_start'],
]);
const TYPE_NAMES = [...new Set(TYPES.values())].join(', ');

/** Of each hook, in camelCase: what surfaces make their own descriptions of input from. */
export const EVENT_SHAPES = {
  file_touch: FORMS.file_touch.schema.shape,
  intent_stated: FORMS.intent_stated.schema.shape,
  task_start: FORMS.task_start.schema.shape,
  action_planned: FORMS.action_planned.schema.shape,
  action_completed: FORMS.action_completed.schema.shape,
  session_start: FORMS.session_start.schema.shape,
} as const;

/** What a client says of an offer, and what it asks for of those that wait. */
export interface OfferAnswer {
  offerId: string;
  reason?: string | undefined;
}
export const ANSWER_SHAPE = {
  offerId: id,
  reason: text
    .refine((value) => value.length <= INPUT_LIMITS.reasonChars, {
      error: `must have at most ${INPUT_LIMITS.reasonChars} characters`,
    })
    .optional(),
};
export const WAITING_SHAPE = { limit: z.int().min(1).max(50).optional() };
const ANSWER: Form<OfferAnswer> = {
  schema: z.strictObject(ANSWER_SHAPE),
  aliases: { id: 'offerId' },
};
const WAITING: Form<{ limit?: number | undefined }> = {
  schema: z.strictObject(WAITING_SHAPE),
  aliases: {},
};

/** @throws InvalidInputError */
export const readAnswer = (input: unknown): OfferAnswer => read(ANSWER, fieldsOf(input));
/** @throws InvalidInputError */
export const readWaiting = (input: unknown): { limit?: number | undefined } =>
  read(WAITING, fieldsOf(input));

/**
 * An event as data.
 * @throws InvalidInputError with a finding for each field that is wrong, missing or unknown
 */
export function readEvent(input: unknown): ProactiveEvent {
  const { type: given, ...fields } = fieldsOf(input);
  const type = typeof given === 'string' ? eventTypeOf(given) : null;
  if (type !== null) return readAs(type, fields);
  throw wrongField('type', given === undefined ? 'is required' : `must be one of ${TYPE_NAMES}`);
}

/**
 * The same for the hooks, which code calls with an object or with the main field alone
 * (`onFileTouch("src/auth.ts")`). Who calls is left out: whoever trusts it hands it on.
 * @throws InvalidInputError
 */
export function readHook(type: ProactiveEventType, input: unknown): ProactiveEvent {
  const { main }: Form<object> = FORMS[type];
  if (typeof input === 'string' && main !== undefined) return readAs(type, { [main]: input });
  const { caller: _, speakerId: __, type: ___, ...fields } = fieldsOf(input);
  return readAs(type, fields);
}

function readAs(type: ProactiveEventType, fields: Record<string, unknown>): ProactiveEvent {
  const form: Form<object> = FORMS[type];
  // The form of a type reads the fields of that type.
  return { type, ...read(form, fields) } as ProactiveEvent;
}

/** The type that a name of it means; `null` for no name of any. */
export function eventTypeOf(name: string): ProactiveEventType | null {
  const plain = name
    .trim()
    .slice(0, 40)
    .toLowerCase()
    .replace(/[_\s-]/g, '');
  return TYPES.get(plain) ?? TYPES.get(plain.replace(/^(?:cue)?(?:on)?/, '')) ?? null;
}

function read<Fields>(form: Form<Fields>, input: Record<string, unknown>): Fields {
  const fields: Record<string, unknown> = {};
  const findings: Finding[] = [];
  /** Under which name a field came. */
  const names = new Map<string, string>();
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const field = Object.hasOwn(form.aliases, camel) ? (form.aliases[camel] ?? camel) : camel;
    const other = names.get(field);
    if (other !== undefined) findings.push({ field: key, message: `is the same as ${other}` });
    else names.set(field, key);
    fields[field] = value;
  }
  const judged = judge(form.schema, fields);
  if (judged.findings === null && findings.length === 0) return judged.data;
  findings.push(...(judged.findings ?? []).map(named));
  throw new InvalidInputError(findings);

  function named({ field, message }: Finding): Finding {
    const [first = '', ...rest] = field.split('.');
    return { field: [names.get(first) ?? first, ...rest].join('.'), message };
  }
}

function fieldsOf(input: unknown): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return { ...input };
  throw wrongField('(body)', 'must be an object');
}
