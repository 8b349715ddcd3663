/** What may be wrong with the entries of an index: each by itself, and with one another. */
import { createKeyResolver } from '../migrate/old-lines.js';
import { reasonText } from '../migrate/report.js';
import { normalizePhrase } from '../phrases.js';
import type { Entry, Library, LinkedEntry, Problem, Warning } from '../types.js';
import { blocksOf, duplicateLines, type Target, targetsOf } from './arrange.js';

/** Words of the three fields together (seed §3). */
export const MIN_WORDS = 8;
export const MAX_WORDS = 20;
/** Characters; words of a sane length come nowhere near. */
export const MAX_FIELD = 300;

/** Findings of the linker that make an entry useless; the rest is advice. */
const ERRORS = new Set([
  'malformed_entry',
  'unknown_file',
  'unknown_header',
  'structural_header',
  'no_index',
]);

export function entryProblems(library: Library): Problem[] {
  const targets = targetsOf(library);
  const unseen = new Set([...library.unread, ...library.warnings.filter(isAway(library))]);
  const misplaced = new Map(
    targets.filter((target) => target.misplaced).map((target) => [target.entry.line, target]),
  );
  return [
    ...library.warnings.flatMap((warning) => linkProblem(warning, misplaced, unseen)),
    ...library.entries.flatMap(fieldProblems),
    ...orderProblems(library),
    ...duplicateProblems(targets),
    ...ambiguousTriggers(targets),
    ...legacyProblems(library, targets),
  ];
}

/** The folder is missing, and its files are known all the same, from before. */
function isAway({ files }: Library): (warning: Warning) => boolean {
  return ({ code }) => code === 'no_folder' && files.length > 0;
}

/** Words of an entry's three fields, as the validator counts them. */
export function wordCount(entry: Pick<Entry, 'phrase' | 'header' | 'description'>): number {
  return countWords(`${entry.phrase} ${entry.header} ${entry.description}`);
}

function linkProblem(
  warning: Warning,
  misplaced: ReadonlyMap<number, Target>,
  unseen: ReadonlySet<Warning>,
): Problem[] {
  const unplaced = warning.code === 'unknown_header' || warning.code === 'unknown_file';
  const target =
    unplaced && warning.file === 'index' ? misplaced.get(warning.line ?? 0) : undefined;
  if (target !== undefined) {
    const { entry, section } = target;
    const message = `"${entry.header}" is in ${section.file}, the entry stands ${
      entry.group === '' ? 'in no group' : `in "${entry.group}"`
    }`;
    return [problem('misplaced_entry', entry.line, message, { fixable: true })];
  }
  // A check cannot pass what it could not look at.
  const isError = ERRORS.has(warning.code) || unseen.has(warning);
  const severity = isError ? 'error' : 'warning';
  // `line` says it.
  const message = warning.message.replace(/^line \d+: /, '');
  return [{ ...warning, message, severity, fixable: false }];
}

function fieldProblems(entry: LinkedEntry): Problem[] {
  const problems: Problem[] = [];
  const words = wordCount(entry);
  if (words < MIN_WORDS || words > MAX_WORDS) {
    const message = `${words} words in the three fields together; ${MIN_WORDS} to ${MAX_WORDS} are allowed`;
    problems.push(problem('word_count', entry.line, message));
  }
  const fields = {
    trigger: entry.phrase,
    'header title': entry.header,
    description: entry.description,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value.length <= MAX_FIELD) continue;
    const message = `the ${name} has ${value.length} characters; at most ${MAX_FIELD} are allowed`;
    problems.push(problem('field_too_long', entry.line, message));
  }
  if (normalizePhrase(entry.phrase) === '') {
    problems.push(problem('empty_trigger', entry.line, 'the trigger has no word'));
  }
  return [...problems, ...triggerAdvice(entry)];
}

/** The naming guidelines (seed §6); the seed leaves triggers free, so these never fail a check. */
function triggerAdvice({ phrase, line }: Entry): Problem[] {
  const advice: Problem[] = [];
  const count = countWords(phrase);
  if (phrase !== phrase.toLowerCase()) {
    advice.push(warning('trigger_case', line, `write the trigger "${phrase}" in lower case`));
  }
  if (/[^\p{L}\p{N}\p{M}\s'’-]/u.test(phrase)) {
    advice.push(
      warning('trigger_characters', line, `the trigger "${phrase}" has special characters`),
    );
  }
  if (count < 2 || count > 5) {
    const message = `the trigger "${phrase}" has ${count} ${count === 1 ? 'word' : 'words'}; 2 to 5 are typical`;
    advice.push(warning('trigger_length', line, message));
  }
  return advice;
}

/** Entries of a group stand in the order of their headers in the file. */
function orderProblems(library: Library): Problem[] {
  const problems: Problem[] = [];
  for (const { entries } of blocksOf(library)) {
    let before: LinkedEntry | undefined;
    for (const entry of entries) {
      if (entry.section === null) continue;
      if (before?.section && before.section.line > entry.section.line) {
        const message = `"${entry.header}" comes before "${before.header}" in ${entry.section.file}`;
        problems.push(problem('wrong_order', entry.line, message, { fixable: true }));
      } else before = entry;
    }
  }
  return problems;
}

function duplicateProblems(targets: readonly Target[]): Problem[] {
  const repeated = duplicateLines(targets);
  const first = new Map<string, number>();
  const problems: Problem[] = [];
  for (const { entry, section } of targets) {
    if (repeated.has(entry.line)) continue;
    const key = `${section.file}\n${section.line}`;
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, entry.line);
      continue;
    }
    const message = `"${section.title}" (${section.file}) has an entry on line ${other} already`;
    problems.push(problem('duplicate_entry', entry.line, message));
  }
  for (const line of repeated) {
    problems.push(
      problem('duplicate_line', line, 'the same entry stands twice', { fixable: true }),
    );
  }
  return problems;
}

/** One phrase, as exact matching compares it, for several sections. */
function ambiguousTriggers(targets: readonly Target[]): Problem[] {
  const seen = new Map<string, Target>();
  const problems: Problem[] = [];
  for (const target of targets) {
    const { entry, section } = target;
    const key = normalizePhrase(entry.phrase);
    const other = seen.get(key);
    if (other === undefined || key === '') {
      seen.set(key, target);
    } else if (other.section !== section) {
      const message = `the trigger "${entry.phrase}" leads to "${other.section.title}" (${other.section.file}), too, by line ${other.entry.line}`;
      problems.push(problem('ambiguous_trigger', entry.line, message));
    }
  }
  return problems;
}

function legacyProblems(library: Library, targets: readonly Target[]): Problem[] {
  const { legacy } = library.index;
  if (legacy.length === 0) return [];
  const resolve = createKeyResolver(library);
  const taken = new Set(targets.map(({ section }) => section));
  return legacy.map((entry) => {
    const found = resolve(entry);
    const isOld = `"${entry.key}" is in the old format`;
    const why =
      'reason' in found
        ? reasonText(found.reason, found.suggestions)
        : taken.has(found.section) && reasonText('has_entry', []);
    const message = why
      ? `${isOld}, and "cue when migrate" leaves it: ${why}`
      : `${isOld}; "cue when migrate" rewrites it`;
    return warning('legacy_entry', entry.line, message);
  });
}

function problem(
  code: string,
  line: number,
  message: string,
  { fixable = false }: { fixable?: boolean } = {},
): Problem {
  return {
    file: 'index',
    line,
    code,
    message,
    severity: 'error',
    fixable,
  };
}

function warning(code: string, line: number, message: string): Problem {
  return { ...problem(code, line, message), severity: 'warning' };
}

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]/u;
let segmenter: Intl.Segmenter | undefined;

/** What white space separates and has a letter or digit; in scripts without spaces, by dictionary. */
export function countWords(text: string): number {
  return text.split(/\s+/).reduce((sum, piece) => sum + wordsOf(piece), 0);
}

function wordsOf(piece: string): number {
  if (!UNSPACED.test(piece)) return WORD.test(piece) ? 1 : 0;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(piece)].filter(({ isWordLike }) => isWordLike).length;
}
