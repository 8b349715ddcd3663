/**
 * Standard output is the protocol's. The host logs through the console, whose milder methods write
 * there, and so do libraries it brings along.
 */
import { Console } from 'node:console';

const TALKATIVE = ['log', 'info', 'debug', 'trace', 'dir', 'table', 'group'] as const;
let done = false;

/** For the rest of the process: a late line of an agent that has been closed would hurt as much. */
export function keepStdoutForProtocol(): void {
  if (done) return;
  done = true;
  const toStderr = new Console(process.stderr, process.stderr);
  for (const method of TALKATIVE) {
    Reflect.set(globalThis.console, method, toStderr[method].bind(toStderr));
  }
}
