/** What a migration did and what is left for a person; and the same as text. */

/** Why a person should look at a trigger. */
export type Doubt = 'no_verb' | 'shortened' | 'made_unique';

export interface ConvertedEntry {
  /** 1-based, in the old index. */
  line: number;
  key: string;
  trigger: string;
  header: string;
  file: string;
  /** It now stands in the group of `file`, and stood elsewhere. */
  moved: boolean;
  /** Of all three fields together. */
  words: number;
  doubts: Doubt[];
}

/**
 * `unknown_header`: no section of that name; `ambiguous_header`: several files have it; `other_form`: the
 * line is not of a form that is rewritten.
 */
export type UnresolvedReason = 'unknown_header' | 'ambiguous_header' | 'has_entry' | 'other_form';

/** A line that was left as it was. */
export interface UnresolvedEntry {
  /** 1-based, in the old index. */
  line: number;
  key: string;
  description: string;
  group: string;
  reason: UnresolvedReason;
  /** Titles that come closest, or files that have the title. */
  suggestions: string[];
}

export interface RemovedSection {
  title: string;
  /** 1-based, in the old index. */
  line: number;
  /** As they stood there, heading included, without line breaks. */
  lines: string[];
}

export interface MigrationReport {
  converted: ConvertedEntry[];
  unresolved: UnresolvedEntry[];
  removed: RemovedSection[];
  /** What became of the text that says how the index is used. */
  header: 'kept' | 'replaced' | 'inserted';
  /** The passive paragraph that was replaced. */
  replacedHeader: string | null;
  /** Converted entries outside 8 to 20 words: the validator will not pass them. */
  wordCounts: { trigger: string; words: number }[];
}

const DOUBTS: Readonly<Record<Doubt, string>> = {
  no_verb: 'no verb found in the title: the verb is a guess',
  shortened: 'shortened to five words',
  made_unique: 'another entry had this phrase: words were added',
};
const REASONS: Readonly<Record<UnresolvedReason, string>> = {
  unknown_header: 'no section has this title',
  ambiguous_header: 'several files have this title',
  has_entry: 'the section has an entry already',
  other_form: 'it is neither "Key — description" nor an entry of three fields',
};

/** The migration moves lines: those of the report are found in what it started from. */
const OLD_LINES = ' (lines of the index as it was)';

/** The report for people, a line for each thing; ends with a line break. */
export function reportText(report: MigrationReport): string {
  const { converted, unresolved, removed, wordCounts } = report;
  const doubtful = converted.filter(({ doubts }) => doubts.length > 0);
  const moved = converted.filter((entry) => entry.moved).length;
  const lines = [
    `${count(converted.length, 'entry', 'entries')} converted, ${moved} of them moved to the group of their file`,
    ...(report.header === 'kept' ? [] : [`instructions at the top ${report.header}`]),
    ...(report.replacedHeader === null
      ? []
      : ['They were:', ...report.replacedHeader.split(/\r\n|\n|\r/).map((line) => `  ${line}`)]),
    ...part(
      removed.map(
        ({ title, line }) => `Section "${title}" (line ${line} of the index as it was) removed:`,
      ),
      removed.flatMap((section) => section.lines.slice(1)).filter((line) => line.trim() !== ''),
    ),
    ...part(
      [`${count(doubtful.length, 'trigger', 'triggers')} to improve${OLD_LINES}:`],
      doubtful.map(
        ({ line, trigger, header, doubts }) =>
          `line ${line}: "${trigger}" for "${header}": ${doubts.map((doubt) => DOUBTS[doubt]).join('; ')}`,
      ),
    ),
    ...part(
      [
        `${count(wordCounts.length, 'entry has', 'entries have')} too few or too many words (8 to 20 in the three fields):`,
      ],
      wordCounts.map(({ trigger, words }) => `"${trigger}": ${words}`),
    ),
    ...part(
      [
        `${unresolved.length === 1 ? '1 line left as it was' : `${unresolved.length} lines left as they were`}${OLD_LINES}:`,
      ],
      unresolved.map(
        ({ line, key, reason, suggestions }) =>
          `line ${line}: "${key}": ${REASONS[reason]}${suggestions.length === 0 ? '' : `: ${suggestions.join(', ')}`}`,
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** A heading and its lines, indented; nothing when there are none. */
function part(heading: string[], lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', ...heading, ...lines.map((line) => `  ${line}`)];
}

function count(amount: number, one: string, many: string): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
