/** What a library is searched with. Each is made from the one before: it costs what has changed. */
import { yieldToLoop } from '../../shared/yield.js';
import { createMemo, type Memo } from '../memo.js';
import type { Library } from '../types.js';
import { type Document, documentsOf, FIELDS, labelOf, type Texts } from './documents.js';
import {
  type Analysis,
  type Analyzed,
  analysisOf,
  createKeywordIndex,
  type KeywordIndex,
  wordsOf,
} from './keyword-index.js';
import { createLikeness, type Likeness, type Look, lookOf } from './likeness.js';
import { changePostings, type Postings, type Source } from './postings.js';
import { changeRows, NO_ROWS, type Row, type Rows } from './rows.js';
import { createSuggester, piecesIn, type Suggester } from './suggest.js';
import {
  changeVocabulary,
  createVariants,
  NO_WORDS,
  type Variants,
  type Vocabulary,
} from './variants.js';

/** The part of the embedder that is used here (the port of the embeddings room fits). */
export interface MatchEmbedder {
  readonly id: string;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/** A document and its place in what is searched, which counts by slots. */
export interface Placed extends Pick<Document, 'section' | 'entry'> {
  slot: number;
  analyzed: Analyzed;
}

/** Never changes. */
export interface SearchIndex {
  /** In the order that decides between equals. */
  documents: readonly Placed[];
  /** Slots there are, free ones, too. */
  slots: number;
  keyword: KeywordIndex;
  variants: Variants;
  suggester: Suggester;
  /** `null`: the model failed; words alone still find. */
  likeness: Likeness | null;
}

/** Builds one index after another. */
export interface SearchIndexBuilder {
  build(library: Library, embedder: MatchEmbedder): Promise<SearchIndex>;
}

/** What the next index is made from. */
interface Base {
  rows: Rows;
  words: Postings;
  pieces: Postings;
  vocabulary: Vocabulary;
  searched: Pick<SearchIndex, 'keyword' | 'variants'> | null;
  likeness: Likeness | null;
}

/** Texts and documents between two turns of the event loop: some milliseconds. */
const TEXTS = 12;
const LOOKS = 400;

export function createSearchIndexBuilder(): SearchIndexBuilder {
  const analyses = createMemo<Analysis>();
  let vectors = { model: '', of: createMemo<Float32Array>() };
  let base: Base = {
    rows: NO_ROWS,
    words: new Map(),
    pieces: new Map(),
    vocabulary: NO_WORDS,
    searched: null,
    likeness: null,
  };

  function analyzedOf(texts: Texts): { analyzed: Analyzed; characters: number } {
    let characters = 0;
    const of = (text: string): Analysis => {
      const known = analyses.get(text);
      if (known !== undefined) return known;
      const analysis = analysisOf(text);
      characters += text.length;
      analyses.set(text, analysis);
      return analysis;
    };
    const { trigger, header, description, path, head, body } = texts;
    const analyzed = {
      trigger: of(trigger),
      header: of(header),
      description: of(description),
      path: of(path),
      head: of(head),
      body: of(body),
    };
    return { analyzed, characters };
  }

  /** `false`: the model failed; what is embedded by now is kept. */
  async function embedAll(
    texts: ReadonlySet<string>,
    embedder: MatchEmbedder,
    of: Memo<Float32Array>,
  ): Promise<boolean> {
    const missing = [...texts].filter((text) => of.get(text) === undefined);
    try {
      for (let at = 0; at < missing.length; at += TEXTS) {
        const some = missing.slice(at, at + TEXTS);
        const embedded = await embedder.embed(some);
        for (const [place, text] of some.entries()) {
          const vector = embedded[place];
          if (vector !== undefined) of.set(text, vector);
        }
        await yieldToLoop();
      }
      return true;
    } catch {
      // The chain of the embeddings room logs why.
      return false;
    }
  }

  async function likenessOf(
    { slots, inOrder, come, gone }: Rows,
    before: Likeness | null,
    embedder: MatchEmbedder,
  ): Promise<Likeness | null> {
    const { id } = embedder;
    if (vectors.model !== id) vectors = { model: id, of: createMemo() };
    const same = before?.model === id ? before : null;
    if (same !== null && come.length + gone.length === 0) return same;
    const { of } = vectors;
    const isNew = new Set(come);
    const looks = slots.map((row, slot) =>
      row === undefined || isNew.has(row) ? undefined : same?.looks[slot],
    );
    const lacking = inOrder.filter(({ slot }) => looks[slot] === undefined);
    const wanted = new Set(lacking.flatMap(comparedTexts));
    if (!(await embedAll(wanted, embedder, of))) return null;
    for (const [at, row] of lacking.entries()) {
      const look = lookAt(row, id, of.get);
      if (look === null) return null;
      looks[row.slot] = look;
      if (at % LOOKS === LOOKS - 1) await yieldToLoop();
    }
    of.tidy(2 * inOrder.length, () => inOrder.flatMap(comparedTexts));
    return createLikeness(id, looks);
  }

  return {
    async build(library, embedder) {
      const before = base;
      const documents = documentsOf(library);
      await yieldToLoop();
      const rows = await changeRows(before.rows, documents, analyzedOf);
      const { inOrder, slots } = rows;
      analyses.tidy(FIELDS.length * inOrder.length, () =>
        inOrder.flatMap(({ texts }) => Object.values(texts)),
      );
      const isSame = rows.come.length + rows.gone.length === 0;
      const words = await changePostings(before.words, changeOf(rows, wordsIn));
      const pieces = await changePostings(before.pieces, changeOf(rows, triggerIn));
      const vocabulary = changeVocabulary(before.vocabulary, words);
      let searched = isSame ? before.searched : null;
      if (searched === null) {
        const keyword = createKeywordIndex(
          words.postings,
          slots.map((row) => row?.analyzed),
        );
        searched = { keyword, variants: createVariants(keyword, vocabulary) };
        await yieldToLoop();
      }
      const likeness = await likenessOf(rows, before.likeness, embedder);
      base = {
        rows,
        words: words.postings,
        pieces: pieces.postings,
        vocabulary,
        searched,
        likeness,
      };
      return {
        ...searched,
        documents: documents.flatMap(({ section, entry }, at) => {
          const row = inOrder[at];
          return row === undefined
            ? []
            : [{ section, entry, slot: row.slot, analyzed: row.analyzed }];
        }),
        slots: slots.length,
        suggester: createSuggester(spelledIn(documents, inOrder), pieces.postings),
        likeness,
      };
    },
  };
}

function changeOf({ come, gone }: Rows, sourceOf: (row: Row) => Source[]) {
  return { come: come.flatMap(sourceOf), gone: gone.flatMap(sourceOf) };
}

function wordsIn({ slot, analyzed }: Row): Source[] {
  return [wordsOf(slot, analyzed)];
}

function triggerIn({ slot, spelling }: Row): Source[] {
  return spelling === null ? [] : [piecesIn(slot, spelling)];
}

function spelledIn(documents: readonly Document[], rows: readonly Row[]) {
  return documents.flatMap(({ entry }, at) => {
    const row = rows[at];
    if (entry === null || row === undefined || row.spelling === null) return [];
    return [{ slot: row.slot, entry, spelling: row.spelling }];
  });
}

/** What names a document, and how it begins. */
function comparedTexts({ texts }: Row): [label: string, head: string] {
  return [labelOf(texts), `${texts.header}\n${texts.head}`];
}

function lookAt(
  row: Row,
  model: string,
  vectorOf: (text: string) => Float32Array | undefined,
): Look | null {
  const [label, head] = comparedTexts(row).map(vectorOf);
  return label === undefined || head === undefined ? null : lookOf(model, label, head);
}
