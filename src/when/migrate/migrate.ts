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

/** Fragments that every conversation has anyway: indexing them is noise (seed §2). */
const ALREADY_LOADED = /^behaviou?ral rules(?:\s*\(.*\))?$/i;
/** Entries of several files, to be grouped by file. */
const MIXED = /^technical decisions(?:\s*\(.*\))?$/i;
const LINE_PREFIX = /^ {0,3}(?:[-*+][ \t]+)?/;

/**
 * The migrated index. Entries of the new format, remarks, other sections, line ends and everything
 * else keep their bytes; migrating the result changes nothing. Entries that may lead to a file that
 * could not be read (`unread`, as in the library) are left for the next time. Does no input or output:
 * the caller keeps a copy of the old file.
 */
export function migrateIndex(
  indexText: string,
  files: readonly DecisionFile[],
  unread: readonly Warning[] = [],
): Migrated {
  const sources: Sources = { files, unread };
  const cut = withoutLoaded(indexText);
  const closed = new Set<string>();
  let rewritten = rewrite(cut.text, sources, cut.lineOf, closed);
  let moved = move(rewritten, sources);
  while (moved.stuck.length > 0) {
    // Behind a code fence that is never closed, say: half migrated would be neither old nor new.
    for (const file of moved.stuck) closed.add(file);
    rewritten = rewrite(cut.text, sources, cut.lineOf, closed);
    moved = move(rewritten, sources);
  }
  const isIndex = parseIndex(indexText).groups.length > 0 || rewritten.converted.length > 0;
  const header = isIndex
    ? withConsumptionHeader(moved.text)
    : { text: indexText, done: 'kept' as const };
  const report: MigrationReport = {
    converted: moved.converted,
    unresolved: rewritten.unresolved,
    removed: cut.removed,
    header: header.done,
    replacedHeader: ('replaced' in header ? header.replaced : undefined) ?? null,
    wordCounts: moved.converted
      .filter(({ words }) => words < MIN_WORDS || words > MAX_WORDS)
      .map(({ trigger, words }) => ({ trigger, words })),
  };
  return { text: header.text, report, changed: header.text !== indexText };
}

type Sources = Pick<Library, 'files' | 'unread'>;

const LINES = /(?<=\r\n|\n|\r(?!\n))/;

/** Without the sections that are loaded anyway; `lineOf`: lines of the old text by those of the new. */
function withoutLoaded(text: string): {
  text: string;
  removed: RemovedSection[];
  lineOf(line: number): number;
} {
  const { headings, starts } = outlineOf(text);
  const lines = text.split(LINES);
  const removed: RemovedSection[] = [];
  const gone = new Set<number>();
  for (const heading of headings) {
    if (heading.level < 2 || !ALREADY_LOADED.test(heading.title) || gone.has(heading.line))
      continue;
    const next = starts.findIndex((start) => start >= heading.end);
    const last = next < 0 ? lines.length : next;
    for (let line = heading.line; line <= last; line += 1) gone.add(line);
    removed.push({
      title: heading.title,
      line: heading.line,
      lines: lines.slice(heading.line - 1, last).map((one) => one.replace(/[\r\n]+$/, '')),
    });
  }
  const kept = lines.map((_, at) => at + 1).filter((line) => !gone.has(line));
  return {
    text: kept.map((line) => lines[line - 1]).join(''),
    removed,
    lineOf: (line) => kept[line - 1] ?? line,
  };
}

interface Rewritten {
  text: string;
  converted: { entry: ConvertedEntry; section: Section }[];
  unresolved: UnresolvedEntry[];
}

function rewrite(
  text: string,
  { files, unread }: Sources,
  lineOf: (line: number) => number,
  closed: ReadonlySet<string>,
): Rewritten {
  const library = buildLibrary(parseIndex(text), files, unread);
  const { index } = library;
  const resolve = createKeyResolver(library);
  const namer = createTriggerNamer(index.entries.map(({ phrase }) => phrase));
  const lines = text.split(LINES);
  const converted: Rewritten['converted'] = [];
  const unresolved: UnresolvedEntry[] = [];
  const taken = new Set(targetsOf(library).map(({ section }) => idOf(section)));
  for (const legacy of index.legacy) {
    const found = resolve(legacy);
    const line = lineOf(legacy.line);
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
  for (const { reason, ...unclear } of unclearLines(index)) {
    // Remarks have dashes, too: without anything of the old format only what names a section counts.
    if (index.legacy.length === 0 && 'reason' in resolve(unclear)) continue;
    const { key, description, group } = unclear;
    const line = lineOf(unclear.line);
    unresolved.push({ line, key, description, group, reason, suggestions: [] });
  }
  unresolved.sort((a, b) => a.line - b.line);
  return { text: lines.join(''), converted, unresolved };
}

function idOf({ file, line }: Section): string {
  return `${file}\n${line}`;
}

/**
 * Puts entries into the groups of their files, and drops headings of mixed groups that are empty
 * now. `stuck`: files whose groups could not be written to.
 */
function move(
  rewritten: Rewritten,
  { files, unread }: Sources,
): { text: string; converted: ConvertedEntry[]; stuck: string[] } {
  const sections = new Map<string, Section>();
  for (const { entry, section } of rewritten.converted) {
    if (entry.moved) sections.set(entry.trigger, section);
  }
  const converted = rewritten.converted.map(({ entry }) => entry);
  if (sections.size === 0) {
    return { text: withoutEmptyMixed(rewritten.text), converted, stuck: [] };
  }
  const known = ({ phrase }: EntryFields) => sections.get(phrase);
  const library = buildLibrary(parseIndex(rewritten.text), files, unread);
  const text = arrange(library, {
    which: ({ phrase }) => sections.has(phrase),
    sorted: false,
    known,
    tidy: withoutEmptyMixed,
  });
  const placed = buildLibrary(parseIndex(text), files).entries;
  const arrived = new Set(
    placed.filter(({ section }) => section !== null).map(({ phrase }) => phrase),
  );
  const missing = converted.filter(({ moved, trigger }) => moved && !arrived.has(trigger));
  return {
    text: withoutEmptyMixed(text),
    converted,
    stuck: missing.map(({ file }) => file),
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
