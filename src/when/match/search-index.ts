/** What a library is searched with; built in small steps, from parts kept since the last time. */
import { yieldToLoop } from '../../shared/yield.js';
import type { Library } from '../types.js';
import { type Analysis, analysisOf } from './analysis.js';
import { type Document, documentsOf, labelOf } from './documents.js';
import { type Analyzed, createKeywordIndex, type KeywordIndex } from './keyword-index.js';
import { createLikeness, type Likeness } from './likeness.js';
import { createVariants, type Variants } from './variants.js';

/** The part of the embedder that is used here (the port of the embeddings room fits). */
export interface MatchEmbedder {
  readonly id: string;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

export interface SearchIndex {
  documents: readonly Document[];
  analyzed: readonly Analyzed[];
  keyword: KeywordIndex;
  variants: Variants;
  /** `null`: the model failed; words alone still find. */
  likeness: Likeness | null;
}

/** Builds one index after another; what did not change is neither analyzed nor embedded again. */
export interface SearchIndexBuilder {
  build(library: Library, embedder: MatchEmbedder): Promise<SearchIndex>;
}

/** Work between two turns of the event loop, a few milliseconds each: characters, documents, texts. */
const CHARACTERS = 15_000;
const DOCUMENTS = 50;
const TEXTS = 12;

export function createSearchIndexBuilder(): SearchIndexBuilder {
  let analyses = new Map<string, Analysis>();
  let vectors = { model: '', of: new Map<string, Float32Array>() };

  async function analyzeAll(documents: readonly Document[]): Promise<Analyzed[]> {
    const kept = new Map<string, Analysis>();
    let characters = 0;
    const analyzed = (text: string): Analysis => {
      const known = kept.get(text) ?? analyses.get(text);
      if (known === undefined) characters += text.length;
      const analysis = known ?? analysisOf(text);
      kept.set(text, analysis);
      return analysis;
    };
    const all: Analyzed[] = [];
    for (const { texts } of documents) {
      all.push({
        trigger: analyzed(texts.trigger),
        header: analyzed(texts.header),
        description: analyzed(texts.description),
        path: analyzed(texts.path),
        head: analyzed(texts.head),
        body: analyzed(texts.body),
      });
      if (characters < CHARACTERS) continue;
      characters = 0;
      await yieldToLoop();
    }
    analyses = kept;
    return all;
  }

  async function embedAll(documents: readonly Document[], embedder: MatchEmbedder) {
    const before = vectors.model === embedder.id ? vectors.of : new Map<string, Float32Array>();
    await yieldToLoop();
    const labels = documents.map(labelOf);
    const heads = documents.map(({ texts }) => `${texts.header}\n${texts.head}`);
    const wanted = new Set([...labels, ...heads]);
    const missing = [...wanted].filter((text) => !before.has(text));
    const kept = new Map([...before].filter(([text]) => wanted.has(text)));
    await yieldToLoop();
    try {
      for (let at = 0; at < missing.length; at += TEXTS) {
        const texts = missing.slice(at, at + TEXTS);
        const embedded = await embedder.embed(texts);
        for (const [index, text] of texts.entries()) {
          const vector = embedded[index];
          if (vector !== undefined) kept.set(text, vector);
        }
        await yieldToLoop();
      }
    } catch {
      // The chain of the embeddings room logs why; what is embedded by now is kept for the next time.
      vectors = { model: embedder.id, of: kept };
      return null;
    }
    vectors = { model: embedder.id, of: kept };
    const of = (texts: readonly string[]) => texts.flatMap((text) => kept.get(text) ?? []);
    const label = of(labels);
    const head = of(heads);
    if (label.length < documents.length || head.length < documents.length) return null;
    return createLikeness(embedder.id, label, head);
  }

  return {
    async build(library, embedder) {
      const documents = documentsOf(library);
      await yieldToLoop();
      const analyzed = await analyzeAll(documents);
      const keyword = createKeywordIndex(analyzed);
      for (const [at, document] of analyzed.entries()) {
        keyword.add(document);
        if (at % DOCUMENTS === DOCUMENTS - 1) await yieldToLoop();
      }
      const index = keyword.done();
      await yieldToLoop();
      const variants = createVariants(index.postings);
      const likeness = await embedAll(documents, embedder);
      return { documents, analyzed, keyword: index, variants, likeness };
    },
  };
}
