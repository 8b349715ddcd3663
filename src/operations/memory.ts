/** Work memory as tools (seed `rum-architecture.md`, MCP Interface Layer). */

import { z } from 'zod';
import {
  DEPTHS,
  draftSchema,
  forgetRequestSchema,
  LINK_TYPES,
  linkRequestSchema,
  listRequestSchema,
  ORIGINS,
  recallSchema,
  TASK_TYPES,
  traceRequestSchema,
} from '../memory/index.js';
import { NotFoundError, wrongField } from '../shared/errors.js';
import { parsed } from '../shared/findings.js';
import { defined } from '../shared/json.js';
import { isTimeZone, timeZoneProblem } from '../shared/zones.js';
import { defineOperation, defineTool, type Operation, workOf } from './operation.js';
import { flag, pageOf, pageShape, searchText, wholeNumber } from './query.js';
import { memoryOf } from './services.js';
import { briefMemory, memoryCount, memoryLine, nextPage, quoted, readable } from './shown.js';

const MAX_MEMORIES = 100;
const listQuery = z.strictObject({
  ...pageShape,
  limit: wholeNumber(1, MAX_MEMORIES).default(50),
  agent_id: searchText.optional(),
  session_id: searchText.optional(),
  task_type: searchText.optional(),
  tags: searchText.transform((text) => wordsOf(text)).optional(),
  file: z.string().min(1).max(1_024).optional(),
  success_only: flag.optional(),
  failures_only: flag.optional(),
  origin: z.enum(ORIGINS).optional(),
  since: searchText.optional(),
  before: searchText.optional(),
  sort: searchText.optional(),
});
const traceQuery = z.strictObject({
  direction: searchText.optional(),
  max_hops: wholeNumber(1, 100).optional(),
  depth: searchText.optional(),
});

function wordsOf(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return words.filter((word) => word !== '');
}

const memoryId = z.string().describe('mem_…');
const tags = z.array(z.string()).optional();
const words = z.string().optional();
const refs = z.array(z.string()).optional();

const outcome = z.object({
  success: z.boolean(),
  summary: words,
  learnings: tags,
  failure_reason: words,
});
const actions = z
  .array(
    z.object({
      file: words,
      operation: z.enum(['read', 'edit', 'create', 'delete']).optional(),
      command: words,
      result: z.enum(['pass', 'fail']).optional(),
    }),
  )
  .optional()
  .describe('each {file, operation} or {command, result}');

/** What a patch may take away. */
const removable = <Type extends z.ZodType>(type: Type) => type.nullable().optional();

/** The seed's short form, which the service reads as well as the long one. */
const shortDraft = z.object({
  text: words.describe('what was done or is to be known; enough by itself'),
  intent: words.describe('what was to be achieved'),
  files: tags,
  outcome: outcome.partial().optional().describe('success: false warns who tries it again'),
  tags,
  links: z.object({ caused_by: refs, supersedes: refs }).optional().describe('ids of memories'),
  remind_when: tags.describe(
    'up to 5 short phrases: in other words, what would somebody say or do when this matters again?',
  ),
});

export const store = defineTool({
  name: 'store',
  group: 'memory',
  isDefault: true,
  title: 'Store a memory',
  description:
    'Remembers finished work, or a fact, for every agent of the project. Call it when a task, fix or experiment is over, above all when it failed or taught something.',
  input: draftSchema,
  advertised: shortDraft,
  output: z.object({ memory_id: memoryId, created: z.boolean(), links: z.int() }),
  call: (input, { runtime, caller }) => memoryOf(runtime).store(input, caller),
  rest: { method: 'POST', path: '/memories', isSpokenFor: true, status: () => 201 },
  shown: ({ memory: _whole, ...stored }) => stored,
  text: ({ memory_id, redacted, degraded }) =>
    [
      `Stored as ${memory_id}.`,
      ...(redacted ? ['Secrets in it were taken out.'] : []),
      ...(degraded === undefined ? [] : [degraded]),
    ].join(' '),
});

const update = defineTool({
  name: 'update_memory',
  group: 'memory',
  isDefault: false,
  title: 'Update a memory',
  description:
    'Changes a memory of your own when more is known. Objects merge, arrays replace, null removes.',
  input: draftSchema
    .omit({ links: true, visibility: true })
    .partial()
    .extend({ memory_id: memoryId, revision: z.int().optional() }),
  advertised: z.object({
    memory_id: memoryId,
    revision: z.int().optional().describe('refuse if it has another by now'),
    intent: z.object({ goal: words, task_type: z.enum(TASK_TYPES).optional() }).optional(),
    perception: removable(z.string()),
    reasoning: removable(z.string()),
    actions: actions.unwrap().nullable().optional(),
    outcome: outcome
      .partial()
      .extend({ learnings: removable(z.array(z.string())), failure_reason: removable(z.string()) })
      .optional(),
    tags: removable(z.array(z.string())),
    importance: z.number().optional(),
    session_id: words,
    remind_when: removable(z.array(z.string())),
  }),
  output: z.object({ memory_id: memoryId, revision: z.int() }),
  destroys: true,
  isIdempotent: true,
  call: (input, { runtime, caller }) => memoryOf(runtime).updateMemory(input, caller),
  rest: {
    ...{ method: 'PATCH', path: '/memories/:id', id: 'memory_id' },
    input({ id, body, headers }) {
      const sent = Object(body);
      const revision = revisionOf(headers['if-match'], sent.revision);
      return { ...sent, memory_id: id, ...defined({ revision }) };
    },
  },
  shown: ({ memory: _whole, ...updated }) => updated,
  text: ({ memory_id, revision }) => `${memory_id} is at revision ${revision}.`,
});

const { shape } = recallSchema;
const asked = z.object({
  explain: z.boolean().optional(),
  /** The zone in which "yesterday" is read; the agent's when absent. */
  timezone: z
    .string()
    .refine(isTimeZone, { error: ({ input }) => timeZoneProblem(String(input)) ?? undefined })
    .optional(),
  counted: z.boolean().optional(),
});
/** `false`: somebody looks around, which is no use of a memory. */
const counting = { counted: flag.optional() };
const recall = defineTool({
  name: 'recall',
  group: 'memory',
  isDefault: true,
  title: 'Recall memories',
  description:
    'Finds what was done, learned or went wrong before, by words or by what an offer prints (as `ref`). Filters without words give the newest.',
  input: z.object({ ...shape, ...asked.shape }),
  advertised: z.object({
    ref: words.describe('file:auth.ts, mem_…, session:last, or a whole printed recall("…") line'),
    query: words.describe('words, also of time: "login bug last week"'),
    file: words,
    tags,
    failures_only: z.boolean().optional(),
    since: words.describe('ISO 8601'),
    depth: z.enum(DEPTHS).optional().describe('default outcome'),
    limit: shape.limit.unwrap().optional().describe('default 5'),
  }),
  output: z.object({
    memories: z.array(
      z.object({ memory_id: memoryId, content: z.string(), confidence: z.number() }),
    ),
    total_matches: z.int(),
  }),
  reads: true,
  call({ explain, timezone, counted, ...input }, { runtime, caller }) {
    const how = parsed(asked, { explain, timezone, counted });
    const options = defined({ zone: how.timezone, counted: how.counted });
    return memoryOf(runtime).recall(input, caller, options);
  },
  rest: {
    ...{ method: 'POST', path: '/recall', session: 'session_id' },
    query: asked.pick({ timezone: true }).extend(counting).strict(),
  },
  shown(found) {
    const memories = found.memories.map((memory) => ({
      ...memory,
      content: readable(memory.content),
      why: readable(memory.why),
    }));
    return { ...found, memories };
  },
  structured(found, { explain }) {
    if (explain === true) return found;
    const { stages: _stages, ...rest } = found;
    const memories = found.memories.map(({ fuzzy: _fuzzy, depth: _depth, ...memory }) => memory);
    return { ...rest, memories };
  },
  text({ memories, total_matches, degraded }) {
    const note = degraded === undefined ? '' : `\n(${degraded})`;
    if (memories.length === 0) return `Nothing is remembered about that.${note}`;
    const blocks = memories.map(
      ({ memory_id, created_at, fuzzy, content }) =>
        `[${memory_id}, ${created_at.slice(0, 10)}${fuzzy ? ', similar' : ''}]\n${content}`,
    );
    const count =
      total_matches < memories.length
        ? `${memories.length}: ${total_matches} that fit, then what is linked or similar`
        : `${memories.length} of ${total_matches}`;
    return `${count}. ${quoted(blocks)}${note}`;
  },
});

const list = defineTool({
  name: 'list',
  group: 'memory',
  isDefault: false,
  title: 'List memories',
  description:
    'Pages through memories by filter: yours once you have an identity, with what this session stored before; else all of the project. To find something by its words use recall.',
  input: listRequestSchema,
  advertised: z.object({
    own: z.boolean().optional().describe('true: yours; false: of all agents'),
    session_id: words,
    file: words,
    tags,
    failures_only: z.boolean().optional(),
    sort: z.enum(['recent', 'importance', 'access_count']).optional(),
    limit: z.int().optional(),
    cursor: words,
  }),
  output: z.object({
    memories: z.array(z.object({ memory_id: memoryId, revision: z.int() })),
    total: z.int(),
    next_cursor: z.string().nullable(),
  }),
  reads: true,
  call: (input, { runtime, caller }) => memoryOf(runtime).list(input, caller),
  rest: { method: 'GET', path: '/memories', query: listQuery, answer: (found) => pageOf(found) },
  shown: ({ memories, ...page }) => ({ memories: memories.map(briefMemory), ...page }),
  text({ memories, total, next_cursor }) {
    if (memories.length === 0) return `No memories on this page; ${total} in all.`;
    return `${memories.length} of ${total}. ${quoted(memories.map(memoryLine))}${nextPage(next_cursor)}`;
  },
});

const link = defineTool({
  name: 'link',
  group: 'memory',
  isDefault: false,
  title: 'Link two memories',
  description:
    'Says how one memory relates to another: source is caused_by, led_to, related_to, supersedes or blocked_by target. One of the two must be yours.',
  input: linkRequestSchema,
  advertised: z.object({
    source: memoryId,
    target: memoryId,
    link_type: z.enum(LINK_TYPES).optional(),
  }),
  output: z.object({ link_id: z.string(), created: z.boolean() }),
  isIdempotent: true,
  call: (input, { runtime, caller }) => memoryOf(runtime).link(input, caller),
  rest: {
    ...{ method: 'POST', path: '/links', isSpokenFor: true },
    status: ({ created }) => (created ? 201 : 200),
    answer: (link) => ({ link }),
  },
  text: ({ created, source, link_type, target }) =>
    `${source} ${link_type} ${target}${created ? '' : ' (the link was there)'}`,
});

const trace = defineTool({
  name: 'trace',
  group: 'memory',
  isDefault: false,
  title: 'Trace causes',
  description: 'Follows links from a memory: what led to it, or what it led to.',
  input: traceRequestSchema,
  advertised: z.object({
    memory_id: memoryId,
    direction: z.enum(['causes', 'effects', 'both']).optional(),
    max_hops: z.int().max(5).optional(),
  }),
  output: z.object({
    trace: z.array(z.object({ memory_id: memoryId, hops: z.int(), content: z.string() })),
    truncated: z.boolean(),
  }),
  reads: true,
  call: (input, { runtime, caller }) => memoryOf(runtime).trace(input, caller),
  rest: { method: 'GET', path: '/memories/:id/trace', id: 'memory_id', query: traceQuery },
  shown(found) {
    const steps = found.trace.map((step) => ({ ...step, content: readable(step.content) }));
    return { ...found, trace: steps };
  },
  text({ trace: steps, truncated }) {
    const blocks = steps.map(({ memory_id, link_type, from, content }) =>
      link_type === null
        ? `[${memory_id}]\n${content}`
        : `[${memory_id}: ${from} ${link_type === 'led_to' ? 'led to it' : 'was caused by it'}]\n${content}`,
    );
    return `${quoted(blocks)}${truncated ? '\nThere is more behind these.' : ''}`;
  },
});

const forget = defineTool({
  name: 'forget',
  group: 'memory',
  isDefault: true,
  title: 'Forget memories',
  description:
    'Deletes memories of your own for good. Call it with dry_run first, and only when the user asks for it.',
  input: forgetRequestSchema,
  advertised: z.object({
    memory_ids: z.array(memoryId).optional(),
    query: words.describe('all of its words'),
    file: words,
    all: z.literal(true).optional().describe('everything that is yours'),
    dry_run: z.boolean().optional().describe('only shows'),
  }),
  output: z.object({ dry_run: z.boolean(), total: z.int(), kept: z.int() }),
  destroys: true,
  isIdempotent: true,
  call(input, call) {
    const { onProgress } = workOf(call);
    return memoryOf(call.runtime).forget(input, call.caller, { onProgress });
  },
  rest: { method: 'POST', path: '/forget', slow: true },
  shown(result) {
    const memories = result.memories.map((one) => ({ ...one, content: readable(one.content) }));
    return { ...result, memories };
  },
  text({ dry_run, total, kept, memories }) {
    const head = `${dry_run ? 'Would forget' : 'Forgot'} ${memoryCount(total)}${kept > 0 ? `; ${kept} that match are not yours and stay` : ''}.`;
    if (memories.length === 0) return head;
    const lines = memories.map(({ memory_id, content }) => `${memory_id} ${content}`);
    return `${head} ${quoted(lines)}`;
  },
});

const get = defineOperation({
  name: 'get_memory',
  description: 'Gives one memory, whole.',
  input: z.strictObject({ memory_id: memoryId, counted: z.boolean().optional() }),
  output: z.object({ id: z.string(), memory_id: memoryId }),
  reads: true,
  call: ({ memory_id, counted }, { runtime, caller }) =>
    memoryOf(runtime).get(String(memory_id), caller, { counted: counted !== false }),
  rest: {
    ...{ method: 'GET', path: '/memories/:id', id: 'memory_id' },
    query: z.strictObject(counting),
    answer: (memory) => ({ memory }),
  },
});

const remove = defineOperation({
  name: 'delete_memory',
  description: 'Deletes one memory for good, with what was made from it.',
  input: z.strictObject({ memory_id: memoryId }),
  output: z.object({ deleted: z.literal(true) }),
  async call(input, { runtime, caller }) {
    const service = memoryOf(runtime);
    // A reference that is ambiguous, or names nothing, is an error here and not an empty deed.
    const { id, memory_id } = await service.get(String(input.memory_id), caller, {
      counted: false,
    });
    const { total } = await service.forget({ memory_ids: [id], dry_run: false }, caller);
    // Somebody else was faster.
    if (total === 0) throw new NotFoundError('memory', memory_id);
    return { deleted: true };
  },
  rest: { method: 'DELETE', path: '/memories/:id', id: 'memory_id' },
});

const health = defineOperation({
  name: 'memory_health',
  description: 'How work memory is: counts, catalog, embeddings.',
  reads: true,
  call: (_input, { runtime }) => memoryOf(runtime).health(),
  rest: { method: 'GET', path: '/memories/health' },
});

/**
 * The revision a change was made against: `If-Match: "3"` or `revision` of the body.
 * @throws InvalidInputError when the two differ, or the header is no revision
 */
function revisionOf(ifMatch: string | undefined, revision: unknown): unknown {
  if (ifMatch === undefined || ifMatch === '*') return revision;
  const number = /^(?:W\/)?"?(\d{1,9})"?$/.exec(ifMatch.trim())?.[1];
  if (number === undefined) {
    throw wrongField('If-Match', 'must be a revision, like "3"');
  }
  if (revision !== undefined && revision !== Number(number)) {
    throw wrongField('revision', 'is not what If-Match says');
  }
  return Number(number);
}

export const memoryOperations: readonly Operation[] = [
  ...[store, update, recall, list, link, trace, forget],
  ...[get, remove, health],
];
