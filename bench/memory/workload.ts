/**
 * Memories as an agent collects them over half a year: few files and words occur in many memories
 * and most in few (Zipf). Number `index` is the same in every process, so that nothing is kept.
 */
import { filesOf, readDraft } from '../../src/memory/draft.js';
import {
  type MemoryLinkData,
  type StoredLinkType,
  TASK_TYPES,
  type WorkMemoryData,
  workMemorySchema,
} from '../../src/memory/schema.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';

const START_MS = Date.UTC(2026, 0, 1);
const SPAN_MS = 180 * 86_400_000;
const PER_SESSION = 8;
const FILES = 2_000;
const TAGS = 60;
const WORDS = 6_000;

const COMMON =
  'add fix the handler token cache session request test parse query index retry timeout user login ' +
  'route schema migration worker queue event config build deploy error log stream buffer upload ' +
  'search filter page render form button style layout state store hook service client server ' +
  'database column table transaction lock payment invoice order email template locale date zone ' +
  'cron webhook signature header cookie role permission audit metric trace alert dashboard export ' +
  'import backup restore snapshot version release branch merge review lint type null promise race ' +
  'memory leak pool connection socket proxy tls certificate key rotate hash encrypt validate input';
const FOLDERS = 'auth api db ui core jobs mail billing search infra admin shared'.split(' ');
const SYLLABLES = 'ba co di fu ge hi ka lo mi nu pe ra so ti vu we xa yo ze ri'.split(' ');

/** Numbers in [0, 1), the same for the same seed on every machine (mulberry32). */
function randomOf(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Running sums of 1 / rank^s: what a number in [0, 1) is looked up in. */
function zipf(count: number, exponent: number): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1) ** exponent;
    sums[rank] = sum;
  }
  return sums.map((value) => value / sum);
}

function drawn(sums: Float64Array, random: () => number): number {
  const at = random();
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 1) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const common = COMMON.split(' ');
const vocabulary = Array.from({ length: WORDS }, (_, rank) => common[rank] ?? coined(rank));
const files = Array.from({ length: FILES }, (_, rank) => fileOf(rank));
const wordSums = zipf(WORDS, 0.9);
const fileSums = zipf(FILES, 0.9);
const tagSums = zipf(TAGS, 0.8);

function coined(rank: number): string {
  let rest = rank;
  let word = '';
  for (let count = 0; count < 3; count += 1) {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word;
}

/** Some names (`index.ts`) are in every folder, as in any repository. */
function fileOf(rank: number): string {
  const folder = FOLDERS[rank % FOLDERS.length];
  if (rank < FOLDERS.length) return `src/${folder}/index.ts`;
  const name = vocabulary[(rank * 7) % WORDS];
  return `src/${folder}/${vocabulary[rank % 90]}/${name}-${rank}.ts`;
}

type Random = () => number;

/** A word, the first of the vocabulary most often. */
export function someWord(random: Random): string {
  return vocabulary[drawn(wordSums, random)] ?? '';
}

const words = (random: Random, count: number) =>
  Array.from({ length: count }, () => someWord(random)).join(' ');
const tagOf = (rank: number) => vocabulary[rank] ?? '';

/** A file, the first of the list most often. */
function someFile(random: Random): string {
  return files[drawn(fileSums, random)] ?? '';
}

/** Draws for the questions of one series; `name` keeps two series apart. */
export function drawsOf(name: string): Random {
  return randomOf([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) | 0);
}

export function idAt(index: number): Uuid {
  return derivedId('bench memory', index);
}

export function timeAt(index: number, size: number): number {
  return START_MS + Math.floor((index / size) * SPAN_MS);
}

/**
 * What a caller would send to `store`. Every second memory is told in full (4 KB of JSON), the
 * others are as short as what a run leaves behind; one in four failed.
 */
export function draftAt(index: number) {
  const random = randomOf(index);
  const success = random() >= 0.25;
  const touched = Array.from({ length: 1 + Math.floor(random() * 4) }, () => someFile(random));
  const tags = Array.from({ length: 3 }, () => tagOf(drawn(tagSums, random)));
  const goal = words(random, 9 + Math.floor(random() * 7));
  const task_type = TASK_TYPES[Math.floor(random() * TASK_TYPES.length)] ?? 'other';
  return {
    ...(index % 2 === 0 ? toldIn(random, touched) : {}),
    intent: {
      goal,
      task_type,
      ...(index % 2 === 0 ? { context: words(random, 25), constraints: [words(random, 9)] } : {}),
    },
    actions: [
      ...touched.map((path) => ({
        type: 'file_edit' as const,
        details: { file_path: path, lines_affected: '10-42', diff_summary: words(random, 12) },
        result: { success: true },
      })),
      {
        type: 'command_run' as const,
        details: { command: `npm test -- ${someWord(random)}` },
        result: { success, output_summary: words(random, 10), duration_ms: 1_200 },
      },
    ],
    outcome: {
      success,
      summary: words(random, 14),
      learnings: [words(random, 13), words(random, 13)],
      ...(success
        ? {}
        : { failure_reason: words(random, 12), failure_category: 'logic_error' as const }),
      follow_up_needed: random() < 0.2 ? [words(random, 8)] : [],
    },
    tags: [...new Set(tags)],
    importance: Math.round(random() * 100) / 100,
    session_id: `session-${Math.floor(index / PER_SESSION)}`,
  };
}

/** What only somebody who thinks about it says. */
function toldIn(random: Random, touched: readonly string[]) {
  return {
    perception: {
      observations: [1, 2].map(() => ({
        what: words(random, 14),
        where: someFile(random),
        significance: words(random, 8),
      })),
      relevant_files: touched.map((path) => ({ path, relevance: words(random, 8) })),
      patterns_noticed: [words(random, 8)],
    },
    reasoning: {
      approach_chosen: words(random, 14),
      why_chosen: words(random, 16),
      alternatives_considered: [1, 2].map(() => ({
        approach: words(random, 10),
        why_rejected: words(random, 10),
      })),
      assumptions: [words(random, 9)],
      risks_identified: [words(random, 9)],
    },
  };
}

/** The memory as it is stored. */
export function dataAt(index: number, agentId: Uuid): WorkMemoryData {
  const draft = readDraft(draftAt(index), { storeDiffs: false });
  return workMemorySchema.parse({ ...draft, files: filesOf(draft), agent_id: agentId });
}

/** A record of an export, as `import` takes it. */
export function lineAt(index: number, size: number, agentId: Uuid): Record<string, unknown> {
  return {
    kind: 'memory',
    id: idAt(index),
    created_at: new Date(timeAt(index, size)).toISOString(),
    data: { ...draftAt(index), agent_id: agentId },
  };
}

export interface LinkLine {
  kind: 'link';
  id: Uuid;
  created_at: string;
  data: MemoryLinkData;
}

/** Links of a memory to earlier ones: every third came of one, so that chains have several hops. */
export function linksAt(index: number, size: number, agentId: Uuid): LinkLine[] {
  const random = randomOf(index ^ 0x5bd1e995);
  const made: LinkLine[] = [];
  const add = (type: StoredLinkType, chance: number) => {
    if (random() >= chance || index === 0) return;
    const target = Math.max(0, index - 1 - Math.floor(random() * 20));
    made.push({
      kind: 'link',
      id: derivedId('bench link', index, type),
      created_at: new Date(timeAt(index, size)).toISOString(),
      data: {
        source_id: idAt(index),
        target_id: idAt(target),
        link_type: type,
        agent_id: agentId,
      },
    });
  };
  add('caused_by', 0.35);
  add('related_to', 0.1);
  return made;
}
