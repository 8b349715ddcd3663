/**
 * The index that questions are ranked with: the word index of the records catalog, and a vector of
 * the built-in model for each document. Words say what is meant exactly, vectors what is meant in other
 * words. Both scores are absolute, so that few common words cannot outweigh a text that means the same.
 */
import type { StaticModel } from '../../embeddings/offline.js';
import { BlockPool, Words } from '../../records/offline.js';
import { yieldToLoop } from '../../shared/async.js';
import { editDistance } from '../../shared/edit-distance.js';
import { addTo } from '../../shared/multimap.js';
import { analyze, analyzeQuery, wordsWithTerms } from '../../shared/text.js';
import type { Library, LinkedEntry, Section } from '../types.js';

export interface Placed extends Document {
  slot: number;
  /** Sum of the vectors of trigger, label and beginning of the text: the product is a sum of cosines. */
  vector: Float32Array;
}

/** A word of a question. */
export interface Term {
  /** As `analyze` gives it. */
  term: string;
  /** As it was written, in lower case. */
  word: string;
  /** What it counts: less for what a mistyped word may have been meant to be. */
  share: number;
  /** Some document has it. */
  isKnown: boolean;
}

export interface Query {
  terms: readonly Term[];
  vector: Float32Array;
}

export interface Hit {
  document: Placed;
  /** Only comparable within one search. */
  score: number;
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** What is worked out of the documents of one library, as plain numbers and texts. */
export interface SavedSearch {
  words: readonly string[];
  /** Of each word: where its list begins, the documents that have it, the last one's number + 1. */
  lists: Int32Array;
  /** The lists, one behind the other. */
  bytes: Uint8Array;
  lengths: Int32Array;
  /** Of all documents, one behind the other. */
  vectors: Float32Array;
}

const LIST_NUMBERS = 3;

/** How often a word counts that stands there once; chosen with `NEAR` on half of the paraphrases. */
const WEIGHTS: Readonly<Record<keyof Texts, number>> = {
  trigger: 2,
  header: 2,
  description: 3,
  path: 1,
  text: 1,
};
/** Of the cosines, beside the share of the question's words that is found. */
const NEAR = 0.3;
/** Characters in which a section says what it is about. */
const BEGINNING = 600;
const MOST_TERMS = 64;
/** Of a word that the question may mean instead of a mistyped one. */
const MISTYPED = 0.7;
/** Documents and characters analyzed between two turns of the event loop: some milliseconds. */
const STEP = { documents: 25, characters: 15_000 };
/** Removed documents leave slots behind; with more than this beside those in use all is indexed anew. */
const SPARE_SLOTS = 500;

/** Words and documents that belong together; slots are never used again. */
interface State {
  words: Words;
  /** All of them. */
  terms(): readonly string[];
  slots: number;
  documents: readonly Placed[];
  /** Of what was saved: makes words ready that are asked for. Nothing can be added or taken out. */
  ready?(term: string): void;
}

function nothing(): State {
  const words = new Words(new BlockPool(), analyze);
  const { names } = words.postings;
  return { words, terms: () => names.texts(0, names.size), slots: 0, documents: [] };
}

/** A question has a few of thousands of words: only their lists are taken over. */
function savedState({ words: all, lists, bytes, lengths }: SavedSearch): State {
  const state = nothing();
  const { postings } = state.words;
  state.words.load(lengths, () => true);
  return {
    ...state,
    terms: () => all,
    ready(term) {
      const at = postings.names.numberOf(term) === undefined ? all.indexOf(term) : -1;
      if (at < 0) return;
      const [from = 0, count = 0, next = 0] = lists.subarray(LIST_NUMBERS * at);
      const end = lists[LIST_NUMBERS * (at + 1)] ?? bytes.length;
      postings.byName.load(postings.names.intern(term), bytes.subarray(from, end), count, next);
      postings.recount();
    },
  };
}

export function createSearchIndex(model: StaticModel) {
  let state = nothing();
  let mistyped = new Map<string, string | null>();

  function place(target: State, document: Document): Placed {
    const { texts } = document;
    const fields = Object.entries(texts).map(([name, text]) => ({
      text,
      weight: WEIGHTS[name as keyof Texts],
    }));
    const slot = target.slots;
    target.slots += 1;
    target.words.add(slot, target.words.analyze(fields));
    return { ...document, slot, vector: vectorOf(texts) };
  }

  function vectorOf({ trigger, header, description, text }: Texts): Float32Array {
    const label = [trigger, header, description].join('\n');
    const parts = [trigger, label, `${header}\n${text.slice(0, BEGINNING)}`].map(model.embed);
    return Float32Array.from({ length: model.dimension }, (_, at) =>
      parts.reduce((sum, part) => sum + (part[at] ?? 0), 0),
    );
  }

  function documentsWith(term: string): number {
    state.ready?.(term);
    return state.words.documentFrequency(term);
  }

  function termsOf(text: string): Term[] {
    const asked = new Set(analyzeQuery(text));
    const said = [...wordsWithTerms(text)].filter(([term]) => asked.has(term));
    return said.slice(0, MOST_TERMS).map(([term, word]): Term => {
      if (documentsWith(term) > 0) return { term, word, share: 1, isKnown: true };
      const meant = meantInstead(term, word);
      if (meant === null) return { term, word, share: 1, isKnown: false };
      return { term: meant, word, share: MISTYPED, isKnown: true };
    });
  }

  /** A word that the model knows is no mistyped one: "cake" is not "take". */
  function meantInstead(term: string, word: string): string | null {
    if (model.knows(word)) return null;
    const before = mistyped.get(term);
    if (before !== undefined) return before;
    const meant = meantWord(term, state.terms(), documentsWith);
    mistyped.set(term, meant);
    return meant;
  }

  return {
    /** Only documents whose texts changed are analyzed and embedded, in steps of a few milliseconds. */
    async load(library: Library): Promise<void> {
      const next = documentsOf(library);
      const isSparse = state.slots > 2 * next.length + SPARE_SLOTS;
      const target = isSparse || state.ready ? nothing() : state;
      const left = new Map<string, Placed[]>();
      for (const one of target.documents) addTo(left, keyOf(one.texts), one);
      const documents: Placed[] = [];
      let made = 0;
      let characters = 0;
      await yieldToLoop();
      for (const document of next) {
        const key = keyOf(document.texts);
        const same = left.get(key)?.shift();
        documents.push(same ? { ...document, ...kept(same) } : place(target, document));
        if (same) continue;
        made += 1;
        characters += key.length;
        if (made < STEP.documents && characters < STEP.characters) continue;
        made = 0;
        characters = 0;
        await yieldToLoop();
      }
      for (const { slot } of [...left.values()].flat()) target.words.remove(slot);
      target.documents = documents;
      state = target;
      mistyped = new Map();
    },
    /** The same for the very library that was saved. @throws Error where it is another one */
    restore(library: Library, saved: SavedSearch): void {
      const { vectors } = saved;
      const { dimension } = model;
      const documents = documentsOf(library).map((document, slot) => ({
        ...document,
        slot,
        vector: vectors.subarray(slot * dimension, (slot + 1) * dimension),
      }));
      if (vectors.length !== documents.length * dimension) throw new Error('of another library');
      state = { ...savedState(saved), slots: documents.length, documents };
      mistyped = new Map();
    },
    /** What the first `load` has worked out. */
    saved(): SavedSearch {
      const { words, slots, documents } = state;
      const { names, byName } = words.postings;
      const lists = new Int32Array(names.size * LIST_NUMBERS);
      const all: Uint8Array[] = [];
      let from = 0;
      for (let word = 0; word < names.size; word += 1) {
        const { bytes, next } = byName.bytesOf(word);
        lists.set([from, byName.countOf(word), next], word * LIST_NUMBERS);
        from += bytes.length;
        all.push(bytes);
      }
      const vectors = new Float32Array(slots * model.dimension);
      for (const { slot, vector } of documents) vectors.set(vector, slot * model.dimension);
      return {
        ...{ words: names.texts(0, names.size), lists, bytes: Buffer.concat(all) },
        ...{ lengths: words.lengths(slots), vectors },
      };
    },
    query: (text: string): Query => ({ terms: termsOf(text), vector: model.embed(text) }),
    /** Best first; equals as they stand in the library. */
    search({ terms, vector }: Query): Hit[] {
      const weights = new Map<string, number>();
      for (const { term, share } of terms)
        weights.set(term, Math.max(share, weights.get(term) ?? 0));
      const { words, slots, documents } = state;
      const gains = new Float32Array(slots);
      words.score(weights, gains);
      const best = words.best(weights);
      const hits: Hit[] = [];
      for (const document of documents) {
        const near = Math.max(0, product(vector, document.vector));
        const gain = best > 0 ? (gains[document.slot] ?? 0) / best : 0;
        const score = gain + NEAR * near;
        if (score > 0) hits.push({ document, score });
      }
      return hits.sort((a, b) => b.score - a.score);
    },
    /** How many documents there are. */
    get size() {
      return state.documents.length;
    },
    documentsWith,
  };
}

/** Of a document whose texts did not change. */
function kept({ texts, slot, vector }: Placed): Omit<Placed, 'section' | 'entry'> {
  return { texts, slot, vector };
}

function keyOf({ trigger, header, description, path, text }: Texts): string {
  return [trigger, header, description, path, text].join('\0');
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** What a mistyped word was most probably meant to be. Pure. */

/** Mistakes are looked for in words of at least so many letters; in longer ones two. */
const ONE_MISTAKE = 4;
const TWO_MISTAKES = 8;

/** `null`: nothing is spelled like it. @param frequency how often a word of `known` is used; 0: no more */
function meantWord(
  term: string,
  known: readonly string[],
  frequency: (word: string) => number,
): string | null {
  if (term.length < ONE_MISTAKE || /\d/.test(term)) return null;
  const most = term.length >= TWO_MISTAKES ? 2 : 1;
  let best: string | null = null;
  let highest = 0;
  for (const word of known) {
    // A mistake in the first letter is seen by whoever makes it.
    if (word[0] !== term[0] || Math.abs(word.length - term.length) > most) continue;
    if (editDistance(term, word) > most) continue;
    const likely =
      frequency(word) === 0 ? 0 : startShared(term, word) + Math.log(1 + frequency(word));
    if (likely <= highest) continue;
    best = word;
    highest = likely;
  }
  return best;
}

/** Letters that both begin with. */
function startShared(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return same;
}

interface Document {
  section: Section;
  /** `null`: the section has none. */
  entry: LinkedEntry | null;
  texts: Texts;
}

export interface Texts {
  trigger: string;
  header: string;
  description: string;
  /** File and titles that the section stands under. */
  path: string;
  /** Of the section. */
  text: string;
}

/** Characters of a section that are searched; what a megabyte says late is not what it is about. */
const MOST_CHARACTERS = 40_000;

/**
 * In the order that decides between equals: entries as they stand in the index, then sections as
 * they stand in their files. Structural sections only group others and are reached by `§`.
 */
function documentsOf({ entries, files }: Library): Document[] {
  const documents: Document[] = [];
  const led = new Set<Section>();
  for (const entry of entries) {
    if (entry.section === null) continue;
    led.add(entry.section);
    documents.push(documentOf(entry.section, entry, entry.section.content));
  }
  for (const { sections } of files) {
    for (const [at, section] of sections.entries()) {
      if (section.structural || led.has(section)) continue;
      documents.push(documentOf(section, null, ownContent(section, sections[at + 1])));
    }
  }
  return documents;
}

function documentOf(section: Section, entry: LinkedEntry | null, content: string): Document {
  return {
    section,
    entry,
    texts: {
      trigger: entry?.phrase ?? '',
      header: withoutDot(section.title),
      description: entry?.description ?? '',
      path: [section.file.replace(/\.\w+$/, ''), ...section.path.map(withoutDot)].join(' / '),
      text: content.slice(0, MOST_CHARACTERS),
    },
  };
}

/** Without the sections below it, which have documents of their own. */
function ownContent({ content, line, level }: Section, next: Section | undefined): string {
  if (next === undefined || next.level <= level) return content;
  return content.split(/\r?\n/, next.line - line - 1).join('\n');
}

function withoutDot(title: string): string {
  return title.replace(/^\.\s*/, '');
}
