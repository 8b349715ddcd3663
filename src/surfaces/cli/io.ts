/** What a command sees of the world, so that it can be run inside another process. */
import type { Clock } from '../../shared/clock.js';
import { AppError, type ErrorCode, isAppError, messageOf } from '../../shared/errors.js';

export interface Io {
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Of the process that called us. */
  parentPid: number;
  clock: Clock;
  /** All of standard input. @param maxBytes 2 MB when absent. @throws AppError TOO_LARGE */
  stdin(maxBytes?: number): Promise<string>;
  /** Says when the user wants the command to end (Ctrl-C); asked for by one that would go on for ever. */
  interrupted?(): AbortSignal;
  /** Nothing more is read of it, so that it does not hold the process where nobody ends it. */
  leaveStdin?(): void;
  /** Absent: standard output goes to a file or another program. */
  terminal?: Terminal;
  /**
   * Results, and nothing else; a real one shows what would drive a terminal as replacement characters.
   * @param isDrawn the text went through `forTerminal` already, and its colours are ours
   */
  out(text: string, isDrawn?: boolean): void;
  /** Everything said beside the result. */
  err(text: string): void;
}

/** What a command sees of the world. @param dataDir as the flag says it, once the line has been read */
export function ioFor(io: Io, dataDir: () => string | undefined): Io {
  return Object.create(io, {
    env: {
      get() {
        const directory = dataDir();
        if (directory === undefined) return io.env;
        return { ...io.env, POSTGRES_URL: undefined, PGLITE_DATA_DIR: directory };
      },
    },
  });
}

export interface Terminal {
  /** Its width at the start. */
  columns: number;
  hasColors: boolean;
}

/**
 * All controls but tab and line breaks, and what turns the order of text around: a stranger's file must
 * not drive a terminal, nor show another line than it has.
 */
const CONTROLS = /(?![\t\n]|\r\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text as a terminal may have it: what would drive it is shown as a replacement character. Not only
 * where it goes to one: a pager hands on what it is piped.
 */
export function forTerminal(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}

/** What a terminal would act on, or that turns the order of text around; JSON leaves these as they are. */
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Results as one JSON document. */
export function printJson(io: Io, document: unknown): void {
  io.out(`${escapedJson(JSON.stringify(document, null, 2))}\n`);
}

/** The same JSON, with nothing in it that drives a terminal: such characters stand only within texts. */
export function escapedJson(json: string): string {
  return json.replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A text as a result; ends in a line break, whether it had one or not. */
export function printText(io: Io, text: string, isDrawn = false): void {
  io.out(text.endsWith('\n') ? text : `${text}\n`, isDrawn);
}

export const EXIT = { done: 0, failure: 1, badInput: 2, notFound: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The caller can mend these by saying something else (another path, say); a `CONFLICT` is over by itself. */
const BAD_INPUT: ReadonlySet<ErrorCode> = new Set([
  'INVALID_INPUT',
  'PERMISSION_DENIED',
  'TOO_LARGE',
  'SECRET_REJECTED',
  'SCOPE_INVALID',
  'DUPLICATE',
]);

export function exitCodeOf(error: unknown): ExitCode {
  if (!isAppError(error)) return EXIT.failure;
  if (error.code === 'NOT_FOUND') return EXIT.notFound;
  return BAD_INPUT.has(error.code) ? EXIT.badInput : EXIT.failure;
}

/** The document that `--json` prints for it: the body of the REST routes (DESIGN §12). */
export function errorDocument(error: unknown) {
  const code: ErrorCode = isAppError(error) ? error.code : 'INTERNAL';
  const details = isAppError(error) ? error.details : {};
  return { error: { code, message: messageOf(error), details } };
}

/** Tells why a line failed, in the form that it asks for, and gives its exit code. */
export function tellError(
  error: unknown,
  line: { name: string; argv: readonly string[]; documentOf(error: unknown): object },
  io: Io,
): ExitCode {
  if (wantsJson(line.argv)) printJson(io, line.documentOf(error));
  else io.err(`${line.name}: ${messageOf(error)}\n`);
  return exitCodeOf(error);
}

/** Also where the rest of the line could not be understood. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = argv.slice(0, end < 0 ? argv.length : end);
  return words.some((word) => word === '--json' || word.startsWith('--json='));
}

export function badInput(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError('INVALID_INPUT', message, details);
}
