/**
 * Work memory as data (DESIGN §7): RUM's objects, snake_case on every surface. One description
 * serves twice: strict for what callers send (an unknown field is a finding) and loose for what is
 * stored (a field of a newer writer survives).
 */
import { z } from 'zod';
import type { Uuid } from '../shared/ids.js';
import { isUuid } from '../shared/ids.js';
import { isVisible } from '../shared/safe-text.js';

export const TASK_TYPES = [
  'bug_fix',
  'feature_add',
  'refactor',
  'investigation',
  'test_write',
  'documentation',
  'optimization',
  'security_fix',
  'dependency_update',
  'configuration',
  'other',
] as const;
export type TaskType = (typeof TASK_TYPES)[number];

export const FAILURE_CATEGORIES = [
  'incorrect_assumption',
  'unexpected_side_effect',
  'missing_dependency',
  'race_condition',
  'type_error',
  'test_failure',
  'build_failure',
  'runtime_error',
  'logic_error',
  'other',
] as const;

export const ACTION_TYPES = [
  'file_read',
  'file_edit',
  'file_create',
  'file_delete',
  'command_run',
  'search',
  'external_query',
] as const;

/** As callers name them; `led_to` is stored as `caused_by` read from the other end. */
export const LINK_TYPES = [
  'caused_by',
  'led_to',
  'related_to',
  'supersedes',
  'blocked_by',
] as const;
export type LinkType = (typeof LINK_TYPES)[number];

export const LIMITS = {
  goalChars: 8_000,
  textBytes: 8_192,
  /** A diff that is only hashed and summed up unless the operator keeps diffs. */
  diffBytes: 131_072,
  items: 100,
  tags: 50,
  tagChars: 100,
  draftBytes: 262_144,
  /** Memories named in one request. */
  refs: 1_000,
  pageSize: 100,
  phrases: 5,
  phraseChars: 200,
} as const;

/** Text of at least one visible character and at most 8 KB. */
function bounded(maxBytes: number) {
  return z
    .string({ error: said })
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `must be at most ${maxBytes} bytes`);
}

function said(issue: { input?: unknown }): string {
  return issue.input === undefined ? 'is required' : 'must be text';
}

const text = bounded(LIMITS.textBytes);
const someText = text.refine((value) => value.trim() !== '', 'must not be empty');
const goal = z
  .string({ error: said })
  .trim()
  .min(1, 'must not be empty')
  .max(LIMITS.goalChars, `must be at most ${LIMITS.goalChars} characters`);

function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).max(LIMITS.items, `must have at most ${LIMITS.items} items`).default([]);
}

export const uuidSchema = z.custom<Uuid>(isUuid, {
  error: ({ input }) => (input === undefined ? 'is required' : 'must be a UUID'),
});

const TIME_FORM = 'must be an ISO 8601 date or time, such as 2026-11-22 or 2026-11-22T09:30:00Z';
/** Date, time of day, zone. */
const TIME_PARTS =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|z|[+-]\d{2}:?\d{2})?)?$/;
const fullTime = z.iso.datetime({ offset: true });

/** A date is the start of its day; what names no zone is UTC. */
export const isoSchema = z
  .string({ error: TIME_FORM })
  .overwrite(isoTime)
  .refine((value) => fullTime.safeParse(value).success, TIME_FORM);

function isoTime(value: string): string {
  const [, date, time = '00:00', zone = 'Z'] = TIME_PARTS.exec(value.trim()) ?? [];
  if (date === undefined) return value;
  const offset = zone.toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  return `${date}T${time.length === 5 ? `${time}:00` : time}${offset}`;
}

/** A tag as it is kept and compared, case aside: `#auth` is `auth`. */
export function normalizeTag(tag: string): string {
  return tag.replace(/^[\s#]+/, '').trim();
}

const storedTag = z
  .string({ error: said })
  .overwrite(normalizeTag)
  .min(1, 'must not be empty')
  .max(LIMITS.tagChars, `must be at most ${LIMITS.tagChars} characters`);
const tag = storedTag.refine(
  (value) => !value.includes(','),
  'must not contain a comma; write two tags',
);

function tagsOf(each: typeof storedTag) {
  return z
    .array(each)
    .max(LIMITS.tags, `must have at most ${LIMITS.tags} tags`)
    .transform(distinct);
}

export const tagsSchema = tagsOf(tag);
/** Tags to look for; an empty list says nothing. */
export const tagsFilterSchema = tagsSchema
  .transform((tags) => (tags.length === 0 ? undefined : tags))
  .optional();
export const sessionSchema = z.string().trim().min(1).max(200);

const phrase = z
  .string({ error: said })
  .overwrite((value) => value.normalize('NFKC').replace(/\s+/g, ' ').trim())
  .refine(isVisible, 'must not be empty')
  .max(LIMITS.phraseChars, `must be at most ${LIMITS.phraseChars} characters`);

/** Phrases that say when a memory matters again; the same one twice is one. */
const phrases = z
  .array(phrase, { error: 'must be a text or a list of texts' })
  .transform(distinct)
  .refine((list) => list.length <= LIMITS.phrases, `must have at most ${LIMITS.phrases} phrases`);

function distinct(tags: string[]): string[] {
  const seen = new Map(tags.map((value) => [value.toLowerCase(), value]));
  return [...seen.values()];
}

type Keep = 'strict' | 'loose';

/** Typed as a plain object: what a loose one carries beyond its fields is nobody's business here. */
function object<Shape extends z.core.$ZodLooseShape>(
  keep: Keep,
  shape: Shape,
  params?: Parameters<typeof z.strictObject>[1],
) {
  const made: unknown =
    keep === 'strict' ? z.strictObject(shape, params) : z.looseObject(shape, params);
  return made as z.ZodObject<Shape, z.core.$strip>;
}

/** Parts that the short form writes as a text. */
const textOrObject = {
  error: ({ code, input }: { code?: string | undefined; input?: unknown }) =>
    code === 'invalid_type' && input !== undefined ? 'must be text or an object' : undefined,
};

function describe(keep: Keep) {
  const seen = <Text extends z.ZodType<string>>(schema: Text) =>
    // What is stored stays readable, whatever was allowed when it was written.
    keep === 'strict'
      ? schema.refine((value) => value === '' || isVisible(value), 'must not be empty')
      : schema;
  const intent = object(
    keep,
    {
      goal: seen(goal),
      task_type: z.enum(TASK_TYPES).default('other'),
      context: text.optional(),
      constraints: listOf(someText),
    },
    textOrObject,
  );
  const perception = object(
    keep,
    {
      observations: listOf(
        object(keep, { what: someText, where: text.optional(), significance: text.optional() }),
      ),
      relevant_files: listOf(
        object(keep, {
          path: someText,
          relevance: text.optional(),
          state_summary: text.optional(),
        }),
      ),
      patterns_noticed: listOf(someText),
      anomalies: listOf(someText),
    },
    textOrObject,
  );
  const reasoning = object(
    keep,
    {
      approach_chosen: text.optional(),
      why_chosen: text.optional(),
      alternatives_considered: listOf(
        object(keep, { approach: someText, why_rejected: text.optional() }),
      ),
      assumptions: listOf(someText),
      risks_identified: listOf(someText),
    },
    textOrObject,
  );
  const action = object(keep, {
    type: z.enum(ACTION_TYPES),
    timestamp: isoSchema.optional(),
    details: object(keep, {
      file_path: someText.optional(),
      lines_affected: text.optional(),
      diff: bounded(LIMITS.diffBytes).optional(),
      diff_hash: text.optional(),
      diff_summary: text.optional(),
      command: text.optional(),
      working_directory: text.optional(),
      query: text.optional(),
      scope: text.optional(),
    }).prefault({}),
    result: object(keep, {
      success: z.boolean(),
      output_summary: text.optional(),
      error: text.optional(),
      duration_ms: z.number().min(0).optional(),
    }).optional(),
  });
  const outcome = object(keep, {
    success: z.boolean({
      error: (issue) => (issue.input === undefined ? 'is required' : 'must be true or false'),
    }),
    summary: someText,
    learnings: listOf(someText),
    failure_reason: text.optional(),
    failure_category: z.enum(FAILURE_CATEGORIES).optional(),
    verified_by: object(keep, {
      type: someText,
      command: text.optional(),
      result: text.optional(),
    }).optional(),
    follow_up_needed: listOf(someText),
  });
  return {
    intent,
    perception: perception.prefault({}),
    reasoning: reasoning.prefault({}),
    actions: listOf(action),
    outcome,
    tags: tagsOf(keep === 'strict' ? tag : storedTag).default([]),
    importance: z.number().min(0).max(1).default(0.5),
    session_id: sessionSchema.optional(),
    remind_when: phrases.default([]),
  };
}

const refs = z
  .union([z.string(), z.array(z.string()).max(LIMITS.items)], {
    error: `must be the id of a memory, or a list of at most ${LIMITS.items} ids`,
  })
  .transform((value) => (typeof value === 'string' ? [value] : value))
  .optional();

/** Links of a new memory: each a reference to a memory, or several. */
const draftLinksSchema = z.strictObject({
  caused_by: refs,
  led_to: refs,
  related_to: refs,
  supersedes: refs,
  blocked_by: refs,
});
export type DraftLinks = z.output<typeof draftLinksSchema>;

/** The long form of a draft; `readDraft` brings the short form into it. */
export const draftSchema = z.strictObject({
  ...describe('strict'),
  links: draftLinksSchema.optional(),
  /** Said to be open to the whole project; absent: as private as where it was made. */
  visibility: z.literal('project').optional(),
});
export type MemoryDraft = z.output<typeof draftSchema>;
export type MemoryDraftInput = z.input<typeof draftSchema>;

export const ORIGINS = ['told', 'captured'] as const;

/** What is stored of a memory (`metadata.data`). */
export const workMemorySchema = object('loose', {
  ...describe('loose'),
  access_count: z.number().default(0),
  last_accessed: z.string().nullable().default(null),
  /** Every file it read, touched or named, normalized; made from the rest. */
  files: z.array(z.string()).default([]),
  /** Who wrote it: the Eliza agent's id or a registered identity. */
  agent_id: uuidSchema,
  /** `captured`: made from a finished run, not told. */
  origin: z.enum(ORIGINS).default('told'),
  /** Equal for captures of the same work. */
  content_hash: z.string().optional(),
});
export type WorkMemoryData = z.output<typeof workMemorySchema>;
export type Action = WorkMemoryData['actions'][number];

export const memoryLinkSchema = object('loose', {
  source_id: uuidSchema,
  target_id: uuidSchema,
  link_type: z.enum(['caused_by', 'related_to', 'supersedes', 'blocked_by']),
  agent_id: uuidSchema,
});
export type MemoryLinkData = z.output<typeof memoryLinkSchema>;
export type StoredLinkType = MemoryLinkData['link_type'];

const counted = object('loose', { text: z.string(), count: z.number() });
export type Counted = z.output<typeof counted>;

/** What is derived from the members of a chapter, without a model. */
export const chapterSchema = object('loose', {
  title: z.string(),
  /** Somebody chose the title; it outlives the members. */
  titled: z.boolean().default(false),
  summary: z.string(),
  /** `model`: rewritten from the extract; the members stay attached either way. */
  summary_by: z.enum(['extractive', 'model']).default('extractive'),
  learnings: z.array(counted).default([]),
  /** Learnings of members that succeeded; a subset of the above. */
  practices: z.array(counted).default([]),
  failures: z.array(counted).default([]),
  failure_categories: z.array(counted).default([]),
  files: z.array(counted).default([]),
  task_types: z.array(counted).default([]),
  tags: z.array(z.string()).default([]),
  memory_ids: z.array(uuidSchema).default([]),
  counts: object('loose', {
    memories: z.number(),
    succeeded: z.number(),
    failed: z.number(),
    /** Members that were forgotten since; the other counts still include them. */
    forgotten: z.number().default(0),
  }),
  time_range: object('loose', { from: z.string(), to: z.string() }),
  agent_id: uuidSchema,
});
export type ChapterData = z.output<typeof chapterSchema>;

export const wisdomSchema = object('loose', {
  title: z.string(),
  /** Somebody chose the title; it outlives the members. */
  titled: z.boolean().default(false),
  summary: z.string(),
  summary_by: z.enum(['extractive', 'model']).default('extractive'),
  insights: z.array(counted).default([]),
  patterns: z.array(counted).default([]),
  best_practices: z.array(counted).default([]),
  tags: z.array(z.string()).default([]),
  chapter_ids: z.array(uuidSchema).default([]),
  memory_count: z.number().default(0),
  agent_id: uuidSchema,
});
export type WisdomData = z.output<typeof wisdomSchema>;

export const identitySchema = object('loose', {
  type: z.enum(['main', 'subagent']),
  name: z.string().nullable().default(null),
  parent_id: uuidSchema.nullable().default(null),
  /** Newest last. */
  session_history: z.array(z.string()).default([]),
  /** All of them, also those that have gone from the history; absent where earlier versions wrote it. */
  session_count: z.int().min(0).optional(),
  /** SHA-256 of the resume token, hex; the token itself is shown once and not kept. */
  token_sha256: z.string(),
});
export type IdentityData = z.output<typeof identitySchema>;
