/** What led to the memories found so far, and what they led to: at most five hops (DESIGN §7). */
import { MAX_HOPS, walkCauses } from '../../graph.js';
import { printIn } from '../../ids.js';
import type { Candidate, Stage } from '../types.js';

/** Walks begin at so many of the best. */
const SEEDS = 3;
/** Confidence lost with each hop. */
const FADING = 0.8;

export const causal: Stage = async ({ records }, { found, filter, reader, room, shelf }) => {
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
