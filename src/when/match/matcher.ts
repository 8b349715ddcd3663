/** Phrase → sections, ranked with a confidence: what triggers and titles do not name. */
import type { StaticModel } from '../../embeddings/offline.js';
import type { Library, LinkedEntry, Section } from '../types.js';
import { confidenceOfAnswer, confidenceOfOffer, createJudge, type Evidence } from './confidence.js';
import { createSearchIndex, type Hit } from './search-index.js';

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
  /** Replaces what is searched; until then the library before answers. Calls must not overlap. */
  load(library: Library): Promise<void>;
  /** What answers a command best; each section once. Equals stand as in the index. */
  rank(query: string, limit: number): Ranked[];
  /** What is worth showing to whoever said this; `confidence` compares with `OFFER_BAR`. */
  rankSentence(text: string, limit: number): Ranked[];
}

/** Sentences of a message that are looked at. */
const MOST_SENTENCES = 8;

export function createMatcher(model: StaticModel): Matcher {
  const index = createSearchIndex(model);
  const judge = createJudge(model, index);

  function found(
    text: string,
    limit: number,
    confidenceOf: (evidence: Evidence) => number,
  ): Ranked[] {
    const query = index.query(text);
    const hits = eachSectionOnce(index.search(query), Math.max(limit, 2));
    return hits.slice(0, limit).map((hit, place) => {
      const rival = hits[place === 0 ? 1 : 0]?.score ?? 0;
      const { section, entry } = hit.document;
      return {
        section,
        entry,
        confidence: confidenceOf(judge(hit, query, rival)),
        score: hit.score,
      };
    });
  }

  return {
    load: (library) => index.load(library),
    rank: (query, limit) => found(query, limit, confidenceOfAnswer),
    rankSentence(text, limit) {
      const best = new Map<Section, Ranked>();
      for (const sentence of sentencesOf(text)) {
        for (const one of found(sentence, limit, confidenceOfOffer)) {
          const known = best.get(one.section);
          if (known === undefined || known.confidence < one.confidence) best.set(one.section, one);
        }
      }
      return [...best.values()].sort((a, b) => b.confidence - a.confidence).slice(0, limit);
    },
  };
}

function eachSectionOnce(hits: readonly Hit[], limit: number): Hit[] {
  const first = new Map<Section, Hit>();
  for (const hit of hits) {
    if (first.size === limit) break;
    if (!first.has(hit.document.section)) first.set(hit.document.section, hit);
  }
  return [...first.values()];
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?:;])\s+|\n+/)
    .filter((sentence) => sentence.trim() !== '')
    .slice(0, MOST_SENTENCES);
}
