/**
 * An index and its decision files as a project has them: sixteen sections a file, four by four below
 * structural headings, an entry for each section. The same for the same size in every process.
 */
import { printEntry } from '../../src/when/index-file.js';
import type { EntryFields } from '../../src/when/types.js';
import { drawsOf, someWord } from '../memory/workload.js';

/** 400 entries have 25 files, 4,000 have 250. */
export const PER_FILE = 16;
const PER_GROUP = 4;
const VERBS =
  'writing adding choosing debugging splitting naming testing configuring reviewing migrating ' +
  'deploying measuring parsing caching validating removing';
const verbs = VERBS.split(' ');

type Random = () => number;

export interface Item {
  entry: EntryFields;
  /** Path of its decision file. */
  file: string;
  /** Title of the structural section above it. */
  group: string;
  body: string;
  /** A source file that the body names. */
  names: string;
}

export interface Folder {
  items: readonly Item[];
  index: string;
  files: readonly { path: string; text: string }[];
}

export function folderOf(size: number): Folder {
  const random = drawsOf('when folder');
  const taken = new Set<string>();
  const items = Array.from({ length: size }, (_, at) => itemAt(at, random, taken));
  const paths = [...new Set(items.map(({ file }) => file))];
  const byFile = new Map(paths.map((path) => [path, items.filter(({ file }) => file === path)]));
  return {
    items,
    index: indexText(byFile),
    files: [...byFile].map(([path, own]) => ({ path, text: fileText(path, own) })),
  };
}

/** The text of a file after its first section was edited for the `times`th time. */
export function edited(text: string, times: number): string {
  return text.replace(/^Revised \d+ times\.$/m, `Revised ${times} times.`);
}

/** What is asked in a series. */
export function asked({ items }: Folder, name: string) {
  const random = drawsOf(`when ${name}`);
  const some = (): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('a folder without entries');
    return item;
  };
  const exact = () => some().entry.phrase;
  const hybrid = () => inOtherWords(some(), random);
  const section = () => `§ ${some().group}`;
  const file = () => `§ ${some().file}`;
  return {
    exact,
    hybrid,
    section,
    file,
    sourceFile: () => some().names,
    /** Words that are in no text; only their spelling can be like that of a trigger. */
    miss: () => [0, 1, 2].map(() => [...someWord(random)].reverse().join('')).join(' '),
    /** Five different ones. */
    batch: () => {
      const lines = new Set([exact(), hybrid(), section()]);
      while (lines.size < 5) lines.add(exact());
      return ['/when', ...lines].join('\n- ');
    },
    /** A message in which one sentence is about an entry. */
    sentence: () =>
      `thanks, that was quick! I will go on with ${inOtherWords(some(), random)} this afternoon. The rest can wait until Monday.`,
  };
}

/** Two words of the trigger, half of the description in another order, and one word that is wrong. */
function inOtherWords({ entry }: Item, random: Random): string {
  const kept = entry.description.split(' ').filter((_, place) => place % 2 === 0);
  return [...entry.phrase.split(' ').slice(1, 3), ...kept.reverse(), someWord(random)].join(' ');
}

function itemAt(at: number, random: Random, taken: Set<string>): Item {
  const words = (count: number) => Array.from({ length: count }, () => someWord(random));
  let phrase = '';
  do {
    phrase = [verbs[Math.floor(random() * verbs.length)], ...words(3)].join(' ');
  } while (taken.has(phrase));
  taken.add(phrase);
  const [, ...subject] = phrase.split(' ');
  const group = Math.floor(at / PER_GROUP);
  const names = `src/${words(1)[0]}/${words(1)[0]}-${at}.ts`;
  return {
    entry: {
      prefix: 'when',
      phrase,
      header: `${capital(subject.join(' '))} ${at}`,
      description: words(6).join(' '),
    },
    file: `${someTopic(Math.floor(at / PER_FILE))}.md`,
    group: `.Part ${group}`,
    body: bodyOf(words, 3 + Math.floor(random() * 4), names),
    names,
  };
}

function bodyOf(words: (count: number) => string[], paragraphs: number, names: string): string {
  const lines = Array.from({ length: paragraphs }, () => `${capital(words(18).join(' '))}.`);
  const code = `\`\`\`ts\n// # ${words(3).join(' ')}\nconst ${words(1)[0]} = "${words(2).join(' ')}";\n\`\`\``;
  return ['Revised 0 times.', ...lines, `As in \`${names}\`.`, code].join('\n\n');
}

function indexText(byFile: ReadonlyMap<string, readonly Item[]>): string {
  const groups = [...byFile].map(
    ([path, items]) =>
      `## decisions/${path}\n\n${items.map(({ entry }) => printEntry(entry)).join('\n')}`,
  );
  return `# Memory Index\n\n${groups.join('\n\n')}\n`;
}

function fileText(path: string, items: readonly Item[]): string {
  const parts = [`# ${path.replace('.md', '')}`];
  for (const [at, { group, entry, body }] of items.entries()) {
    if (items[at - 1]?.group !== group) parts.push(`## ${group}`);
    parts.push(`### ${entry.header}`, body);
  }
  return `${parts.join('\n\n')}\n`;
}

function someTopic(at: number): string {
  return `topic-${String(at).padStart(3, '0')}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
