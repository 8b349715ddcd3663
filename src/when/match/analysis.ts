/** The words of a text: counted for search, in order for neighbours. */
import { analyze } from '../../shared/text.js';

export interface Analysis {
  /** As `analyze` gives them, in order. */
  words: readonly string[];
  /** Each word once, in order of first appearance. */
  terms: readonly string[];
  /** How often each of `terms` stands there. */
  counts: Uint16Array;
}

const NOTHING: Analysis = { words: [], terms: [], counts: new Uint16Array(0) };
const MOST_COUNTED = 65_535;

export function analysisOf(text: string): Analysis {
  if (text === '') return NOTHING;
  const words = analyze(text);
  const counted = new Map<string, number>();
  for (const word of words) counted.set(word, (counted.get(word) ?? 0) + 1);
  return {
    words,
    terms: [...counted.keys()],
    counts: Uint16Array.from(counted.values(), (count) => Math.min(count, MOST_COUNTED)),
  };
}
