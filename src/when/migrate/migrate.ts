/**
 * Brings an index of the old format (`Key — description`) to `/when <trigger> | <header> |
 * <description>` (seed `when-recall.md` §2, §5). A line is rewritten where it stands and then moved to
 * the group of its section's file; what no rule can decide stays as it was and is reported.
 */
import { parseEntryLine, parseIndex, printEntry } from '../index-file.js';
import { buildLibrary } from '../library.js';
import { outlineOf } from '../markdown/headings.js';
import type { DecisionFile, EntryFields, Library, Section, Warning } from '../types.js';
import { arrange, targetsOf } from '../validate/arrange.js';
import { MAX_WORDS, MIN_WORDS, wordCount } from '../validate/validate.js';
import { withConsumptionHeader } from './consumption-header.js';
import { createKeyResolver, unclearLines } from './old-lines.js';
import type {
  ConvertedEntry,
  MigrationReport,
  UnresolvedEntry,
  UnresolvedReason,
} from './report.js';
import { createTriggerNamer, MAX_TRIGGER_WORDS, MIN_TRIGGER_WORDS } from './trigger.js';

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
const LINES = /(?<=\r\n|\n|\r(?!\n))/;

/**
 * The migrated index. Entries of the new format, remarks, other sections, line ends and everything
 * else keep their bytes, and groups are in the order of their files; migrating the result changes
 * nothing. Where nothing can be converted and something should be, the index stays as it is. Entries
 * that may lead to a file that could not be read (`unread`, as in the library) are left for the next
 * time. Does no input or output: the caller keeps a copy of the old file.
 */
export function migrateIndex(
  indexText: string,
  files: readonly DecisionFile[],
  unread: readonly Warning[] = [],
): MigratedIndex {
  return migrated(buildLibrary(parseIndex(indexText), files, unread), new Set());
}

/** @param closed files whose groups cannot be written to: a code fence above them never ends, say */
function migrated(library: Library, closed: ReadonlySet<string>): MigratedIndex {
  const { index, files, unread } = library;
  const { lines, converted, unresolved } = rewritten(library, closed);
  const sections = new Map(converted.map(({ trigger, section }) => [trigger, section]));
  const next = buildLibrary(parseIndex(lines.join('')), files, unread);
  const known = ({ phrase }: { phrase: string }) => sections.get(phrase);
  const targets = targetsOf(next, known).filter(({ section }) => !closed.has(section.file));
  const going = new Set(targets.map(({ entry }) => entry.line));
  const leaving = new Set(targets.flatMap((one) => (one.misplaced ? [one.entry.line] : [])));
  const loaded = loadedSections(index.text).filter(
    (one) =>
      !unresolved.some(({ line, reason }) => MAY_LEAD.has(reason) && isIn(line, [one])) &&
      !next.entries.some(({ line }) => isIn(line, [one]) && !leaving.has(line)),
  );
  const isStuck = converted.length === 0 && unresolved.some(({ line }) => !isIn(line, loaded));
  const isMoving = converted.length > 0 || [...going].some((line) => isIn(line, loaded));
  const titles = new Set(loaded.map(({ title, nth }) => `${nth} ${title}`));
  const tidy = (text: string) => withoutEmptyMixed(withoutSections(text, titles));
  const kept = next.index.text;
  const arranged = isMoving
    ? arrange(next, {
        which: ({ line }) => going.has(line),
        known,
        tidy,
      })
    : kept;
  const text = withoutEmptyMixed(isMoving ? arranged : tidy(kept));
  const arrived = new Set(
    buildLibrary(parseIndex(text), files).entries.flatMap(({ phrase, section }) =>
      section === null ? [] : [phrase],
    ),
  );
  const stuck = targets.filter(
    ({ entry: { phrase, line }, misplaced }) =>
      misplaced && (sections.has(phrase) || isIn(line, loaded)) && !arrived.has(phrase),
  );
  // Half migrated would be neither old nor new.
  if (stuck.length > 0) {
    return migrated(library, new Set([...closed, ...stuck.map(({ section }) => section.file)]));
  }
  const isIndex = index.groups.length > 0 || converted.length > 0;
  const header = isStuck || !isIndex ? null : withConsumptionHeader(text);
  const gone = lines.map((line, at) => ({ line: at + 1, text: line.replace(/[\r\n]+$/, '') }));
  const report: MigrationReport = {
    converted: converted.map(({ section: _, ...entry }) => entry),
    // What goes with its section needs nobody's decision.
    unresolved: unresolved.filter(({ line }) => !isIn(line, loaded)),
    removed: (isStuck ? [] : loaded).map(({ title, line, last }) => ({
      title,
      line,
      lines: gone.slice(line - 1, last).flatMap((one) => (leaving.has(one.line) ? [] : one.text)),
    })),
    header: header?.done ?? 'kept',
    replacedHeader: header?.replaced ?? null,
    wordCounts: converted
      .filter(({ words }) => words < MIN_WORDS || words > MAX_WORDS)
      .map(({ trigger, words }) => ({ trigger, words })),
  };
  const result = header?.text ?? index.text;
  return { text: result, report, changed: result !== index.text };
}

interface Rewritten {
  /** Of the index, with their breaks. */
  lines: string[];
  converted: (ConvertedEntry & { section: Section })[];
  unresolved: UnresolvedEntry[];
}

function rewritten(library: Library, closed: ReadonlySet<string>): Rewritten {
  const { index } = library;
  const resolve = createKeyResolver(library);
  const namer = createTriggerNamer(index.entries.map(({ phrase }) => phrase));
  const lines = index.text.split(LINES);
  const converted: Rewritten['converted'] = [];
  const unresolved: UnresolvedEntry[] = [];
  const taken = new Set(targetsOf(library).map(({ section }) => section));
  for (const legacy of index.legacy) {
    const { line, key, description, group } = legacy;
    const found = resolve(legacy);
    const leave = (reason: UnresolvedReason, suggestions: string[] = []) =>
      unresolved.push({ line, key, description, group, reason, suggestions });
    if ('reason' in found) {
      leave(found.reason, found.suggestions);
      continue;
    }
    const { section, moved } = found;
    const { title: header, file } = section;
    if (taken.has(section)) {
      leave('has_entry');
      continue;
    }
    const rest = wordCount({ phrase: '', header, description });
    const room = Math.min(MAX_TRIGGER_WORDS, Math.max(MIN_TRIGGER_WORDS, MAX_WORDS - rest));
    const { phrase, doubts } = namer.name(header, description, file, room);
    const fields: EntryFields = { prefix: 'when', phrase, header, description };
    const entry = printEntry(fields);
    if ((moved && closed.has(file)) || parseEntryLine(entry) === null) {
      leave('unwritable');
      continue;
    }
    taken.add(section);
    const old = lines[line - 1] ?? '';
    lines[line - 1] =
      (LINE_PREFIX.exec(old)?.[0] ?? '') + entry + (/[\r\n]+$/.exec(old)?.[0] ?? '');
    const words = wordCount(fields);
    converted.push({ line, key, trigger: phrase, header, file, moved, words, doubts, section });
  }
  const isMigrated = index.legacy.length === 0 && index.entries.length > 0;
  for (const unclear of unclearLines(library)) {
    // Remarks have dashes, too: in an index of the new format only what names a section counts.
    const isRemark = isMigrated && unclear.reason !== 'malformed' && 'reason' in resolve(unclear);
    if (!isRemark) unresolved.push({ ...unclear, suggestions: [] });
  }
  unresolved.sort((a, b) => a.line - b.line);
  return { lines, converted, unresolved };
}

/** Lines that were left and lead to a section all the same, or may. */
const MAY_LEAD: ReadonlySet<UnresolvedReason> = new Set([
  'ambiguous_header',
  'unread_file',
  'unwritable',
]);

/** A section that is loaded anyway: its lines, 1-based, both included, and which of that kind it is. */
interface LoadedSection {
  title: string;
  nth: number;
  line: number;
  last: number;
}

function loadedSections(text: string): LoadedSection[] {
  const { headings, starts } = outlineOf(text);
  const found: LoadedSection[] = [];
  for (const { level, title, line, end } of headings) {
    if (level < 2 || !ALREADY_LOADED.test(title) || line <= (found.at(-1)?.last ?? 0)) continue;
    const next = starts.findIndex((start) => start >= end);
    found.push({ title, nth: found.length, line, last: next < 0 ? starts.length : next });
  }
  return found;
}

function isIn(line: number, sections: readonly LoadedSection[]): boolean {
  return sections.some((one) => line >= one.line && line <= one.last);
}

function withoutSections(text: string, titles: ReadonlySet<string>): string {
  const going = loadedSections(text).filter(({ nth, title }) => titles.has(`${nth} ${title}`));
  const lines = text.split(LINES).filter((_, at) => !isIn(at + 1, going));
  return lines.join('');
}

function withoutEmptyMixed(text: string): string {
  let result = text;
  for (const { level, title, start, bodyStart, end } of outlineOf(text).headings.toReversed()) {
    const isEmpty = text.slice(bodyStart, end).trim() === '';
    if (level >= 2 && MIXED.test(title) && isEmpty)
      result = result.slice(0, start) + result.slice(end);
  }
  // Without any group, prose that has dashes would be taken for entries.
  const isProse = parseIndex(result).legacy.length > parseIndex(text).legacy.length;
  return isProse ? text : result;
}
