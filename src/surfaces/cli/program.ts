/**
 * `cue <group> …`: one file per group of commands, loaded only when it is asked for, because a
 * recall has to start fast. A new group is one more line in the table.
 */
import type { Command } from 'commander';
import {
  type CommandGroup,
  type CueContext,
  type ProgramSpec,
  runProgram,
} from './command-line.js';
import type { ExitCode, Io } from './io.js';

interface GroupEntry {
  name: string;
  summary: string;
  load(): Promise<CommandGroup>;
}

const NAME = 'cue';
const GLOBAL_EXPLAINED = `
-p/--port, --data-dir and --json may also stand in front of the command: cue -p 8766 recall login bug
`;

const GROUPS: readonly GroupEntry[] = [
  {
    name: 'when',
    summary: 'recall knowledge of the project by trigger, and keep its index',
    load: async () => (await import('./when-commands/command.js')).whenGroup,
  },
  {
    name: 'recall',
    summary: 'find memories of earlier work',
    load: async () => (await import('./memory.js')).recallGroup,
  },
  {
    name: 'store',
    summary: 'keep what was done, and what came of it',
    load: async () => (await import('./memory.js')).storeGroup,
  },
  {
    name: 'offers',
    summary: 'what is offered, and what it was good for',
    load: async () => (await import('./offers.js')).offersGroup,
  },
  {
    name: 'trigger',
    summary: 'instructions that run by a schedule',
    load: async () => (await import('./trigger.js')).triggerGroup,
  },
  {
    name: 'runs',
    summary: 'what has run, of all triggers',
    load: async () => (await import('./trigger.js')).runsGroup,
  },
  {
    name: 'autonomy',
    summary: 'the autonomous side: how it stands, on, off, one cycle',
    load: async () => (await import('./status.js')).autonomyGroup,
  },
  {
    name: 'status',
    summary: 'who serves, and how all of it is',
    load: async () => (await import('./status.js')).statusGroup,
  },
  {
    name: 'doctor',
    summary: 'what is wrong, and the command that mends it',
    load: async () => (await import('./doctor.js')).doctorGroup,
  },
  {
    name: 'open',
    summary: 'the panel in the browser',
    load: async () => (await import('./open.js')).openGroup,
  },
  {
    name: 'export',
    summary: 'print memories or triggers, for import elsewhere',
    load: async () => (await import('./transfer.js')).exportGroup,
  },
  {
    name: 'import',
    summary: 'take in what export has printed',
    load: async () => (await import('./transfer.js')).importGroup,
  },
  {
    name: 'purge',
    summary: 'forget memories',
    load: async () => (await import('./memory.js')).purgeGroup,
  },
  {
    name: 'completion',
    summary: 'print what makes a shell complete these commands',
    load: async () => (await import('./completion.js')).completionGroup,
  },
  {
    name: 'mcp',
    summary: 'an MCP server for coding agents, and its installation',
    load: async () => (await import('./mcp.js')).mcpGroup,
  },
  {
    name: 'hook',
    summary: "tell Claude Code's hooks what is remembered; JSON on standard input",
    load: async () => (await import('./hook/command.js')).hookGroup,
  },
];

/** One command line of `cue`; see `runProgram`. */
export function run(
  argv: readonly string[],
  io: Io,
  outside: Pick<CueContext, 'startAgent' | 'checkSettings'> = {},
): Promise<ExitCode> {
  const define: ProgramSpec['define'] = (program, context, words) =>
    addGroups(program, words, { ...context, ...outside });
  const description = 'Knowledge that is recalled because it is offered.';
  const complete = () => import('./complete.js');
  return runProgram({ name: NAME, description, define, complete }, argv, io);
}

async function addGroups(
  program: Command,
  argv: readonly string[],
  context: CueContext,
): Promise<readonly string[]> {
  const ordered = commandFirst(argv);
  const [first, ...rest] = ordered;
  const asked = first === 'help' ? rest[0] : first;
  let args = ordered;
  for (const { name, summary, load } of GROUPS) {
    const command = program.command(name).description(summary);
    if (name !== asked) continue;
    const group = await load();
    group.define(command, context);
    if (name === first && group.prepare) args = [name, ...group.prepare(rest, command)];
  }
  program.addHelpText('after', GLOBAL_EXPLAINED);
  return args;
}

/** Every command that asks a server has these; of the ones in front, the value of the last is the next word. */
const GLOBAL = /^(?:-p.+|--(?:port|data-dir|json)=.*|--json|(-p|--port|--data-dir))$/;

/** Options in front of the command are those of the command, as in `git -C`. */
function commandFirst(argv: readonly string[]): readonly string[] {
  let at = 0;
  for (let word = GLOBAL.exec(argv[0] ?? ''); word; word = GLOBAL.exec(argv[at] ?? '')) {
    at += word[1] === undefined ? 1 : 2;
  }
  const command = argv[at];
  if (command === undefined || command.startsWith('-')) return argv;
  return [command, ...argv.slice(0, at), ...argv.slice(at + 1)];
}
