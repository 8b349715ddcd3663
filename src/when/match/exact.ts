/** Triggers and titles as they are looked up: without a search, and without what a search needs. */
import { addTo } from '../../shared/multimap.js';
import { headerKey, normalizePhrase } from '../phrases.js';
import type { Library, LinkedEntry } from '../types.js';

/** Entries of this trigger, or else of this title; in the order of the index. */
export type Exact = (phrase: string) => LinkedEntry[];

export function createExact({ entries }: Pick<Library, 'entries'>): Exact {
  const linked = entries.filter(({ section }) => section !== null);
  const byPhrase = grouped(linked, ({ phrase }) => normalizePhrase(phrase));
  const byTitle = grouped(linked, ({ header }) => headerKey(header));
  return (phrase) => {
    const wanted = normalizePhrase(phrase);
    if (wanted === '') return [];
    return [...(byPhrase.get(wanted) ?? byTitle.get(headerKey(phrase)) ?? [])];
  };
}

function grouped(entries: readonly LinkedEntry[], keyOf: (entry: LinkedEntry) => string) {
  const groups = new Map<string, LinkedEntry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (key !== '') addTo(groups, key, entry);
  }
  return groups;
}

/** Below it a command is answered with suggestions: most probably no section is about it. */
export const FLOOR = 0.3;
/** From it on an entry may be offered unasked for what somebody said. */
export const OFFER_BAR = 0.77;
