/** By id, file, task type, tags, session, agent: facts, looked up, not guessed. */
import type { Hit } from '../../../records/index.js';
import type { Candidate, Stage } from '../types.js';
import { keywordScores } from './semantic.js';

/** Of so many newest ones the most fitting come first when there are words beside the key. */
const REORDERED = 200;

export const structural: Stage = async (_context, search) => {
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
  const { scores } = keywordScores(shelf, text, within, []);
  return hits
    .map((hit, place) => ({ hit, place, score: scores[hit.slot] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .map(({ hit }) => hit);
}

function exact(id: Candidate['id'], why: string): Candidate {
  return { id, stage: 'structural', confidence: 1, why, fuzzy: false };
}
