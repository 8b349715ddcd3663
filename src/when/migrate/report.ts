/** What a migration did and what is left for a person; and the same as text. */

export interface ConvertedEntry {
  /** 1-based, in the old index. */
  line: number;
  key: string;
  trigger: string;
  header: string;
  file: string;
  /** A person should look at the trigger. */
  isDoubtful: boolean;
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
}

const REASONS: Readonly<Record<UnresolvedReason, string>> = {
  unknown_header: 'no section has this title',
  ambiguous_header: 'several files have this title',
  has_entry: 'the section has an entry already',
  other_form: 'it is neither "Key — description" nor an entry of three fields',
};

/** The report for people, a line for each thing; ends with a line break. */
export function reportText({ converted, unresolved, removed, header }: MigrationReport): string {
  const doubtful = converted.filter(({ isDoubtful }) => isDoubtful);
  const lines = [
    `entries converted: ${converted.length}`,
    ...(header === 'kept' ? [] : [`instructions at the top ${header}`]),
    ...removed.flatMap(({ title, line, lines: [, ...rest] }) =>
      part(
        `Section "${title}" (line ${line} of the index as it was) removed:`,
        rest.filter((one) => one.trim() !== ''),
      ),
    ),
    ...(doubtful.length === 0
      ? []
      : part(
          'Triggers to improve (lines of the index as it was):',
          doubtful.map(
            ({ line, trigger, header: title }) => `line ${line}: "${trigger}" for "${title}"`,
          ),
        )),
    ...(unresolved.length === 0
      ? []
      : part(
          'Left as they were (lines of the index as it was):',
          unresolved.map(({ line, key, reason, suggestions }) =>
            [`line ${line}: "${key}"`, REASONS[reason], suggestions.join(', ')]
              .filter((one) => one !== '')
              .join(': '),
          ),
        )),
  ];
  return `${lines.join('\n')}\n`;
}

/** A heading and its lines, indented. */
function part(heading: string, lines: readonly string[]): string[] {
  return ['', heading, ...lines.map((line) => `  ${line}`)];
}
