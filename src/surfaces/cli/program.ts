/** `cue <command> …`. A new command is one more line in the table. */
import { addCommands, type CommandEntry, type Outside, runProgram } from './command-line.js';
import type { ExitCode, Io } from './io.js';

const GLOBAL_EXPLAINED = `
-p/--port, --data-dir and --json may also stand in front of the command: cue -p 8766 recall login bug
`;

const memory = () => import('./memory.js');
const status = () => import('./status.js');
const transfer = () => import('./transfer.js');
const trigger = () => import('./trigger.js');
const when = () => import('./when-commands/command.js');

const COMMANDS: readonly CommandEntry[] = [
  ['when', 'recall knowledge of the project by trigger, and keep its index', when],
  ['recall', 'find memories of earlier work', memory],
  ['store', 'keep what was done, and what came of it', memory],
  ['offers', 'what is offered, and what it was good for', () => import('./offers.js')],
  ['trigger', 'instructions that run by a schedule', trigger],
  ['runs', 'what has run, of all triggers', trigger],
  ['autonomy', 'the autonomous side: how it stands, on, off, one cycle', status],
  ['status', 'who serves, and how all of it is', status],
  ['doctor', 'what is wrong, and the command that mends it', () => import('./doctor.js')],
  ['open', 'the panel in the browser', () => import('./open.js')],
  ['export', 'print memories or triggers, for import elsewhere', transfer],
  ['import', 'take in what export has printed', transfer],
  ['purge', 'forget memories', memory],
  [
    'completion',
    'print what makes a shell complete these commands',
    () => import('./completion.js'),
  ],
  ['mcp', 'an MCP server for coding agents, and its installation', () => import('./mcp.js')],
  [
    'hook',
    "tell Claude Code's hooks what is remembered; JSON on standard input",
    () => import('./hook/command.js'),
  ],
];

/** One command line of `cue`; see `runProgram`. */
export function run(argv: readonly string[], io: Io, outside: Outside = {}): Promise<ExitCode> {
  return runProgram(
    {
      name: 'cue',
      description: 'Knowledge that is recalled because it is offered.',
      complete: () => import('./complete.js'),
      async define(program, context, words) {
        const all = { ...context, ...outside };
        const args = await addCommands(program, COMMANDS, commandFirst(words), all);
        program.addHelpText('after', GLOBAL_EXPLAINED);
        return args;
      },
    },
    argv,
    io,
  );
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
