/**
 * Brings an index of the old format (`Key — description`) to `/when <trigger> | <header> |
 * <description>` (seed `when-recall.md` §2, §5). A line is rewritten where it stands and then moved to
 * the group of its section's file; what no rule can decide stays as it was and is reported.
 */
import { parseEntryLine, parseIndex, printEntry } from '../index-file.js';
import { buildLibrary } from '../library.js';
import { outlineOf } from '../markdown/headings.js';
import { arrange, targetsOf } from '../place-entries.js';
import type { DecisionFile, EntryFields, Library, Section } from '../types.js';
import { withConsumptionHeader } from './consumption-header.js';
import { createKeyResolver, unclearLines } from './old-lines.js';
import type { ConvertedEntry, MigrationReport, UnresolvedEntry } from './report.js';
import { createTriggerNamer } from './trigger.js';

export interface MigratedIndex {
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
const LINES = /(?<=\n)/;

/**
 * The migrated index. Entries of the new format, remarks, other sections, line ends and everything
 * else keep their bytes; migrating the result changes nothing. Where nothing can be converted and
 * something should be, the index stays as it is. Does no input or output: the caller keeps a copy of the
 * old file.
 * @throws AppError CONFLICT where an entry has no place: a code fence is never closed, say
 */
export function migrateIndex(indexText: string, files: readonly DecisionFile[]): MigratedIndex {
  const library = buildLibrary(parseIndex(indexText), files);
  const { lines, converted, unresolved } = rewritten(library);
  const sections = new Map(converted.map(({ trigger, section }) => [trigger, section]));
  const next = buildLibrary(parseIndex(lines.join('')), files);
  const targets = targetsOf(next, ({ phrase }) => sections.get(phrase));
  const leaving = new Set(targets.flatMap((one) => (one.misplaced ? [one.entry.line] : [])));
  const loaded = loadedSections(indexText).filter(
    (one) =>
      !unresolved.some(({ line, reason }) => reason === 'ambiguous_header' && isIn(line, [one])) &&
      !next.entries.some(({ line }) => isIn(line, [one]) && !leaving.has(line)),
  );
  // What goes with its section needs nobody's decision.
  const left = unresolved.filter(({ line }) => !isIn(line, loaded));
  const isStuck = converted.length === 0 && left.length > 0;
  const isMoving = converted.length > 0 || (loaded.length > 0 && !isStuck);
  const isGone = (line: number) => isIn(line, loaded);
  const text = isMoving ? withoutEmptyMixed(arrange(next, targets, isGone)) : indexText;
  const isIndex = library.index.groups.length > 0 || converted.length > 0;
  const header = isStuck || !isIndex ? null : withConsumptionHeader(text);
  const old = indexText.split(LINES).map((line) => line.replace(/[\r\n]+$/, ''));
  const report: MigrationReport = {
    converted: converted.map(({ section: _, ...entry }) => entry),
    unresolved: left,
    removed: (isStuck ? [] : loaded).map(({ title, line, last }) => ({
      title,
      line,
      lines: old.slice(line - 1, last).filter((_, at) => !leaving.has(line + at)),
    })),
    header: header?.done ?? 'kept',
  };
  const result = header?.text ?? indexText;
  return { text: result, report, changed: result !== indexText };
}

interface Rewritten {
  /** Of the index, with their breaks. */
  lines: string[];
  converted: (ConvertedEntry & { section: Section })[];
  unresolved: UnresolvedEntry[];
}

function rewritten(library: Library): Rewritten {
  const { index } = library;
  const resolve = createKeyResolver(library);
  const nameTrigger = createTriggerNamer(index.entries.map(({ phrase }) => phrase));
  const lines = index.text.split(LINES);
  const converted: Rewritten['converted'] = [];
  const unresolved: UnresolvedEntry[] = [];
  const taken = new Set(targetsOf(library).map(({ section }) => section));
  for (const legacy of index.legacy) {
    const { line, key, description } = legacy;
    const section = resolve(legacy);
    if ('reason' in section || taken.has(section)) {
      const why = 'reason' in section ? section : { reason: 'has_entry' as const, suggestions: [] };
      unresolved.push({ line, key, ...why });
      continue;
    }
    const { title: header, file } = section;
    const { phrase, isDoubtful } = nameTrigger(header);
    const fields: EntryFields = { prefix: 'when', phrase, header, description };
    const entry = printEntry(fields);
    if (parseEntryLine(entry) === null) {
      unresolved.push({ line, key, reason: 'other_form', suggestions: [] });
      continue;
    }
    taken.add(section);
    const old = lines[line - 1] ?? '';
    lines[line - 1] =
      (LINE_PREFIX.exec(old)?.[0] ?? '') + entry + (/[\r\n]+$/.exec(old)?.[0] ?? '');
    converted.push({ line, key, trigger: phrase, header, file, isDoubtful, section });
  }
  const isMigrated = index.legacy.length === 0 && index.entries.length > 0;
  const malformed = new Set(index.warnings.map(({ line }) => line));
  // An index of the new format has remarks, too.
  unresolved.push(...unclearLines(library).filter((one) => !isMigrated || malformed.has(one.line)));
  unresolved.sort((a, b) => a.line - b.line);
  return { lines, converted, unresolved };
}

/** A section that is loaded anyway: its lines, 1-based, both included. */
interface LoadedSection {
  title: string;
  line: number;
  last: number;
}

function loadedSections(text: string): LoadedSection[] {
  const { headings, starts } = outlineOf(text);
  return headings.flatMap(({ level, title, line, end }) => {
    if (level < 2 || !ALREADY_LOADED.test(title)) return [];
    const next = starts.findIndex((start) => start >= end);
    return [{ title, line, last: next < 0 ? starts.length : next }];
  });
}

function isIn(line: number, sections: readonly LoadedSection[]): boolean {
  return sections.some((one) => line >= one.line && line <= one.last);
}

function withoutEmptyMixed(text: string): string {
  let result = text;
  for (const { level, title, start, bodyStart, end } of outlineOf(text).headings.toReversed()) {
    const isEmpty = text.slice(bodyStart, end).trim() === '';
    if (level >= 2 && MIXED.test(title) && isEmpty)
      result = result.slice(0, start) + result.slice(end);
  }
  return result;
}
