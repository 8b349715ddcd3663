/**
 * `cue <group> …`: one file per group of commands, loaded only when it is asked for, because a
 * recall has to start fast. A new group is one more line in the table.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { messageOf } from '../../shared/errors.js';
import { badInput, EXIT, type ExitCode, errorDocument, exitCodeOf } from './exit-codes.js';
import { type Io, printJson } from './io.js';

/** What a group is handed: it adds its commands, and says here how they ended. */
export interface CommandContext {
  io: Io;
  end(code: ExitCode): void;
}

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

/**
 * Runs one command line, without the program's own name. Never throws: what goes wrong is told on
 * `io.err`, or as a document on `io.out` with `--json`, and by the exit code.
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  try {
    const end = (ended: ExitCode) => {
      code = ended;
    };
    const { program, args } = await programFor(argv, { io, end });
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return endOfParsing(error, argv, io);
    return tell(error, argv, io);
  }
}

async function programFor(argv: readonly string[], context: CommandContext) {
  const program = new Command('cue')
    .description('Knowledge that is recalled because it is offered.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.io.out(text),
      writeErr: (text) => context.io.err(text),
      // Told once, in `endOfParsing`, in the form that was asked for.
      outputError: () => {},
    });
  const [first, ...rest] = argv;
  const asked = first === 'help' ? rest[0] : first;
  let args = [...argv];
  for (const { name, summary, load } of GROUPS) {
    const command = program.command(name).description(summary);
    if (name !== asked) continue;
    const group = await load();
    group.define(command, context);
    if (name === first && group.prepare) args = [name, ...group.prepare(rest, command)];
  }
  return { program, args };
}

/** Help and version end the parsing as errors do; only the latter have a code of their own. */
function endOfParsing(error: CommanderError, argv: readonly string[], io: Io): ExitCode {
  if (error.exitCode === 0) return EXIT.done;
  // `cue` alone: its help was printed.
  if (error.code === 'commander.help') return EXIT.badInput;
  const message = error.message.replace(/^error: /, '');
  return tell(badInput(message, { reason: error.code }), argv, io);
}

function tell(error: unknown, argv: readonly string[], io: Io): ExitCode {
  if (wantsJson(argv)) printJson(io, errorDocument(error));
  else io.err(`cue: ${messageOf(error)}\n`);
  return exitCodeOf(error);
}

/** Also where the rest of the line could not be understood. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).includes('--json');
}

function version(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const manifest: { version: string } = JSON.parse(text);
  return manifest.version;
}
