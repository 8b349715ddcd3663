/**
 * `cue <group> …`: one file per group of commands, loaded only when it is asked for, because a
 * recall has to start fast. A new group is one more line in the table.
 */
import type { Command } from 'commander';
import { type CommandContext, runProgram } from './command-line.js';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

export type { CommandContext } from './command-line.js';

export interface CommandGroup {
  /** Adds arguments, options and subcommands to the group's command. */
  define(command: Command, context: CommandContext): void;
  /**
   * Its arguments as commander shall see them, where it would take them in another way.
   * @param command what `define` has made of it
   */
  prepare?(args: readonly string[], command: Command): string[];
}

interface GroupEntry {
  name: string;
  summary: string;
  load(): Promise<CommandGroup>;
}

const GROUPS: readonly GroupEntry[] = [
  {
    name: 'when',
    summary: 'recall knowledge of the project by trigger, and keep its index',
    load: async () => (await import('./when-command.js')).whenGroup,
  },
];

/** One command line of `cue`; see `runProgram`. */
export function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const define = (program: Command, context: CommandContext) => addGroups(program, argv, context);
  const description = 'Knowledge that is recalled because it is offered.';
  return runProgram({ name: 'cue', description, define }, argv, io);
}

async function addGroups(
  program: Command,
  argv: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> {
  const [first, ...rest] = argv;
  const asked = first === 'help' ? rest[0] : first;
  let args = argv;
  for (const { name, summary, load } of GROUPS) {
    const command = program.command(name).description(summary);
    if (name !== asked) continue;
    const group = await load();
    group.define(command, context);
    if (name === first && group.prepare) args = [name, ...group.prepare(rest, command)];
  }
  return args;
}
