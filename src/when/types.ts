/**
 * The words of the room (DESIGN §1, §9; seed `when-recall.md`). An *index* has *entries*
 * (`/when <trigger> | <header> | <description>`) in *groups*, one per *decision file*; an entry's
 * header names a *section* of that file, which is what a recall gives. All of it is plain data:
 * parsing, linking, matching and printing are pure, files and records come from outside.
 */
import type { Scope } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';

/** `/how` entries and commands are the same thing in other words; what was written is kept. */
export type Prefix = 'when' | 'how';

/** An entry's three fields as written, trimmed. */
export interface EntryFields {
  prefix: Prefix;
  /** What an agent types: `writing mock tests`; on the wire `trigger`. */
  phrase: string;
  /** Title of a heading of the decision file, compared without case. */
  header: string;
  description: string;
}

/** One well-formed line of the index. */
export interface Entry extends EntryFields {
  /** 1-based line in the index. */
  line: number;
  /** Title of the group it stands in, as written (`agents/decisions/testing.md`); '' before the first. */
  group: string;
}

/** A heading of level 2 or deeper and everything up to the next one of its level or above. */
export interface Section {
  /** Path of its file below the decisions folder, POSIX: `testing.md`, `api/auth.md`. */
  file: string;
  /** Text of the heading without markup: `Mock Patching Pattern`, `.Mock Patching`. */
  title: string;
  level: number;
  /** Title begins with a dot: groups others, is reached by `§` only, needs no entry. */
  structural: boolean;
  /** Titles of the headings above it, level 2 or deeper, outermost first. */
  path: readonly string[];
  /** Counts sections of the same path and title in the file, from 0. */
  ordinal: number;
  /** 1-based line of its heading. */
  line: number;
  /** As it stands in the file, without the heading; line breaks as they are. */
  content: string;
}

export interface DecisionFile {
  /** As in `Section.file`. */
  path: string;
  /** The whole text as it stands in the file. */
  text: string;
  /** SHA-256 of `text`, hex. */
  hash: string;
  sections: readonly Section[];
}

/** Something in the index or a decision file that is not as it should be, but stops nobody. */
export interface Warning {
  /** `index` for the index file, else the path of a decision file. */
  file: string;
  /** 1-based; absent: the file as a whole. */
  line?: number;
  /** `malformed_entry`, `unknown_file`, `unknown_header` …: stable, for scripts. */
  code: string;
  message: string;
}

/** A group of the index: a heading and the lines up to the next one. */
export interface Group {
  title: string;
  line: number;
  level: number;
  /** Titles of the groups that it stands in, outermost first; absent: none. */
  above?: readonly string[];
}

/** The index, parsed; `text` is kept, so that edits change only what they mean. */
export interface IndexDocument {
  text: string;
  /** SHA-256 of `text`, hex. */
  hash: string;
  groups: readonly Group[];
  entries: readonly Entry[];
  /** `Key — description` lines of the old format, for the migration. */
  legacy: readonly LegacyEntry[];
  warnings: readonly Warning[];
}

export interface LegacyEntry {
  key: string;
  description: string;
  line: number;
  group: string;
}

/** An entry and where it leads. */
export interface LinkedEntry extends Entry {
  /** `null`: the group names no file that exists. */
  file: string | null;
  /** `null`: no such heading in the file; such an entry is never found. */
  section: Section | null;
}

/** Index and files, linked. Immutable; a change makes a new one. */
export interface Library {
  index: IndexDocument;
  files: readonly DecisionFile[];
  entries: readonly LinkedEntry[];
  warnings: readonly Warning[];
}

export const EMPTY_INDEX: IndexDocument = {
  text: '',
  hash: '',
  groups: [],
  entries: [],
  legacy: [],
  warnings: [],
};

/** What one command asks for. */
export type Request =
  | { kind: 'trigger'; query: string; phrase: string }
  /** `§ .Mock Patching` */
  | { kind: 'section'; query: string; title: string }
  /** `§ testing.md` */
  | { kind: 'file'; query: string; name: string }
  /** Not to be answered: too long, too many, nothing named. `message` says so in words. */
  | { kind: 'invalid'; query: string; message: string };

export type Found = 'exact' | 'hybrid' | 'none';

/** A section that answers a query, on the wire (issue: `--json` of a recall). */
export interface Match {
  /** From 1, best first. */
  rank: number;
  /** Title of the section as in its file. */
  header: string;
  file: string;
  /** 1-based line of the heading. */
  line: number;
  /** Without the slash command: `writing mock tests`; '' for a section without an entry. */
  trigger: string;
  description: string;
  /** 0 to 1, calibrated: about the share of answers with this value that are right. */
  confidence: number;
  /** Only of what is given as the answer. */
  content?: string;
}

/** A command that leads on, and what it leads to: `# Test Module Split Strategy (sibling)`. */
export interface Related {
  /** `/when organizing test files`, `/when § .Mock Patching`, `/when § testing.md`. */
  command: string;
  note: string;
}

export interface Answer {
  query: string;
  found: Found;
  /** Of the answer; 0 when nothing was found. */
  confidence: number;
  /** At least five where there are that many, whatever `found` says; best first. */
  matches: Match[];
  /** Leads on from what was found. In a batch each is listed once, with the first that has it. */
  related: Related[];
  /** Commands, closest first, when nothing was found. */
  suggestions: string[];
  /** What is wrong with the query, where it is wrong: no such section, several of that name … */
  message?: string;
}

export interface Recall {
  results: Answer[];
  /** Why something may be missing among them, in words: index or files that could not be read. */
  degraded?: string;
}

/** An entry that leads to a section, as offers and listings show it. */
export interface ShownEntry {
  id: Uuid;
  /** `/when writing mock tests` */
  command: string;
  header: string;
  description: string;
  /** The decision file as the index names it: `agents/decisions/testing.md`. */
  file: string;
  scope: Scope;
}

/** An entry, and how often its section came up, whoever asked. */
export interface UsedEntry extends ShownEntry {
  use: SectionUse;
}

export interface SectionUse {
  /** Times it was shown unasked. */
  offered: number;
  /** Times it was asked for and given. */
  recalled: number;
  /** The last of these, ISO 8601. */
  last_at: string | null;
}

export interface RelevantEntry extends ShownEntry {
  /** 0 to 1. */
  confidence: number;
  /** In words: "names src/auth.ts". */
  reasons: string[];
}

/** A new entry, and its section when `content` is given. */
export interface RememberDraft {
  prefix?: Prefix | undefined;
  trigger: string;
  header: string;
  description: string;
  /** Decision file below the decisions folder; may be left out when the header exists in one file. */
  file?: string | undefined;
  /** Markdown of a new section; absent: the header must exist. */
  content?: string | undefined;
  /** Title of the section to put the new one into (`.Mock Patching`); absent: at the end. */
  under?: string | undefined;
}

export interface Remembered {
  /** The line that was added. */
  entry: string;
  /** 1-based, in the index. */
  line: number;
  file: string;
  header: string;
  /** Whether a section was written, too. */
  sectionAdded: boolean;
  /** `false`: entry (and section) stood there already, nothing was written. */
  changed: boolean;
}

/** What the validator says. */
export interface Problem extends Warning {
  severity: 'error' | 'warning';
  /** `--fix` can mend it. */
  fixable: boolean;
  /** Of `file`, absolute; absent where nobody knows where the files are. */
  path?: string;
}

export interface Validation {
  ok: boolean;
  problems: Problem[];
  counts: { entries: number; files: number; sections: number };
}

/** The file system's part: what was read, and what was refused. */
export interface DiskState {
  index: { path: string; text: string } | null;
  files: readonly { path: string; text: string }[];
  /** Refused (outside the folder, too large, not text) or unreadable. */
  warnings: readonly Warning[];
}

/** Where index and decision files are. */
export interface WhenPaths {
  /** Absolute. */
  index: string;
  /** Absolute. */
  decisions: string;
  /** Absolute; when given, both of them must lie below one of these, links followed. */
  roots?: readonly string[] | undefined;
  /**
   * Which of them a person named. Where a link leads that nobody named may be for a stranger to say
   * (a cloned repository): without `roots`, the others must really lie in `within`.
   */
  named?: readonly ('index' | 'decisions')[] | undefined;
  /** Absolute: the top of the repository, say; the index's own folder when absent. */
  within?: string | undefined;
}
