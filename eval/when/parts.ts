/** Small indexes: random parts of a large one, and what is asked of them. Pure. */
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import type { Library, LinkedEntry, Section } from '../../src/when/types.js';
import type { Asked, WhenDataset } from './dataset.js';

/** Gives whole numbers below another, the same ones in every run. */
export type Chance = (below: number) => number;

/** Where a question that nothing answers comes from. */
export type Source = 'right' | 'removed' | 'offTopic' | 'borrowed';

export interface Question extends Asked {
  source: Source;
}

export interface Part {
  library: Library;
  questions: Question[];
  messages: Question[];
}

/** Of what is about sections that are not in the part, and of words put where they do not belong. */
const REMOVED = 40;
const REMOVED_MESSAGES = 25;
const BORROWED = 60;
const BORROWED_MESSAGES = 20;
const LETTERS = 3;

export function chanceFrom(seed: number): Chance {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** @param size entries; `null`: all of it */
export function partOf(dataset: WhenDataset, size: number | null, chance: Chance): Part {
  const linked = dataset.library.entries.filter(({ section }) => section !== null);
  const entries = size === null ? linked : shuffled(linked, chance).slice(0, size);
  const library = size === null ? dataset.library : libraryOf(entries);
  const now = new Map(
    library.files.flatMap(({ sections }) => sections.map((section) => [keyOf(section), section])),
  );
  const here = ({ section }: Asked) => section !== null && now.has(keyOf(section));
  const right = (asked: readonly Asked[]) =>
    asked.filter(here).map(({ text, section }) => ({
      text,
      section: section === null ? null : (now.get(keyOf(section)) ?? null),
      source: 'right' as const,
    }));
  const removed = (asked: readonly Asked[], most: number) =>
    shuffled(
      asked.filter((one) => one.section !== null && !here(one)),
      chance,
    )
      .slice(0, most)
      .map(({ text }) => nothing(text, 'removed'));
  const borrowed = (frames: readonly string[], most: number) =>
    frames.length === 0
      ? []
      : Array.from({ length: most }, (_, at) => {
          const frame = frames[at % frames.length] ?? '';
          return nothing(frame.replace('%', someWord(entries, chance)), 'borrowed');
        });
  const { unrelated, sentences, offTopic } = dataset;
  return {
    library,
    questions: [
      ...right(dataset.pairs),
      ...removed(dataset.pairs, REMOVED),
      ...[...unrelated.map(({ text }) => text), ...offTopic.questions].map((text) =>
        nothing(text, 'offTopic'),
      ),
      ...borrowed(offTopic.borrowed.questions, BORROWED),
    ],
    messages: [
      ...right(sentences),
      ...removed(sentences, REMOVED_MESSAGES),
      ...sentences
        .filter(({ section }) => section === null)
        .map(({ text }) => nothing(text, 'offTopic')),
      ...offTopic.messages.map((text) => nothing(text, 'offTopic')),
      ...borrowed(offTopic.borrowed.messages, BORROWED_MESSAGES),
    ],
  };
}

function nothing(text: string, source: Source): Question {
  return { text, section: null, source };
}

/** Each entry with its section, in the files they are in; nothing else. */
function libraryOf(entries: readonly LinkedEntry[]): Library {
  const byFile = new Map<string, LinkedEntry[]>();
  for (const entry of entries) {
    const file = entry.section?.file ?? '';
    byFile.set(file, [...(byFile.get(file) ?? []), entry]);
  }
  const index = [...byFile].map(([file, some]) =>
    [
      `## ${file}\n`,
      ...some.map(
        ({ prefix, phrase, section, description }) =>
          `/${prefix} ${phrase} | ${section?.title} | ${description}`,
      ),
    ].join('\n'),
  );
  const files = [...byFile].map(([file, some]) => {
    const sections = new Set(some.flatMap(({ section }) => section ?? []));
    // Headings below would be sections of their own, also where their section is not wanted.
    const texts = [...sections].map(
      ({ title, content }) => `## ${title}\n${content.replace(/^#{2,6} /gm, '')}`,
    );
    return parseDecisionFile(file, texts.join('\n\n'));
  });
  return buildLibrary(parseIndex(index.join('\n\n')), files);
}

function someWord(entries: readonly LinkedEntry[], chance: Chance): string {
  const { phrase = '', section } = entries[chance(entries.length)] ?? {};
  const words = `${phrase} ${section?.title ?? ''}`
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > LETTERS);
  return words[chance(words.length)] ?? '';
}

function keyOf({ file, title }: Section): string {
  return `${file}\n${title}`;
}

function shuffled<T>(all: readonly T[], chance: Chance): T[] {
  const list = [...all];
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = chance(at + 1);
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
}
