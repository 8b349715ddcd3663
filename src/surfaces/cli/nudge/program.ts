/** `nudge <command> …` (seed `nudge.md` §6): one file per command, loaded only when it is asked for. */

import type { ExitCode, Io } from '../io.js';
import type { NudgeContext } from './call.js';
import { type CommandEntry, GET, runNudge } from './run.js';

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'serve the hints, or join whoever serves them; MCP on standard input',
    load: async () => (await import('./server.js')).serve,
  },
  {
    name: 'status',
    summary: 'who serves, and how much there is',
    load: async () => (await import('./server.js')).status,
  },
  {
    name: 'stop',
    summary: 'stop the server',
    load: async () => (await import('./server.js')).stop,
  },
  {
    name: 'set',
    summary: 'add a hint, or replace the one with the same scope',
    load: async () => (await import('./set.js')).set,
  },
  GET,
  {
    name: 'query',
    summary: 'hints by component, keys, tags or pattern, best first',
    load: async () => (await import('./read.js')).query,
  },
  {
    name: 'ls',
    alias: 'list-components',
    summary: 'components, or the keys of one',
    load: async () => (await import('./read.js')).ls,
  },
  {
    name: 'delete',
    summary: 'remove a key with all its variants, or some of them',
    load: async () => (await import('./change.js')).remove,
  },
  {
    name: 'bump',
    summary: 'say that a hint has helped',
    load: async () => (await import('./change.js')).bump,
  },
  {
    name: 'import',
    summary: 'take in hints from a file',
    load: async () => (await import('./transfer.js')).importHints,
  },
  {
    name: 'export',
    summary: 'print all hints as a document that import takes',
    load: async () => (await import('./transfer.js')).exportHints,
  },
  {
    name: 'completion',
    summary: 'print what makes a shell complete these commands',
    load: async () => (await import('../completion.js')).completionGroup,
  },
];

/** One command line of `nudge`; see `runProgram`. */
export function run(
  argv: readonly string[],
  io: Io,
  outside: Pick<NudgeContext, 'startAgent' | 'checkSettings'>,
): Promise<ExitCode> {
  const complete = () => import('../complete.js');
  return runNudge({ argv, commands: COMMANDS, complete }, io, outside);
}
