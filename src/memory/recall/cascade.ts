/**
 * Ordered stages, most precise first (seed rum-architecture §3): a stage runs only while the earlier
 * ones left room, and what they found stands first.
 */

import { causal } from './stages/causal.js';
import { semantic } from './stages/semantic.js';
import { structural } from './stages/structural.js';
import { temporal } from './stages/temporal.js';
import type { Candidate, Search, Stage, StageContext, StageName } from './types.js';

export interface NamedStage {
  name: StageName;
  run: Stage;
  /** Whether it has anything to do for this question. */
  applies(search: Search): boolean;
}

export interface CascadeResult {
  found: Candidate[];
  /** Of the stage that answers with facts, if it found any; else of what was found. */
  total: number;
  stages: { name: StageName; ms: number; found: number }[];
  degraded: string[];
}

const isExact = ({ memoryId, keys }: Search) => memoryId !== null || keys.length > 0;

const isTimed = ({ range, request }: Search) =>
  range !== null || request.since !== undefined || request.before !== undefined;

/** Without words nothing can be alike: facts answer, whatever the strategy. */
const isFactual = ({ request, text }: Search) => request.strategy !== 'semantic' || text === '';

export const STAGES: readonly NamedStage[] = [
  {
    name: 'structural',
    run: structural,
    applies: (search) => isExact(search) && isFactual(search),
  },
  {
    name: 'temporal',
    run: temporal,
    // A key beside the time: the structural stage has looked within it already. Filters alone, without
    // words, ask for the newest that pass.
    applies: (search) =>
      !isExact(search) && isFactual(search) && (search.text === '' || isTimed(search)),
  },
  {
    name: 'causal',
    run: causal,
    // Beside an id only when links are wanted: who names one memory means that one.
    applies: ({ request, found, memoryId }) =>
      request.strategy === 'auto' &&
      found.length > 0 &&
      (memoryId === null || request.include_links),
  },
  {
    name: 'semantic',
    run: semantic,
    applies: ({ request, text, memoryId }) =>
      request.strategy !== 'exact' && text !== '' && memoryId === null,
  },
];

/** Their totals are of all that fit. At most one of them runs. */
const FACTUAL: ReadonlySet<StageName> = new Set(['structural', 'temporal']);

/** @param clock milliseconds for the stages' durations; fractions are kept */
export async function runCascade(
  context: StageContext,
  search: Search,
  clock: () => number,
  stages: readonly NamedStage[] = STAGES,
): Promise<CascadeResult> {
  const found: Candidate[] = [];
  const ran: CascadeResult['stages'] = [];
  const degraded: string[] = [];
  const least = search.request.min_confidence ?? 0;
  let facts = 0;
  let others = 0;
  for (const stage of stages) {
    const room = search.request.limit - found.length;
    const asked = { ...search, found, room };
    if (room <= 0 || !stage.applies(asked)) continue;
    const startMs = clock();
    const { candidates, ...result } = await stage.run(context, asked);
    const sure = candidates.filter(({ confidence }) => confidence >= least);
    ran.push({
      name: stage.name,
      ms: Math.round((clock() - startMs) * 100) / 100,
      found: sure.length,
    });
    found.push(...sure);
    if (FACTUAL.has(stage.name)) facts += result.total;
    else others += result.total;
    if (result.degraded !== undefined) degraded.push(result.degraded);
  }
  // What is linked or alike is looked for only where there is room: with it, the limit would count.
  const total = facts > 0 ? facts : Math.max(others, found.length);
  return { found, total, stages: ran, degraded };
}
