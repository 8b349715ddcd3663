/** Chapters and wisdom as tools: what many memories come to. */
import { z } from 'zod';
import {
  chapterListSchema,
  chapterRequestSchema,
  synthesizeRequestSchema,
  wisdomRequestSchema,
} from '../../../memory/index.js';
import { memoryOf } from '../../services.js';
import type { ToolSpec } from '../types.js';
import { defineTool, workOf } from './define.js';
import { briefChapter, briefWisdom, memoryCount, nextPage, quoted } from './shown.js';

const words = z.string().optional();
const ids = z.array(z.string()).optional();
const limit = z.int().optional();

const chapters = z.array(z.object({ chapter_id: z.string(), title: z.string() }));
const wisdom = z.array(z.object({ wisdom_id: z.string(), summary: z.string() }));

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
  async run(input, call) {
    const { session, runtime } = call;
    const made = await memoryOf(runtime).createChapter(input, session.caller(), workOf(call));
    return { ...made, chapters: made.chapters.map(briefChapter) };
  },
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
  async run(input, { runtime, session }) {
    const found = await memoryOf(runtime).listChapters(input, session.caller());
    return { ...found, chapters: found.chapters.map(briefChapter) };
  },
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
  async run(input, call) {
    const { session, runtime } = call;
    const made = await memoryOf(runtime).synthesize(input, session.caller(), workOf(call));
    return { ...made, wisdom: made.wisdom.map(briefWisdom) };
  },
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
  async run(input, { runtime, session }) {
    const found = await memoryOf(runtime).recallWisdom(input, session.caller());
    return { ...found, wisdom: found.wisdom.map(briefWisdom) };
  },
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

export const knowledgeTools: readonly ToolSpec[] = [
  createChapter,
  listChapters,
  synthesize,
  recallWisdom,
];
