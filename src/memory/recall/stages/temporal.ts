/**
 * "What did we do yesterday?": what lies in the time that was named, most fitting or newest first. Without
 * a time, the newest that pass the filters.
 */
import type { Uuid } from '../../../shared/ids.js';
import { bestOf } from '../fusion.js';
import type { RecallRequest } from '../request.js';
import type { Stage } from '../types.js';
import { keywordScores, newerIn } from './semantic.js';

const CONFIDENCE = 0.9;

export const temporal: Stage = async (_context, { request, shelf, within, range, room, text }) => {
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
  // Beside a time there are words: only what has some of them is an answer.
  const { scores, touched } = keywordScores(shelf, text, within, []);
  const best = bestOf({ scores, touched: [...touched] }, room, newerIn(shelf));
  return {
    candidates: best.map((slot) => candidate(shelf.idOf(slot), `${why}, and its words`)),
    total: touched.length,
  };
};

function whyOf({ since, before, failures_only }: RecallRequest): string {
  if (since !== undefined || before !== undefined) return 'the time asked for';
  return failures_only ? 'the newest failures' : 'the newest that succeeded';
}
