/**
 * How much of what is said stands in a text in the same or in other words: every word is set against
 * the word of the other text that is most like it, and the rarer ones count more. Pure.
 */
import { cosines } from '../../embeddings/index.js';
import { type Part, remembering } from './text.js';

/** Two texts compared word by word; shares are 0 to 1, weights are rarities. */
export interface Alignment {
  /** Share of what is said that is told, too, and the heaviest that is not. */
  said: number;
  unsaid: number;
  /** The same the other way round. */
  told: number;
  untold: number;
  /** Weight of what is said and told, too. */
  common: number;
}

/** Of a moment; what comes later in a long message is compared by whole texts alone. */
const MOST_SAID = 40;
/** Of a memory. */
const MOST_TOLD = 80;

export interface Aligner {
  /** @param part of the moment */
  compare(part: Part, told: Part): Alignment;
  /** Likeness of a word to the most like one of the moment, 0 to 1. */
  heard(term: string, word: string): number;
}

/** The terms of a text that are compared, with what each weighs. */
interface Terms {
  /** Of a part of the moment: place of each in the whole. */
  places: Int32Array;
  weights: Float64Array;
}

/** Of a memory: likeness of each term to every word of the moment. */
interface Told {
  rows: Float32Array[];
  weights: number[];
}

/**
 * Words are looked up once for all memories that a moment is compared with, and each text once.
 * @param whole holds all words of the parts that are compared
 * @param meaning unit vector of a word
 */
export function alignWith(whole: Part, meaning: (word: string) => Float32Array): Aligner {
  const said = [...whole.terms.keys()].slice(0, MOST_SAID);
  const placeOf = new Map(said.map((term, place) => [term, place]));
  const vectors = said.map((term) => meaning(whole.surface.get(term) ?? term));
  const rows = new Map<string, Float32Array>();
  const heard = new Map<string, number>();

  /** Of a term that is written as `word`; each is looked up once. */
  function likeness(term: string, word: string): Float32Array {
    const known = rows.get(term);
    if (known) return known;
    const row = cosines(vectors, meaning(word));
    for (let place = 0; place < row.length; place += 1) {
      if (said[place] === term) row[place] = 1;
      else if ((row[place] as number) < 0) row[place] = 0;
    }
    rows.set(term, row);
    return row;
  }

  const saidIn = remembering((part: Part): Terms => {
    const found = [...part.terms].flatMap(([term, weight]) => {
      const place = placeOf.get(term);
      return place === undefined ? [] : [{ place, weight }];
    });
    return {
      places: Int32Array.from(found, ({ place }) => place),
      weights: Float64Array.from(found, ({ weight }) => weight),
    };
  });

  const toldIn = remembering((told: Part): Told => {
    const found: Told = { rows: [], weights: [] };
    for (const [term, weight] of told.terms) {
      if (found.rows.length === MOST_TOLD) break;
      found.rows.push(likeness(term, told.surface.get(term) ?? term));
      found.weights.push(weight);
    }
    return found;
  });

  function compare(part: Part, told: Part): Alignment {
    const { places, weights } = saidIn(part);
    const text = toldIn(told);
    const most = new Float32Array(places.length);
    let toldTotal = 0;
    let toldFound = 0;
    let untold = 0;
    for (let term = 0; term < text.rows.length; term += 1) {
      const row = text.rows[term] as Float32Array;
      const weight = text.weights[term] as number;
      let best = 0;
      for (let at = 0; at < places.length; at += 1) {
        const value = row[places[at] as number] as number;
        if (value > best) best = value;
        if (value > (most[at] as number)) most[at] = value;
      }
      toldTotal += weight;
      toldFound += weight * best;
      untold = Math.max(untold, weight * (1 - best));
    }
    let total = 0;
    let found = 0;
    let common = 0;
    let unsaid = 0;
    for (let at = 0; at < places.length; at += 1) {
      const weight = weights[at] as number;
      const best = most[at] as number;
      total += weight;
      found += weight * best;
      common += weight * best * best;
      unsaid = Math.max(unsaid, weight * (1 - best));
    }
    return {
      said: total === 0 ? 0 : found / total,
      unsaid,
      told: toldTotal === 0 ? 0 : toldFound / toldTotal,
      untold,
      common,
    };
  }

  return {
    compare,
    heard(term, word) {
      const most = heard.get(term) ?? likeness(term, word).reduce((a, b) => Math.max(a, b), 0);
      heard.set(term, most);
      return most;
    },
  };
}
