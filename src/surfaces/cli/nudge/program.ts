/** `nudge <command> …` (seed `nudge.md` §6): one file per command, loaded only when it is asked for. */

import type { Command } from 'commander';
import { dataDirOption, type ProgramSpec, runProgram } from '../command-line.js';
import { portOf } from '../flags.js';
import { type ExitCode, type Io, ioFor } from '../io.js';
import { documentOf, type NudgeCommand, type NudgeContext } from './call.js';

interface CommandEntry {
  name: string;
  alias?: string;
  summary: string;
  load(): Promise<NudgeCommand>;
}

const NAME = 'nudge';

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
  {
    name: 'get',
    summary: 'the best hint of a key, here',
    load: async () => (await import('./read.js')).get,
  },
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

const EXPLAINED = `
Examples:
  nudge serve & until nudge status; do sleep 1; done
  nudge set http-proxy build "docker compose build router" --tags build,docker --scope-branch dev,main
  nudge get http-proxy build

Exit codes:
  0 done or found   1 failure, or no server   2 bad input   3 not found, or not eligible here
  "status" and "stop" end with 3 where nothing serves

Environment:
  NUDGE_PID_DIR             folder of the files in which servers say where they listen
  ELIZA_SERVER_AUTH_TOKEN   the key of the server, if it wants one
`;

/** One command line of `nudge`; see `runProgram`. */
export function run(
  argv: readonly string[],
  io: Io,
  outside: Pick<NudgeContext, 'startAgent' | 'checkSettings'>,
): Promise<ExitCode> {
  const complete = () => import('../complete.js');
  const define: ProgramSpec['define'] = async (program, context, words) => {
    addServerOptions(program)
      .configureHelp({ showGlobalOptions: true })
      .addHelpText('after', EXPLAINED);
    const flags = () => program.opts<{ port?: number; dataDir?: string }>();
    const seen = ioFor(io, () => flags().dataDir);
    const port = () => flags().port;
    await addCommands(program, words, { ...context, ...outside, io: seen, port });
    return words;
  };
  const description = 'Small, high-value hints: how a component is built, run and tested here.';
  return runProgram({ name: NAME, description, define, documentOf, complete }, argv, io);
}

/** Only what is asked for gets its arguments and options. */
async function addCommands(
  program: Command,
  argv: readonly string[],
  context: NudgeContext,
): Promise<void> {
  const { operands } = program.parseOptions([...argv]);
  const [first, second] = operands;
  const asked = first === 'help' ? second : first;
  for (const { name, alias, summary, load } of COMMANDS) {
    const command = program.command(name).description(summary);
    if (alias !== undefined) command.alias(alias);
    command.configureHelp({ showGlobalOptions: true });
    if (asked !== undefined && (name === asked || alias === asked)) {
      (await load()).define(command, context);
    }
  }
}

function addServerOptions(program: Command): Command {
  const words = 'port of the server (else its PID file, else 8765)';
  return program.option('-p, --port <port>', words, portOf).addOption(dataDirOption());
}
