/**
 * Phrase → sections: exactly by trigger (or title), else ranked by words and likeness with a
 * confidence, else triggers that are spelled alike.
 */
import { DIMENSION } from '../../embeddings/offline.js';
import { yieldToLoop } from '../../shared/yield.js';
import type { Library, LinkedEntry, Section } from '../types.js';
import { confidenceOfAnswer, confidenceOfOffer, type Evidence, evidenceOf } from './confidence.js';
import { createExact, type Exact } from './exact.js';
import { queryOf, search } from './search.js';
import { createSearchIndexBuilder, type MatchEmbedder, type SearchIndex } from './search-index.js';

export { FLOOR, OFFER_BAR } from './exact.js';
export type { MatchEmbedder } from './search-index.js';

export interface Ranked {
  section: Section;
  /** `null`: no entry leads there. */
  entry: LinkedEntry | null;
  /** 0 to 1, calibrated; only the first one of a command may be compared with `FLOOR`. */
  confidence: number;
  /** Orders the sections of one list; means nothing beyond it. */
  score: number;
}

export interface Matcher {
  /**
   * Replaces what is searched; until then the library before answers. Only what changed is analyzed
   * and embedded, in steps of a few milliseconds. Of overlapping calls the last one counts. A model
   * that fails is done without until the next call.
   */
  load(library: Library): Promise<void>;
  /** Entries of this trigger, or else of this title; in the order of the index. */
  exact(phrase: string): LinkedEntry[];
  /** What answers a command best; each section once. Equals stand as in the index. */
  rank(query: string, limit: number): Promise<Ranked[]>;
  /** What is worth showing to whoever said this; `confidence` compares with `OFFER_BAR`. */
  rankSentence(text: string, limit: number): Promise<Ranked[]>;
  /** Entries whose triggers are spelled alike, closest first. */
  suggest(query: string, limit: number): Promise<LinkedEntry[]>;
}

export interface MatcherDeps {
  /** The model that serves now; vectors of another are not compared with its. */
  embedder: () => MatchEmbedder;
}

interface State {
  index: SearchIndex;
  exact: Exact;
}

/** Hits beyond those wanted: several entries may lead to one section. */
const SPARE = 20;
/** Sentences of a message that are looked at. */
const MOST_SENTENCES = 8;

export function createMatcher({ embedder }: MatcherDeps): Matcher {
  const builder = createSearchIndexBuilder();
  let state: State | null = null;
  let latest = 0;

  async function found(
    index: SearchIndex,
    text: string,
    limit: number,
    confidenceOf: (evidence: Evidence) => number,
  ): Promise<Ranked[]> {
    if (text.trim() === '') return [];
    const vector = await vectorOf(text, index, embedder());
    // Unasked offers were wrong more often with the second model.
    const counts = confidenceOf === confidenceOfOffer ? firstOf(vector) : vector;
    const query = queryOf(text, index, counts);
    const hits = eachSectionOnce(
      search(index, query, SPARE + 2 * limit),
      index,
      Math.max(limit, 2),
    );
    const best = hits[0]?.hit.score ?? 0;
    const second = hits[1]?.hit.score ?? 0;
    return hits.slice(0, limit).map(({ hit, section, entry }, place) => {
      const others = { best, rival: place === 0 ? second : best };
      const confidence = confidenceOf(evidenceOf(hit, query, index, others));
      return { section, entry, confidence, score: hit.score };
    });
  }

  return {
    async load(library) {
      latest += 1;
      const mine = latest;
      const index = await builder.build(library, embedder());
      await yieldToLoop();
      const exact = createExact(library);
      await yieldToLoop();
      if (mine === latest) state = { index, exact };
    },
    exact(phrase) {
      return state?.exact(phrase) ?? [];
    },
    async rank(query, limit) {
      return state === null ? [] : found(state.index, query, limit, confidenceOfAnswer);
    },
    async rankSentence(text, limit) {
      if (state === null) return [];
      const all: Ranked[] = [];
      for (const sentence of sentencesOf(text)) {
        all.push(...(await found(state.index, sentence, limit, confidenceOfOffer)));
      }
      const seen = new Set<Section>();
      return all
        .sort((a, b) => b.confidence - a.confidence)
        .filter(({ section }) => !seen.has(section) && seen.add(section))
        .slice(0, limit);
    },
    async suggest(query, limit) {
      return state?.index.suggester.suggest(query, limit) ?? [];
    },
  };
}

function eachSectionOnce(
  hits: ReturnType<typeof search>,
  { documents }: SearchIndex,
  limit: number,
) {
  const seen = new Set<Section>();
  const first = [];
  for (const hit of hits) {
    const document = documents[hit.at];
    if (document === undefined || seen.has(document.section)) continue;
    seen.add(document.section);
    first.push({ hit, section: document.section, entry: document.entry });
    if (first.length >= limit) break;
  }
  return first;
}

/** Of a joint vector the first model's part. */
function firstOf(vector: Float32Array | null): Float32Array | null {
  return vector?.map((value, at) => (at < DIMENSION ? value : 0)) ?? null;
}

/** `null` where there is nothing to compare it with. */
async function vectorOf(text: string, { likeness }: SearchIndex, embedder: MatchEmbedder) {
  if (likeness === null || likeness.model !== embedder.id) return null;
  try {
    const [vector] = await embedder.embed([text]);
    return vector ?? null;
  } catch {
    return null;
  }
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?:;])\s+|\n+/)
    .filter((sentence) => sentence.trim() !== '')
    .slice(0, MOST_SENTENCES);
}
