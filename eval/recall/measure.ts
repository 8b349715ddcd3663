/** Stores a set as users store memories and asks its questions as users ask. */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { Embedder } from '../../src/embeddings/index.js';
import type { Caller } from '../../src/memory/index.js';
import { type NamedStage, STAGES } from '../../src/memory/recall/cascade.js';
import { semanticStage } from '../../src/memory/recall/semantic.js';
import { createBm25 } from '../bm25.js';
import { type Ranking, type Scores, scoresOf, type Times, timesOf } from '../metrics.js';
import type { EvalAgent, OpenProject } from './agent.js';
import { type Dataset, DIFFICULTIES, type Difficulty, type EvalProject } from './dataset.js';

/** Parts of the search that can be asked alone. */
export const PARTS = ['structural', 'keyword', 'vector'] as const;
export type Part = (typeof PARTS)[number];

export interface EmbedderResult extends Scores {
  id: string;
  /** Of the whole recall, with its limit of 50, ms. */
  msPerQuery: Times;
  parts?: Record<Part, Scores>;
  byDifficulty?: Partial<Record<Difficulty, Scores>>;
  /** As people are answered: without what is below the floor of confidence. */
  floor: Floor;
}

/** What the floor costs, and what it keeps away. */
export interface Floor {
  recall5: number;
  recall10: number;
  /** Of questions about nothing that is stored: asked of each project, and answered with nothing. */
  unrelated: number;
  silent: number;
  /**
   * Expected calibration error of the confidence of the first five hits, over all questions, those about
   * nothing stored included.
   */
  calibrationError: number;
}

export interface RecallEvaluation {
  dataset: string;
  /** What `recall` finds, for each embedder. */
  embedders: EmbedderResult[];
  /** Plain BM25 on the same texts. */
  bm25: Scores;
}

export interface MeasureOptions {
  /** Each part of the search alone as well. */
  parts: boolean;
  say(line: string): void;
}

const FOUND = 50;
const UNRELATED = z
  .array(z.string())
  .parse(JSON.parse(readFileSync(new URL('unrelated.json', import.meta.url), 'utf8')));
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/**
 * Sets without times are laid into a past that no question can mean by "last week", because such
 * times are made up.
 */
const LONG_AGO_MS = Date.UTC(2001, 0, 1);
const MUCH_LATER_MS = 20 * 365 * DAY_MS;
const CALLER: Caller = { kind: 'operator' };

const STAGES_OF: Readonly<Record<Part, readonly NamedStage[]>> = {
  structural: STAGES.filter(({ name }) => name === 'structural'),
  keyword: semanticOnly({ keyword: true, vector: false }),
  vector: semanticOnly({ keyword: false, vector: true }),
};

export async function evaluate(
  agent: EvalAgent,
  dataset: Dataset,
  embedders: readonly Embedder[],
  options: MeasureOptions,
): Promise<RecallEvaluation> {
  const results: EmbedderResult[] = [];
  for (const embedder of embedders) {
    results.push(await measure(agent, dataset, embedder, options));
  }
  return {
    dataset: dataset.name,
    embedders: results,
    bm25: scoresOf(dataset.projects.flatMap(floor)),
  };
}

/** At most `limit` questions, taken from the projects in turn order. */
export function limited(dataset: Dataset, limit: number | undefined): Dataset {
  let left = limit ?? Number.POSITIVE_INFINITY;
  const projects = dataset.projects.flatMap((project) => {
    const questions = project.questions.slice(0, left);
    left -= questions.length;
    return questions.length === 0 ? [] : [{ ...project, questions }];
  });
  return { ...dataset, projects };
}

function floor({ memories, questions }: EvalProject): Ranking[] {
  const search = createBm25(memories);
  return questions.map(({ text, relevant }) => ({ found: search(text, FOUND), relevant }));
}

async function measure(
  agent: EvalAgent,
  dataset: Dataset,
  embedder: Embedder,
  { parts, say }: MeasureOptions,
): Promise<EmbedderResult> {
  const whole: (Ranking & { difficulty: Difficulty | undefined })[] = [];
  const alone: Record<Part, Ranking[]> = { structural: [], keyword: [], vector: [] };
  const answered: Ranking[] = [];
  const believed: Believed[] = [];
  let silent = 0;
  const times: number[] = [];
  for (const [index, project] of dataset.projects.entries()) {
    const startMs = performance.now();
    const open = await agent.open(`${dataset.name} ${index}`, embedder);
    const names = await storeAll(open, project);
    const storedMs = performance.now() - startMs;
    for (const { text, relevant, difficulty } of project.questions) {
      const askedMs = performance.now();
      const hits = await askHits(open, names, text, RANKED);
      times.push(performance.now() - askedMs);
      whole.push({ found: hits.map(({ id }) => id), relevant, difficulty });
      believed.push(...believedOf(hits, relevant));
      answered.push({ found: await ask(open, names, text, { limit: 10 }), relevant });
      if (!parts) continue;
      for (const part of PARTS) {
        const stages = STAGES_OF[part];
        const partly = await ask(open, names, text, { ...RANKED, stages });
        alone[part].push({ found: partly, relevant });
      }
    }
    for (const text of UNRELATED) {
      if ((await ask(open, names, text, { limit: 5 })).length === 0) silent += 1;
      believed.push(...believedOf(await askHits(open, names, text, RANKED), new Map()));
    }
    await open.stop();
    const label = `${dataset.name} ${index + 1}/${dataset.projects.length} ${embedder.id}`;
    const perMemory = (storedMs / project.memories.length).toFixed(1);
    say(
      `${label}: ${project.memories.length} stored (${perMemory} ms each), ${project.questions.length} asked`,
    );
  }
  const graded = DIFFICULTIES.flatMap((difficulty) => {
    const rankings = whole.filter((ranking) => ranking.difficulty === difficulty);
    return rankings.length === 0 ? [] : [[difficulty, scoresOf(rankings)] as const];
  });
  return {
    id: embedder.id,
    ...scoresOf(whole),
    msPerQuery: timesOf(times),
    floor: {
      recall5: scoresOf(answered).recall['5'],
      recall10: scoresOf(answered).recall['10'],
      unrelated: UNRELATED.length * dataset.projects.length,
      silent,
      calibrationError: calibrationError(believed),
    },
    ...(parts
      ? {
          parts: {
            structural: scoresOf(alone.structural),
            keyword: scoresOf(alone.keyword),
            vector: scoresOf(alone.vector),
          },
        }
      : {}),
    ...(graded.length > 0 ? { byDifficulty: Object.fromEntries(graded) } : {}),
  };
}

/** Stores in time order, and leaves the clock where the questions are asked. Printed id → id. */
async function storeAll({ service, clock }: OpenProject, project: EvalProject) {
  const names = new Map<string, string>();
  const printed = new Map<string, string>();
  let nowMs = LONG_AGO_MS;
  for (const { id, atMs, draft } of project.memories) {
    nowMs = atMs ?? nowMs + MINUTE_MS;
    clock.nowMs = nowMs;
    const stored = await service.store(linked(draft, printed), CALLER);
    if (names.has(stored.memory_id)) throw new Error(`two memories print as ${stored.memory_id}`);
    names.set(stored.memory_id, id);
    printed.set(id, stored.memory_id);
  }
  const timed = project.memories.some(({ atMs }) => atMs !== undefined);
  clock.nowMs = nowMs + (timed ? DAY_MS : MUCH_LATER_MS);
  return names;
}

/** Links of a draft name ids of the set; the store knows its own. */
function linked(
  draft: Record<string, unknown>,
  printed: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { links } = draft;
  if (typeof links !== 'object' || links === null) return draft;
  const nameOf = (ref: unknown) => printed.get(String(ref)) ?? ref;
  const known = Object.entries(links).map(([type, refs]): [string, unknown] => [
    type,
    Array.isArray(refs) ? refs.map(nameOf) : nameOf(refs),
  ]);
  return { ...draft, links: Object.fromEntries(known) };
}

interface Asked {
  limit: number;
  min_confidence?: number;
  stages?: readonly NamedStage[];
}

/** For the order of what is found, which the floor has nothing to do with. */
const RANKED: Asked = { limit: FOUND, min_confidence: 0 };

/** What a hit was believed to be, and what it is. */
interface Believed {
  confidence: number;
  isRight: boolean;
}

const BINS = 10;

/** How far confidence is from how often it is right, on average over ten bins of confidence. */
export function calibrationError(believed: readonly Believed[]): number {
  let error = 0;
  for (let bin = 0; bin < BINS; bin += 1) {
    const some = believed.filter(
      ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin,
    );
    const gap = some.reduce(
      (sum, { confidence, isRight }) => sum + confidence - Number(isRight),
      0,
    );
    error += Math.abs(gap) / Math.max(1, believed.length);
  }
  return error;
}

/** Of the first five; facts are certain and say nothing about the probabilities. */
function believedOf(hits: readonly Hit[], relevant: Ranking['relevant']): Believed[] {
  return hits
    .slice(0, 5)
    .filter(({ fuzzy }) => fuzzy)
    .map(({ id, confidence }) => ({ confidence, isRight: relevant.has(id) }));
}

interface Hit {
  id: string;
  confidence: number;
  fuzzy: boolean;
}

async function ask(...asked: Parameters<typeof askHits>): Promise<string[]> {
  return (await askHits(...asked)).map(({ id }) => id);
}

async function askHits(
  { service }: OpenProject,
  names: ReadonlyMap<string, string>,
  query: string,
  { stages, ...asked }: Asked,
): Promise<Hit[]> {
  const result = await service.recall({ query, ...asked, depth: 'summary' }, CALLER, {
    counted: false,
    ...(stages === undefined ? {} : { stages }),
  });
  return result.memories.map(({ memory_id, confidence, fuzzy }) => ({
    id: names.get(memory_id) ?? memory_id,
    confidence,
    fuzzy,
  }));
}

function semanticOnly(parts: { keyword: boolean; vector: boolean }): NamedStage[] {
  return STAGES.filter(({ name }) => name === 'semantic').map((stage) => ({
    ...stage,
    run: semanticStage(parts),
  }));
}
