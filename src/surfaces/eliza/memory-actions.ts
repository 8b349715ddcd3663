/** What a chat does with work memories, and how it shows them. */
import type { RecallResult, StoreResult } from '../../memory/index.js';
import { InvalidInputError } from '../../shared/errors.js';
import { safe, safeJson, safeQuoted } from '../../shared/safe-text.js';
import { askUser, type Outcome, refuse, succeed } from './action-frame.js';
import { yesOrNo } from './confirm-words.js';
import { countedMemories } from './display.js';
import { type MemoryTurn, memoryAction } from './memory-turn.js';
import {
  forgetSubject,
  linksToItself,
  readDraftText,
  readLink,
  readNote,
  recallSubject,
  synthesisSubject,
} from './memory-words.js';
import { answerToForget } from './open-questions.js';
import { ask, pendingOf } from './pending.js';

type Recalled = RecallResult['memories'][number];

/** Most of one memory at the depth `complete` that a chat shows, characters. */
const MAX_JSON = 20_000;
/** A likeness below this is said to be one; what recall holds for no answer at all does not come. */
const SURE_CONFIDENCE = 0.4;

/** A memory holds what strangers wrote: one line without markup, or JSON in a fence. */
export function memoryLine(memory: Recalled): string {
  const maybe = memory.fuzzy && memory.confidence < SURE_CONFIDENCE ? 'maybe: ' : '';
  if (memory.depth !== 'complete') return `- ${maybe}${safe(memory.content)} [${memory.memory_id}]`;
  const json = safeJson(memory.content);
  const id = `[${memory.memory_id}]`;
  return json.length > MAX_JSON
    ? `- ${maybe}${id} is too long for a chat (${json.length} characters): ask for depth "full", or export it`
    : `- ${maybe}${id}\n\`\`\`json\n${json}\n\`\`\``;
}

/** RECALL_WORK_MEMORY: what earlier work says about something; a printed recall line as it stands. */
export const recallWorkMemoryAction = memoryAction({
  name: 'RECALL_WORK_MEMORY',
  similes: ['SEARCH_WORK_MEMORY', 'REMEMBER_WORK', 'LOOK_UP_MEMORY'],
  description:
    'Finds work memories: what was done, decided, learned or went wrong before, about a topic, a file, a time ("last week"), an id, or a line like recall("file:auth.ts", depth: "reasoning").',
  examples: [
    [
      'what do you remember about the login bug?',
      'I remember one memory about that:\n- ✓ the login bug came from an expired refresh token [mem_1f2e3d4c]',
    ],
  ],
  handle: recallWorkMemory,
});

async function recallWorkMemory(turn: MemoryTurn): Promise<Outcome> {
  const subject = recallSubject(turn.text);
  if (subject === '') return askUser('What shall I look for? Name a topic, a file, or a time.');
  const { memories, total_matches, degraded } = await turn.service.recall(
    subject,
    turn.caller,
    turn.zone,
  );
  const total = Math.max(total_matches, memories.length);
  const data = { total, memoryIds: memories.map((one) => one.memory_id) };
  if (memories.length === 0) return succeed('I remember nothing about that.', data);
  const lines = [
    `I remember ${countedMemories(memories.length)} about that:`,
    ...memories.map(memoryLine),
  ];
  if (total > memories.length) lines.push(`There are ${total - memories.length} more.`);
  if (degraded !== undefined) lines.push('I could not search as well as usual.');
  return succeed(lines.join('\n'), data);
}

/** STORE_WORK_MEMORY: keeps what the user says, as private as the place it is said in. */
export const storeWorkMemoryAction = memoryAction({
  name: 'STORE_WORK_MEMORY',
  similes: ['REMEMBER_THIS', 'SAVE_WORK_MEMORY', 'NOTE_WORK_MEMORY', 'MEMORIZE'],
  description:
    'Stores a work memory: something the user wants remembered (what was done, why, how it ended, what was learned). Not for reminders at a time: those are triggers.',
  examples: [
    [
      'remember that the login bug came from an expired refresh token #auth',
      'I will remember that: "the login bug came from an expired refresh token #auth" [mem_1f2e3d4c].',
    ],
  ],
  handle: storeWorkMemory,
});

async function storeWorkMemory(turn: MemoryTurn): Promise<Outcome> {
  const json = readDraftText(turn.text);
  if (json.kind === 'broken') {
    return refuse(`That is no valid JSON, so I stored nothing: ${safe(json.problem, 200)}.`, {
      code: 'INVALID_INPUT',
    });
  }
  const draft = json.kind === 'object' ? json.object : readNote(turn.text);
  if (draft === null) {
    return askUser('What shall I remember? Say it in one message: "remember that …".');
  }
  const stored = await turn.service.store(draft, turn.caller);
  return succeed(storedText(stored), { memoryId: stored.memory_id, created: stored.created });
}

function storedText({ memory, memory_id, redacted, degraded }: StoreResult): string {
  const sentences = [
    `I will remember that: ${safeQuoted(memory.intent.goal, 120)} [${memory_id}].`,
  ];
  if (memory.visibility === 'project') sentences.push('Everyone in the project can find it.');
  const secrets = (redacted ?? []).reduce((sum, { count }) => sum + count, 0);
  if (secrets > 0) {
    sentences.push(
      `I left out ${secrets === 1 ? 'what looked like a secret' : `${secrets} things that looked like secrets`}.`,
    );
  }
  if (degraded !== undefined) sentences.push('For now it is found by its words only.');
  return sentences.join(' ');
}

/** LINK_WORK_MEMORIES: says how two memories belong together. */
export const linkWorkMemoriesAction = memoryAction({
  name: 'LINK_WORK_MEMORIES',
  similes: ['CONNECT_WORK_MEMORIES', 'RELATE_WORK_MEMORIES'],
  description:
    'Links two work memories named by their ids (mem_…): caused by, led to, related to, supersedes, blocked by.',
  examples: [
    ['mem_1f2e3d4c was caused by mem_5a6b7c8d', 'Linked: mem_1f2e3d4c was caused by mem_5a6b7c8d.'],
  ],
  handle: linkWorkMemories,
});

const WORDS: Readonly<Record<string, string>> = {
  caused_by: 'was caused by',
  led_to: 'led to',
  related_to: 'is related to',
  supersedes: 'supersedes',
  blocked_by: 'is blocked by',
};

async function linkWorkMemories(turn: MemoryTurn): Promise<Outcome> {
  if (linksToItself(turn.text)) {
    return refuse('A memory cannot be linked to itself.', { code: 'INVALID_INPUT' });
  }
  const request = readLink(turn.text);
  if (request === null) {
    return askUser(
      'Which two memories? Name both by their ids, like "mem_1f2e3d4c was caused by mem_5a6b7c8d".',
    );
  }
  const made = await turn.service.link(request, turn.caller);
  const words = `${made.source} ${WORDS[made.link_type] ?? made.link_type} ${made.target}`;
  return succeed(made.created ? `Linked: ${words}.` : `That was linked already: ${words}.`, {
    linkId: made.link_id,
    created: made.created,
  });
}

/** SYNTHESIZE_WISDOM: what all the work on something has taught, from its memories. */
/** Of each kind of learning. */
const SHOWN = 3;
const MAX_WORD = 50;

export const synthesizeWisdomAction = memoryAction({
  name: 'SYNTHESIZE_WISDOM',
  similes: ['DISTILL_WISDOM', 'SUMMARIZE_LEARNINGS'],
  description:
    'Sums up what work memories have taught, about a tag (#auth) or about everything, as insights, patterns and best practices.',
  examples: [
    [
      'synthesize wisdom about #auth',
      'From 3 memories I learned:\n- Insight: rotate the refresh token (2×)',
    ],
  ],
  handle: synthesizeWisdom,
});

const NOTHING: Outcome = succeed(
  'I have too few memories about that to learn from: I need three that share a tag.',
  { created: 0 },
);

async function synthesizeWisdom(turn: MemoryTurn): Promise<Outcome> {
  const { tags, words } = synthesisSubject(turn.text);
  const single = /^[\p{L}\p{N}_-]+$/u.test(words) && words.length <= MAX_WORD ? [words] : [];
  const named = tags.length > 0 ? tags : single;
  const filter = named.length === 0 ? {} : { tags: named };
  const { chapters } = await turn.service.createChapter(filter, turn.caller);
  const ids = chapters.map((one) => one.chapter_id);
  const made = await synthesized(turn, ids.length > 0 ? { chapter_ids: ids } : filter);
  // What one person did in private is summed up for them, but not before the others.
  const shown = made.filter((one) => turn.caller.private || one.visibility !== 'user');
  if (shown.length === 0) return NOTHING;
  const lines = shown.flatMap((one) => [
    `${safeQuoted(one.title, 120)}, from ${one.memory_count} memories [${one.wisdom_id}]:`,
    ...linesOf('Insight', one.insights),
    ...linesOf('Pattern', one.patterns),
    ...linesOf('Best practice', one.best_practices),
  ]);
  return succeed(lines.join('\n'), {
    created: shown.length,
    wisdomIds: shown.map((one) => one.wisdom_id),
  });
}

async function synthesized(turn: MemoryTurn, request: Record<string, unknown>) {
  try {
    return (await turn.service.synthesize(request, turn.caller)).wisdom;
  } catch (error) {
    // No chapter to learn from is an answer here.
    if (error instanceof InvalidInputError) return [];
    throw error;
  }
}

function linesOf(label: string, items: readonly { text: string; count: number }[]): string[] {
  return items
    .slice(0, SHOWN)
    .map(({ text, count }) => `- ${label}: ${safe(text, 200)}${count > 1 ? ` (${count}×)` : ''}`);
}

const FORGET_WORK_MEMORY = 'FORGET_WORK_MEMORY';

const MOST_LISTED = 8;

/**
 * FORGET_WORK_MEMORY: shows what would go and asks; a yes in the next message forgets exactly that.
 * Only what was made with the asker is the asker's to forget.
 */
export const forgetWorkMemoryAction = memoryAction({
  name: FORGET_WORK_MEMORY,
  similes: ['ERASE_WORK_MEMORY', 'DELETE_WORK_MEMORY', 'FORGET_ABOUT'],
  description:
    'Forgets work memories: what the user told about something, named memories (mem_…), or everything of the user. Shows what would go and asks first. Also the right action when the user answers yes or no to that question. Not for reminders: those are triggers.',
  examples: [
    [
      'forget what I told you about the login bug',
      'That forgets one memory for good:\n- ✓ the login bug came from an expired refresh token\nShall I? Say yes or no.',
      'yes',
      'Forgotten: one memory.',
    ],
  ],
  handle: forgetWorkMemory,
});

const OR = 'name what to forget, like "forget the login bug"';

async function forgetWorkMemory(turn: MemoryTurn): Promise<Outcome> {
  const pending = await pendingOf(turn, FORGET_WORK_MEMORY);
  if (pending?.kind === 'confirm-forget') {
    const count = countedMemories(pending.ids.length);
    const take = () => forgetThese(turn, pending.ids);
    const answer = await answerToForget(turn, pending, take, { count, or: OR });
    if (answer !== null) return answer;
  } else if (yesOrNo(turn.text) !== null) {
    return askUser('There is nothing that waits for a yes or no. What shall I forget?');
  }
  const subject = forgetSubject(turn.text);
  return subject === null
    ? askUser('What shall I forget? Name a topic or an id.')
    : askFirst(turn, subject);
}

async function askFirst(turn: MemoryTurn, subject: object): Promise<Outcome> {
  const would = await turn.service.forget({ ...subject, dry_run: true }, turn.caller);
  if (would.total === 0) {
    const text =
      would.kept > 0
        ? 'What I remember about that is not yours to forget: only what you told me yourself is.'
        : 'I have nothing of yours about that.';
    return succeed(text, { total: 0 });
  }
  await ask(turn, { kind: 'confirm-forget', ids: would.memory_ids });
  const shown = would.memories.slice(0, MOST_LISTED);
  const count = would.memory_ids.length;
  const lines = [
    `That forgets ${countedMemories(count)} for good:`,
    ...shown.map((memory) => `- ${safe(memory.content, 160)}`),
  ];
  // Counted only: who else is here did not hear them.
  const elsewhere = Math.min(would.elsewhere, count - shown.length);
  const more = count - shown.length - elsewhere;
  if (more > 0) lines.push(`- and ${more} more`);
  if (elsewhere > 0) lines.push(`- ${countedMemories(elsewhere)} from outside this conversation`);
  if (would.total > count) lines.push(`(${would.total - count} more stay until you ask again.)`);
  lines.push('Shall I? Say yes or no.');
  return askUser(lines.join('\n'), { total: would.total, candidates: would.memory_ids });
}

/** Some may have gone since we asked, which must not keep the others. */
async function forgetThese(turn: MemoryTurn, ids: string[]): Promise<Outcome> {
  const gone = await turn.service.forget({ memory_ids: ids, missing_ok: true }, turn.caller);
  const text =
    gone.total === 0 ? 'They are gone already.' : `Forgotten: ${countedMemories(gone.total)}.`;
  return succeed(text, { forgotten: gone.total });
}
