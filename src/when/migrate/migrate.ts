/**
 * Brings an index of the old format (`Key — description`) to `/when <trigger> | <header> |
 * <description>` (seed `when-recall.md` §2, §5). A line is rewritten where it stands, and moved only
 * when its section is in another file; what no rule can decide stays as it was and is reported.
 */
import { parseEntryLine, parseIndex, printEntry } from '../index-file.js';
import { buildLibrary } from '../library.js';
import { outlineOf } from '../markdown/headings.js';
import type { DecisionFile, EntryFields, Library, Section, Warning } from '../types.js';
import { arrange, MAX_WORDS, MIN_WORDS, targetsOf, wordCount } from '../validate/index.js';
import { withConsumptionHeader } from './consumption-header.js';
import { createKeyResolver } from './keys.js';
import type { ConvertedEntry, MigrationReport, RemovedSection, UnresolvedEntry } from './report.js';
import { createTriggerNamer, MAX_TRIGGER_WORDS, MIN_TRIGGER_WORDS } from './trigger.js';
import { unclearLines } from './unclear.js';

export interface Migrated {
  text: string;
  report: MigrationReport;
  /** `false`: the text is what it was. */
  changed: boolean;
}

/**
 * Fragments that every conversation has anyway: indexing them is noise (seed §2). The title has to say so:
 * rules of behaviour may be decisions like others.
 */
const ALREADY_LOADED = /^behaviou?ral rules\s*\(.*\b(?:fragments|loaded)\b.*\)$/i;
/** Entries of several files, to be grouped by file. */
const MIXED = /^technical decisions(?:\s*\(.*\))?$/i;
const LINE_PREFIX = /^ {0,3}(?:[-*+][ \t]+)?/;

/**
 * The migrated index. Entries of the new format, remarks, other sections, line ends and everything
 * else keep their bytes, and groups that get entries are in the order of their files; migrating the result
 * changes nothing. Where nothing can be converted and something should be, the index stays as it is.
 * Entries that may lead to a file that could not be read (`unread`, as in the library) are left for the
 * next time. Does no input or output: the caller keeps a copy of the old file.
 */
export function migrateIndex(
  indexText: string,
  files: readonly DecisionFile[],
  unread: readonly Warning[] = [],
): Migrated {
  const sources: Sources = { files, unread };
  const closed = new Set<string>();
  let rewritten = rewrite(indexText, sources, closed);
  let moved = move(rewritten, sources);
  while (moved.stuck.length > 0) {
    // Behind a code fence that is never closed, say: half migrated would be neither old nor new.
    for (const file of moved.stuck) closed.add(file);
    rewritten = rewrite(indexText, sources, closed);
    moved = move(rewritten, sources);
  }
  const { converted } = moved;
  const isStuck = converted.length === 0 && rewritten.unresolved.length > 0;
  const isIndex = parseIndex(indexText).groups.length > 0 || converted.length > 0;
  const header =
    isIndex && !isStuck
      ? withConsumptionHeader(moved.text)
      : { text: indexText, done: 'kept' as const };
  const report: MigrationReport = {
    converted,
    unresolved: rewritten.unresolved,
    removed: isStuck ? [] : rewritten.removed,
    header: header.done,
    replacedHeader: ('replaced' in header ? header.replaced : undefined) ?? null,
    wordCounts: converted
      .filter(({ words }) => words < MIN_WORDS || words > MAX_WORDS)
      .map(({ trigger, words }) => ({ trigger, words })),
  };
  return { text: header.text, report, changed: header.text !== indexText };
}

type Sources = Pick<Library, 'files' | 'unread'>;

const LINES = /(?<=\r\n|\n|\r(?!\n))/;

/** Lines of a section that is loaded anyway, 1-based, both included. */
interface LoadedSection {
  title: string;
  line: number;
  last: number;
}

function loadedSections(text: string): LoadedSection[] {
  const { headings, starts } = outlineOf(text);
  const found: LoadedSection[] = [];
  for (const { level, title, line, end } of headings) {
    if (level < 2 || !ALREADY_LOADED.test(title) || line <= (found.at(-1)?.last ?? 0)) continue;
    const next = starts.findIndex((start) => start >= end);
    found.push({ title, line, last: next < 0 ? starts.length : next });
  }
  return found;
}

function isIn(line: number, sections: readonly LoadedSection[]): boolean {
  return sections.some((one) => line >= one.line && line <= one.last);
}

/** Without those of its loaded sections (counted from 0) that lead nowhere. */
function withoutLoaded(text: string, removable: ReadonlySet<number>): string {
  const sections = loadedSections(text).filter((_, at) => removable.has(at));
  return text
    .split(LINES)
    .filter((_, at) => !isIn(at + 1, sections))
    .join('');
}

interface Rewritten {
  text: string;
  converted: { entry: ConvertedEntry; section: Section }[];
  unresolved: UnresolvedEntry[];
  /** Entries of the new format in sections that are loaded anyway: they go to the groups of their files. */
  leaving: { line: number; phrase: string; section: Section }[];
  /** Which of the loaded sections lead nowhere without these and the converted ones, counted from 0. */
  removable: ReadonlySet<number>;
  removed: RemovedSection[];
}

function rewrite(text: string, { files, unread }: Sources, closed: ReadonlySet<string>): Rewritten {
  const library = buildLibrary(parseIndex(text), files, unread);
  const { index } = library;
  const resolve = createKeyResolver(library);
  const namer = createTriggerNamer(index.entries.map(({ phrase }) => phrase));
  const lines = text.split(LINES);
  const converted: Rewritten['converted'] = [];
  const unresolved: UnresolvedEntry[] = [];
  const loaded = loadedSections(text);
  const targets = targetsOf(library);
  const taken = new Set(targets.map(({ section }) => idOf(section)));
  const leaving = targets.flatMap(({ entry, section }) =>
    isIn(entry.line, loaded) && !closed.has(section.file)
      ? [{ line: entry.line, phrase: entry.phrase, section }]
      : [],
  );
  for (const legacy of index.legacy) {
    const found = resolve(legacy);
    const { line } = legacy;
    const left = (reason: UnresolvedEntry['reason'], suggestions: string[]) => {
      const { key, description, group } = legacy;
      unresolved.push({ line, key, description, group, reason, suggestions });
    };
    if ('reason' in found) {
      left(found.reason, found.suggestions);
      continue;
    }
    const { section, moved } = found;
    if (moved && closed.has(section.file)) {
      left('unwritable', []);
      continue;
    }
    if (taken.has(idOf(section))) {
      left('has_entry', []);
      continue;
    }
    const rest = wordCount({ phrase: '', header: section.title, description: legacy.description });
    const room = Math.min(MAX_TRIGGER_WORDS, Math.max(MIN_TRIGGER_WORDS, MAX_WORDS - rest));
    const { phrase, doubts } = namer.name(section.title, legacy.description, section.file, room);
    const fields: EntryFields = {
      prefix: 'when',
      phrase,
      header: section.title,
      description: legacy.description,
    };
    const entry = printEntry(fields);
    if (parseEntryLine(entry) === null) {
      left('unwritable', []);
      continue;
    }
    taken.add(idOf(section));
    const old = lines[legacy.line - 1] ?? '';
    const prefix = LINE_PREFIX.exec(old)?.[0] ?? '';
    lines[legacy.line - 1] = prefix + entry + (/[\r\n]+$/.exec(old)?.[0] ?? '');
    converted.push({
      section,
      entry: {
        line,
        key: legacy.key,
        trigger: phrase,
        header: section.title,
        file: section.file,
        moved,
        words: wordCount(fields),
        doubts,
      },
    });
  }
  const isMigrated = index.legacy.length === 0 && index.entries.length > 0;
  for (const { reason, ...unclear } of unclearLines(library)) {
    // Remarks have dashes, too: in an index of the new format only what names a section counts.
    if (reason !== 'malformed' && isMigrated && 'reason' in resolve(unclear)) continue;
    unresolved.push({ ...unclear, reason, suggestions: [] });
  }
  unresolved.sort((a, b) => a.line - b.line);

  const kept = [
    ...unresolved.filter(({ reason }) => LEADS.has(reason)),
    ...targets.map(({ entry }) => entry),
  ].map(({ line }) => line);
  const going = new Set(
    [...leaving, ...converted.map(({ entry }) => entry)].map(({ line }) => line),
  );
  const removable = new Set<number>();
  const removed = loaded.flatMap((section, at): RemovedSection[] => {
    if (kept.some((line) => isIn(line, [section]) && !going.has(line))) return [];
    removable.add(at);
    const { title, line, last } = section;
    const own = lines.map((one, index) => ({ line: index + 1, text: one.replace(/[\r\n]+$/, '') }));
    const gone = own.slice(line - 1, last).filter((one) => !going.has(one.line));
    return [{ title, line, lines: gone.map((one) => one.text) }];
  });
  const gone = loaded.filter((_, at) => removable.has(at));
  return {
    text: lines.join(''),
    converted,
    leaving,
    removable,
    removed,
    // What goes with its section needs nobody's decision.
    unresolved: unresolved.filter(({ line }) => !isIn(line, gone)),
  };
}

/** Of lines that were left: they lead to a section all the same, or may. */
const LEADS: ReadonlySet<UnresolvedEntry['reason']> = new Set([
  'ambiguous_header',
  'unread_file',
  'unwritable',
]);

function idOf({ file, line }: Section): string {
  return `${file}\n${line}`;
}

/**
 * Puts entries into the groups of their files, drops sections that are loaded anyway and headings of mixed
 * groups that are empty now. `stuck`: files whose groups could not be written to.
 */
function move(
  { text, converted: all, leaving, removable }: Rewritten,
  { files, unread }: Sources,
): { text: string; converted: ConvertedEntry[]; stuck: string[] } {
  const converted = all.map(({ entry }) => entry);
  const tidy = (index: string) => withoutEmptyMixed(withoutLoaded(index, removable));
  if (converted.length === 0 && leaving.length === 0) {
    return { text: tidy(text), converted, stuck: [] };
  }
  const moving = new Map<string, Section>();
  for (const { phrase, section } of leaving) moving.set(phrase, section);
  for (const { entry, section } of all) if (entry.moved) moving.set(entry.trigger, section);
  const placed = arrange(buildLibrary(parseIndex(text), files, unread), {
    which: ({ phrase }) => moving.has(phrase),
    sorted: true,
    known: ({ phrase }) => moving.get(phrase),
    tidy,
  });
  const arrived = new Set(
    buildLibrary(parseIndex(placed), files)
      .entries.filter(({ section }) => section !== null)
      .map(({ phrase }) => phrase),
  );
  const missing = [...moving].filter(([phrase]) => !arrived.has(phrase));
  return {
    text: withoutEmptyMixed(placed),
    converted,
    stuck: missing.map(([, { file }]) => file),
  };
}

function withoutEmptyMixed(text: string): string {
  const { headings } = outlineOf(text);
  let result = text;
  for (const heading of headings.toReversed()) {
    if (heading.level < 2 || !MIXED.test(heading.title)) continue;
    if (text.slice(heading.bodyStart, heading.end).trim() !== '') continue;
    result = result.slice(0, heading.start) + result.slice(heading.end);
  }
  // Without any group, prose that has dashes would be taken for entries.
  const prose = parseIndex(result).legacy.length > parseIndex(text).legacy.length;
  return prose ? text : result;
}
