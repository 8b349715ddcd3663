/** Identities, chapters and wisdom, export and import: who works here, and what it has come to. */

import { z } from 'zod';
import {
  chapterListSchema,
  chapterRequestSchema,
  identityRequestSchema,
  synthesizeRequestSchema,
  wisdomRequestSchema,
} from '../memory/index.js';
import { defined } from '../shared/json.js';
import { safe } from '../shared/safe-text.js';
import { defineOperation, defineTool, type Operation, workOf } from './operation.js';
import { pageOf, pageShape, searchText, wholeNumber } from './query.js';
import { memoryOf } from './services.js';
import { briefChapter, briefWisdom, memoryCount, nextPage, quoted } from './shown.js';

const words = z.string().optional();
const ids = z.array(z.string()).optional();
const limit = z.int().optional();

const chapters = z.array(z.object({ chapter_id: z.string(), title: z.string() }));
const wisdom = z.array(z.object({ wisdom_id: z.string(), summary: z.string() }));

const identity = defineTool({
  name: 'identity',
  group: 'memory',
  isDefault: true,
  title: 'Register or resume an identity',
  description:
    'Register once, so that what you write stays yours to change. cue mcp keeps who you are; over HTTP keep agent_id and resume_token, and resume. A subagent names its parent.',
  input: identityRequestSchema,
  advertised: z.object({
    action: z.enum(['register', 'resume', 'info']),
    name: words.describe('unique in the project'),
    type: z.enum(['main', 'subagent']).optional(),
    parent: words.describe('agent_id, for a subagent'),
    parent_token: words,
    agent_id: words,
    resume_token: words,
  }),
  output: z.object({ agent_id: z.string(), resume_token: words.describe('shown once') }),
  async call(input, { runtime, caller, onIdentity }) {
    const known = await memoryOf(runtime).identity(input, caller);
    if (input.action !== 'info') onIdentity?.(known.agent_id);
    return known;
  },
  rest: {
    ...{ method: 'POST', path: '/identity' },
    status: (_known, { action }) => (action === 'register' ? 201 : 200),
    answer: (identity) => ({ identity }),
  },
  text({ agent_id, name, type, parent_id, resume_token }) {
    const named = name === null ? 'no name' : `"${safe(name)}"`;
    const under = parent_id === null ? '' : ` under ${parent_id}`;
    const keep = resume_token === undefined ? '' : `\nKeep resume_token: ${resume_token}`;
    return `${agent_id} (${named}, ${type}${under})${keep}`;
  },
});

const createChapter = defineTool({
  name: 'create_chapter',
  group: 'memory',
  isDefault: false,
  title: 'Create chapters',
  description:
    'Groups memories into a chapter: the given ones, or every group that shares a tag and is in no chapter yet.',
  input: chapterRequestSchema,
  advertised: z.object({
    title: words,
    memory_ids: ids,
    tags: ids,
    min_memories: z.int().optional().describe('of a group; default 3'),
  }),
  output: z.object({ created: z.int(), chapters }),
  isIdempotent: true,
  call: (input, call) => memoryOf(call.runtime).createChapter(input, call.caller, workOf(call)),
  rest: {
    ...{ method: 'POST', path: '/chapters', slow: true, isSpokenFor: true },
    status: ({ created }) => (created > 0 ? 201 : 200),
  },
  shown: (made) => ({ ...made, chapters: made.chapters.map(briefChapter) }),
  text: ({ created, chapters: shown }) => `Chapters made: ${created}. ${chapterLines(shown)}`,
});

const listChapters = defineTool({
  name: 'list_chapters',
  group: 'memory',
  isDefault: false,
  title: 'List chapters',
  description: 'Chapters of the project, newest first.',
  input: chapterListSchema,
  advertised: z.object({ limit, cursor: words }),
  output: z.object({ chapters, total: z.int(), next_cursor: z.string().nullable() }),
  reads: true,
  call: (input, { runtime, caller }) => memoryOf(runtime).listChapters(input, caller),
  rest: {
    ...{ method: 'GET', path: '/chapters' },
    answer: (found) => pageOf(found),
    query: z.strictObject({ ...pageShape, limit: wholeNumber(1, 100).default(50) }),
  },
  shown: (found) => ({ ...found, chapters: found.chapters.map(briefChapter) }),
  text: ({ chapters: shown, total, next_cursor }) =>
    `${shown.length} of ${total}. ${chapterLines(shown)}${nextPage(next_cursor)}`,
});

const synthesize = defineTool({
  name: 'synthesize',
  group: 'memory',
  isDefault: false,
  title: 'Synthesize wisdom',
  description:
    'Makes wisdom of chapters: insights, patterns and best practices that hold across them.',
  input: synthesizeRequestSchema,
  advertised: z.object({
    title: words,
    chapter_ids: ids.describe('default: all'),
    tags: ids,
  }),
  output: z.object({ created: z.int(), wisdom }),
  isIdempotent: true,
  call: (input, call) => memoryOf(call.runtime).synthesize(input, call.caller, workOf(call)),
  rest: {
    ...{ method: 'POST', path: '/wisdom', slow: true, isSpokenFor: true },
    status: ({ created }) => (created > 0 ? 201 : 200),
  },
  shown: (made) => ({ ...made, wisdom: made.wisdom.map(briefWisdom) }),
  text: ({ created, wisdom: shown }) => `Wisdom made: ${created}. ${wisdomLines(shown)}`,
});

const recallWisdom = defineTool({
  name: 'recall_wisdom',
  group: 'memory',
  isDefault: false,
  title: 'Recall wisdom',
  description:
    'What the project has learned about a topic in general. Call it before choosing an approach.',
  input: wisdomRequestSchema,
  advertised: z.object({ query: words, tags: ids, limit }),
  output: z.object({ wisdom, total: z.int() }),
  reads: true,
  call: (input, { runtime, caller }) => memoryOf(runtime).recallWisdom(input, caller),
  rest: {
    ...{ method: 'GET', path: '/wisdom' },
    query: z.strictObject({ limit: wholeNumber(1, 100).default(50), q: searchText.optional() }),
    input: ({ query: { q, ...page } }) => defined({ query: q, ...page }),
    answer: ({ wisdom, total }) => ({ wisdom, total, nextCursor: null }),
  },
  shown: (found) => ({ ...found, wisdom: found.wisdom.map(briefWisdom) }),
  text: ({ wisdom: shown, total }) => `${shown.length} of ${total}. ${wisdomLines(shown)}`,
});

function chapterLines(shown: readonly ReturnType<typeof briefChapter>[]): string {
  return block(
    shown.map(({ chapter_id, title, memory_count, summary }) => [
      `[${chapter_id}] ${title} (${memoryCount(memory_count)})`,
      summary,
    ]),
  );
}

function wisdomLines(shown: readonly ReturnType<typeof briefWisdom>[]): string {
  return block(
    shown.map(({ wisdom_id, title, summary, insights, patterns, best_practices }) => [
      `[${wisdom_id}] ${title}`,
      summary,
      ...insights.map(({ text }) => `Insight: ${text}`),
      ...patterns.map(({ text }) => `Pattern: ${text}`),
      ...best_practices.map(({ text }) => `Best practice: ${text}`),
    ]),
  );
}

function block(entries: readonly string[][]): string {
  return entries.length === 0 ? 'There is nothing to show.' : quoted(entries.flat());
}

const importBody = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]);

const importMemories = defineOperation({
  name: 'import_memories',
  description:
    'Takes in what an export gave: its JSON, a list of its records, or JSON lines in `jsonl`.',
  input: z.strictObject({ content: z.unknown() }),
  output: z.looseObject({}),
  call: (input, { runtime, caller }) => memoryOf(runtime).import(input, caller),
  rest: {
    ...{ method: 'POST', path: '/import', slow: true, body: importBody },
    input: ({ body }) => ({
      content:
        Array.isArray(body) || typeof Object(body).jsonl !== 'string' ? body : Object(body).jsonl,
    }),
  },
});

export const knowledgeOperations: readonly Operation[] = [
  ...[identity, createChapter, listChapters, synthesize, recallWisdom],
  importMemories,
];
