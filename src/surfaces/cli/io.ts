/** What a command sees of the world, so that it can be run inside another process. */
import type { Clock } from '../../shared/clock.js';

export interface Io {
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Of the process that called us. */
  parentPid: number;
  clock: Clock;
  /** All of standard input. @throws AppError TOO_LARGE */
  stdin(): Promise<string>;
  /** Nothing more is read of it, so that it does not hold the process where nobody ends it. */
  leaveStdin?(): void;
  /** Results, and nothing else. */
  out(text: string): void;
  /** Everything said beside the result. */
  err(text: string): void;
}

/** Results as one JSON document. */
export function printJson(io: Io, document: unknown): void {
  io.out(`${JSON.stringify(document, null, 2)}\n`);
}

/** A text as a result; ends in a line break, whether it had one or not. */
export function printText(io: Io, text: string): void {
  io.out(text.endsWith('\n') ? text : `${text}\n`);
}
