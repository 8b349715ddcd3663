/**
 * The knowledge of one `/when` index, ready to be asked: parsed, linked and indexed from what was read,
 * and parsed again only where that changed. It needs no host: the Eliza service keeps one in line with the
 * files.
 */
import { yieldToLoop } from '../shared/async.js';
import { createFileMentions, type FileMentions } from './file-mentions.js';
import { parseDecisionFile, parseIndex } from './index-file.js';
import { buildLibrary } from './library.js';
import type { Matcher } from './match/matcher.js';
import { commandOf } from './related.js';
import { createResolver, FLOOR } from './resolve.js';
import {
  type DecisionFile,
  type DiskState,
  EMPTY_INDEX,
  type IndexDocument,
  type Library,
  type LinkedEntry,
  type Recall,
  type Request,
  type Section,
} from './types.js';

/** An entry that bears on something that was said or touched. */
export interface Relevant {
  entry: LinkedEntry;
  section: Section;
  /** `/when writing mock tests` */
  command: string;
  confidence: number;
  /** In words: "names src/auth.ts", "like “…”". */
  reasons: string[];
}

/** From this confidence on an entry may be offered unasked for what somebody said. */
export const OFFER_BAR = 0.77;
/** How sure it has to be: an offer comes unasked, a line of the index is only listed. */
export type Bar = 'offer' | 'listing';

export type WhenIndex = ReturnType<typeof createWhenIndex>;

/** A file that an entry's section names: sure, but less so than a command. */
const NAMED_FILE = 0.9;
const MAX_TEXT = 2_000;
/** Parsed between two turns of the event loop, characters: some milliseconds. */
const CHARACTERS = 200_000;

/** @param matcher nothing else may load it */
export function createWhenIndex(matcher: Matcher) {
  let library: Library = { index: EMPTY_INDEX, files: [], entries: [], warnings: [] };
  let mentions: Promise<FileMentions> | null = null;
  const resolver = createResolver({ library: () => library, rank: matcher.rank });

  async function parsed(files: readonly { path: string; text: string }[]): Promise<DecisionFile[]> {
    const known = new Map(library.files.map((file) => [file.path, file]));
    const all: DecisionFile[] = [];
    let characters = 0;
    for (const { path, text } of files) {
      const before = known.get(path);
      if (before?.text === text) {
        all.push(before);
        continue;
      }
      all.push(parseDecisionFile(path, text));
      characters += text.length;
      if (characters < CHARACTERS) continue;
      characters = 0;
      await yieldToLoop();
    }
    return all;
  }

  async function use(next: Library): Promise<Library> {
    await yieldToLoop();
    await matcher.load(next);
    if (next !== library) mentions = null;
    library = next;
    return next;
  }

  return {
    library: (): Library => library,
    /**
     * Replaces what is known; of the parts in `kept` only the warnings are taken, and what is known of
     * them stays. Calls must not overlap.
     */
    async load(state: DiskState, kept = { index: false, files: false }): Promise<Library> {
      const { index, files } = library;
      const nextIndex = kept.index ? index : indexOf(state.index?.text ?? '', index);
      await yieldToLoop();
      const nextFiles = kept.files ? files : await parsed(state.files);
      await yieldToLoop();
      return use(buildLibrary(nextIndex, nextFiles, state.warnings));
    },
    /** Works out ahead of time what `relevant` needs for files. */
    async prepare(): Promise<void> {
      mentions ??= createFileMentions(library);
      await mentions;
    },
    /** Never throws for what is asked. */
    resolve: (requests: readonly Request[]): Promise<Recall> => resolver.resolve(requests),
    /** What bears on a sentence or on touched files, surest first. */
    async relevant(
      { text, files }: { text: string; files: readonly string[] },
      limit: number,
      bar: Bar,
    ): Promise<Relevant[]> {
      const found = new Map<string, Relevant>();
      if (files.length > 0) {
        mentions ??= createFileMentions(library);
        const named = await mentions;
        for (const path of files) {
          for (const entry of named.of(path)) note(found, entry, NAMED_FILE, `names ${path}`);
        }
      }
      const said = text.trim().slice(0, MAX_TEXT);
      if (said !== '') {
        const floor = bar === 'offer' ? OFFER_BAR : FLOOR;
        for (const { entry, confidence } of matcher.rankSentence(said, limit + found.size)) {
          if (entry !== null && confidence >= floor) {
            note(found, entry, confidence, `${confidence.toFixed(2)} like what was said`);
          }
        }
      }
      return [...found.values()].toSorted((a, b) => b.confidence - a.confidence).slice(0, limit);
    },
  };
}

function note(
  found: Map<string, Relevant>,
  entry: LinkedEntry,
  confidence: number,
  reason: string,
): void {
  const { section } = entry;
  if (section === null) return;
  const key = JSON.stringify([section.file, section.line]);
  const known = found.get(key);
  if (known === undefined) {
    found.set(key, { entry, section, command: commandOf(entry), confidence, reasons: [reason] });
    return;
  }
  known.confidence = Math.max(known.confidence, confidence);
  known.reasons.push(reason);
}

function indexOf(text: string, before: IndexDocument): IndexDocument {
  return before.text === text && text !== '' ? before : parseIndex(text);
}
