/** "What did we do yesterday?": what lies in the time that was named, most fitting or newest first. */
import type { Stage } from '../types.js';
import { keywordScores } from './semantic.js';

const CONFIDENCE = 0.9;

export const temporal: Stage = async (
  _context,
  { shelf, filter, keys, range, request, room, text, found },
) => {
  const limited = request.since !== undefined || request.before !== undefined;
  if (range === null && !limited) return { candidates: [], total: 0 };
  const known = new Set(found.map(({ id }) => id));
  const within = {
    ...filter,
    ...(keys.length > 0 ? { keysAll: [...(filter.keysAll ?? []), ...keys] } : {}),
    ...(range === null
      ? {}
      : {
          sinceMs: Math.max(range.sinceMs, filter.sinceMs ?? 0),
          beforeMs: Math.min(range.beforeMs, filter.beforeMs ?? Number.POSITIVE_INFINITY),
        }),
  };
  const why = range === null ? 'the time asked for' : range.words;
  const candidate = (id: (typeof found)[number]['id'], words: string) => ({
    id,
    stage: 'temporal' as const,
    confidence: CONFIDENCE,
    why: words,
    fuzzy: false,
  });
  if (text === '') {
    const { hits, total } = shelf.newest(within, room + known.size);
    const fresh = hits.filter(({ id }) => !known.has(id)).slice(0, room);
    return { candidates: fresh.map(({ id }) => candidate(id, why)), total };
  }
  // Beside a time there are words: only what has some of them is an answer.
  const { scores, touched } = keywordScores(shelf, text, within, []);
  const ranked = [...touched]
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || shelf.timeOf(b) - shelf.timeOf(a))
    .map((slot) => shelf.idOf(slot))
    .filter((id) => !known.has(id));
  return {
    candidates: ranked.slice(0, room).map((id) => candidate(id, `${why}, and its words`)),
    total: ranked.length,
  };
};
