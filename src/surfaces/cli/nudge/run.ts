/** What all commands of `nudge` have, whichever of them a process knows. */

import type { Command } from 'commander';
import { RpcFailure } from '../../../server/client.js';
import { dataDirOption, type ProgramSpec, runProgram } from '../command-line.js';
import { portOf } from '../flags.js';
import { type ExitCode, errorDocument, type Io, ioFor } from '../io.js';
import type { NudgeCommand, NudgeContext } from './call.js';

export interface CommandEntry {
  name: string;
  alias?: string;
  summary: string;
  load(): Promise<NudgeCommand>;
}

const NAME = 'nudge';

export const GET: CommandEntry = {
  name: 'get',
  summary: 'the best hint of a key, here',
  load: async () => (await import('./read.js')).get,
};

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

interface NudgeLine extends Pick<ProgramSpec, 'complete'> {
  argv: readonly string[];
  commands: readonly CommandEntry[];
}

export function runNudge(
  { argv, commands, complete }: NudgeLine,
  io: Io,
  outside: Pick<NudgeContext, 'startAgent' | 'checkSettings'>,
): Promise<ExitCode> {
  const define: ProgramSpec['define'] = async (program, context, words) => {
    addServerOptions(program)
      .configureHelp({ showGlobalOptions: true })
      .addHelpText('after', EXPLAINED);
    const flags = () => program.opts<{ port?: number; dataDir?: string }>();
    const seen = ioFor(io, () => flags().dataDir);
    const port = () => flags().port;
    await addCommands(program, commands, words, { ...context, ...outside, io: seen, port });
    return words;
  };
  const description = 'Small, high-value hints: how a component is built, run and tested here.';
  return runProgram({ name: NAME, description, define, documentOf, complete }, argv, io);
}

/** The error of a method as it came; others have the form of `cue`. */
function documentOf(error: unknown): object {
  return error instanceof RpcFailure ? { error: error.body } : errorDocument(error);
}

/** Only what is asked for gets its arguments and options. */
async function addCommands(
  program: Command,
  commands: readonly CommandEntry[],
  argv: readonly string[],
  context: NudgeContext,
): Promise<void> {
  const { operands } = program.parseOptions([...argv]);
  const [first, second] = operands;
  const asked = first === 'help' ? second : first;
  for (const { name, alias, summary, load } of commands) {
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
