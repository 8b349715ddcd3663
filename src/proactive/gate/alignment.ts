/**
 * How much of what is said stands in a text in the same or in other words: every word is set against
 * the word of the other text that is most like it, and the rarer ones count more. Pure.
 */
import { cosinesWith } from '../../embeddings/index.js';
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
/** Terms of memories that there is room for at first. */
const FIRST_ROWS = 1_024;

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

/** Of a memory. */
interface Told {
  /** Where the likeness of each term to every word of the moment begins. */
  rows: number[];
  weights: number[];
}

/** Unit vector of a word, in `into` where that is given and the vector is not kept. */
export type MeaningOf = (word: string, into?: Float32Array) => Float32Array;

/**
 * Words are looked up once for all memories that a moment is compared with, and each text once.
 * @param whole holds all words of the parts that are compared
 */
export function alignWith(whole: Part, meaning: MeaningOf): Aligner {
  const said = [...whole.terms.keys()].slice(0, MOST_SAID);
  const placeOf = new Map(said.map((term, place) => [term, place]));
  const vectors = said.map((term) => meaning(whole.surface.get(term) ?? term));
  const cosines = cosinesWith(vectors);
  const vector = new Float32Array(vectors[0]?.length ?? 0);
  const stride = 4 * Math.ceil(said.length / 4);
  /** By term, where its likeness to each of `said` begins in `likenesses`. */
  const rows = new Map<string, number>();
  const heard = new Map<string, number>();
  let likenesses = new Float32Array(FIRST_ROWS * stride);

  /** Of a term that is written as `word`; each is looked up once. */
  function likeness(term: string, word: string): number {
    const known = rows.get(term);
    if (known !== undefined) return known;
    const from = rows.size * stride;
    if (from + stride > likenesses.length) {
      const larger = new Float32Array(2 * likenesses.length);
      larger.set(likenesses);
      likenesses = larger;
    }
    rows.set(term, from);
    if (stride === 0) return from;
    cosines(meaning(word, vector), likenesses, from);
    for (let at = from; at < from + said.length; at += 1) {
      if ((likenesses[at] as number) < 0) likenesses[at] = 0;
    }
    const place = placeOf.get(term);
    if (place !== undefined) likenesses[from + place] = 1;
    return from;
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
    const all = likenesses;
    const most = new Float32Array(places.length);
    let toldTotal = 0;
    let toldFound = 0;
    let untold = 0;
    for (let term = 0; term < text.rows.length; term += 1) {
      const row = text.rows[term] as number;
      const weight = text.weights[term] as number;
      let best = 0;
      for (let at = 0; at < places.length; at += 1) {
        const value = all[row + (places[at] as number)] as number;
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
      const known = heard.get(term);
      if (known !== undefined) return known;
      const from = likeness(term, word);
      let most = 0;
      for (let at = from; at < from + said.length; at += 1) {
        most = Math.max(most, likenesses[at] as number);
      }
      heard.set(term, most);
      return most;
    },
  };
}
