/**
 * Ordered stages, most precise first (seed rum-architecture §3): a stage runs only while the earlier
 * ones left room, and what they found stands first.
 */

import type { Hit } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import { MAX_HOPS, walkCauses } from '../graph.js';
import { printIn } from '../ids.js';
import { bestOf, highest } from './fusion.js';
import type { RecallRequest } from './request.js';
import { newerIn, semantic, wholeFit } from './semantic.js';
import { termsOf } from './terms.js';
import type { Candidate, Search, Stage, StageContext, StageName } from './types.js';

/** Of what lies in the time that was named. */
const CONFIDENCE = 0.9;
/** Share of the score of the best memory of any time, from which one of the named time is an answer. */
const FITTING = 0.7;

/**
 * "What did we do yesterday?": what lies in the time that was named, most fitting or newest first. Without
 * a time, the newest that pass the filters.
 */
const temporal: Stage = async (context, search) => {
  const { request, shelf, within, range, room, text } = search;
  const why = range === null ? whyOf(request) : range.words;
  const candidate = (id: Uuid, words: string) => ({
    id,
    stage: 'temporal' as const,
    confidence: CONFIDENCE,
    why: words,
    fuzzy: false,
  });
  if (text === '') {
    const { hits, total } = shelf.newest(within, room);
    return { candidates: hits.map(({ id }) => candidate(id, why)), total };
  }
  // Beside a time there are words: only what has some of them, and fits them, is an answer. The time may
  // be that of something else ("before the meeting on Monday"): then the semantic stage tells the order.
  const worded = shelf.keyword(termsOf(text), within);
  const { fused, degraded } = await wholeFit(context, search);
  // Where only facts are wanted, no stage comes after this one.
  const least = request.strategy === 'exact' ? 0 : FITTING * highest(fused);
  const fitting = worded.touched.filter((slot) => (fused.scores[slot] as number) >= least);
  worded.release();
  const best = bestOf({ scores: fused.scores, touched: fitting }, room, newerIn(shelf));
  return {
    candidates: best.map((slot) => candidate(shelf.idOf(slot), `${why}, and its words`)),
    total: fitting.length,
    ...(degraded === undefined ? {} : { degraded }),
  };
};

function whyOf({ since, before, failures_only }: RecallRequest): string {
  if (since !== undefined || before !== undefined) return 'the time asked for';
  return failures_only ? 'the newest failures' : 'the newest that succeeded';
}

/** Of so many newest ones the most fitting come first when there are words beside the key. */
const REORDERED = 200;

/** By id, file, task type, tags, session, agent: facts, looked up, not guessed. */
const structural: Stage = async (_context, search) => {
  const { shelf, within, keys, memoryId, room, range } = search;
  if (memoryId !== null) {
    return { candidates: [exact(memoryId, 'its id')], total: 1 };
  }
  if (keys.length === 0) return { candidates: [], total: 0 };
  const wanted = search.text === '' ? room : Math.max(room, REORDERED);
  const { hits, total } = shelf.byKeys(keys, within, wanted);
  const ordered = search.text === '' ? hits : byWords(hits, search);
  const named = keys.map((key) => key.replace(':', ' '));
  const why = [...named, ...(range === null ? [] : [range.words])].join(', ');
  return { candidates: ordered.slice(0, room).map(({ id }) => exact(id, why)), total };
};

/** Those that share words with the question first, else newest first. */
function byWords(hits: readonly Hit[], { shelf, within, text }: Parameters<Stage>[1]): Hit[] {
  const words = shelf.keyword(termsOf(text), within);
  const scored = hits.map((hit, place) => ({ hit, place, score: words.scores[hit.slot] ?? 0 }));
  words.release();
  return scored.sort((a, b) => b.score - a.score || a.place - b.place).map(({ hit }) => hit);
}

function exact(id: Candidate['id'], why: string): Candidate {
  return { id, stage: 'structural', confidence: 1, why, fuzzy: false };
}

/** Walks begin at so many of the best. */
const SEEDS = 3;
/** Confidence lost with each hop. */
const FADING = 0.8;

/** What led to the memories found so far, and what they led to: at most five hops (DESIGN §7). */
const causal: Stage = async ({ records }, { found, filter, reader, room, shelf }) => {
  const accepts = shelf.accepts(filter);
  const known = new Set(found.map(({ id }) => id));
  const reached: Candidate[] = [];
  for (const seed of found.slice(0, SEEDS)) {
    const { steps } = await walkCauses({ records }, seed.id, reader, {
      direction: 'both',
      maxHops: MAX_HOPS,
    });
    for (const { id, hops, from, link } of steps) {
      if (hops === 0 || known.has(id) || !fits(id)) continue;
      known.add(id);
      const relation = link === 'caused_by' ? 'a cause of' : 'came of';
      reached.push({
        id,
        stage: 'causal',
        confidence: Math.round(FADING ** hops * 100) / 100,
        why: from === null ? 'linked' : `${relation} ${printIn(records, 'memory', from)}`,
        fuzzy: false,
      });
    }
  }
  reached.sort((a, b) => b.confidence - a.confidence);
  return { candidates: reached.slice(0, room), total: reached.length };

  function fits(id: Candidate['id']): boolean {
    const slot = shelf.slotOf(id);
    return slot === undefined || accepts(slot);
  }
};

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
  (await search.made.fit)?.release();
  return { found, total, stages: ran, degraded };
}
