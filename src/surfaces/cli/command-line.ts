/** How the command line of a program is run, and how its end is told: the same for each of them. */
import { Command, CommanderError, Option } from 'commander';
import type { StartAgent } from '../../server/client.js';
import type { CheckSettings } from '../../server/serve-stdio.js';
import { AppError } from '../../shared/errors.js';
import { packageVersion } from '../../shared/package-version.js';
import { fieldsAttached } from './fields.js';
import { type Flags, readerOf } from './flags.js';
import { badInput, EXIT, type ExitCode, errorDocument, type Io, tellError } from './io.js';
import { commandOf } from './typed-words.js';

const HELP = 'help';
/** What shells ask at each press of the key. */
const COMPLETE = '__complete';

type Complete = (program: Command, words: string[], io: Io) => Promise<void> | void;

/** What is handed in from outside. */
export interface Outside {
  /** Starts a headless agent; loaded when it is asked for, because it brings the host along. */
  startAgent?: () => Promise<StartAgent>;
  /** @throws AppError INVALID_INPUT naming every setting with a wrong value */
  checkSettings?: CheckSettings;
}

/** @throws AppError UNAVAILABLE where none is handed in */
export function agentStarterOf({ startAgent }: Outside): () => Promise<StartAgent> {
  if (startAgent) return startAgent;
  throw new AppError('UNAVAILABLE', 'no agent can be started here');
}

/** What commands are handed: they say here how they ended. */
export interface CommandContext extends Outside {
  io: Io;
  end(code: ExitCode): void;
  /** `--port` of the program, before the command's name or behind it; absent where each command has its own. */
  port?: () => number | undefined;
}

/** Adds arguments, options and subcommands to a command. */
export type DefineCommand = (command: Command, context: CommandContext) => void;

interface CommandFile {
  commands: Readonly<Record<string, DefineCommand>>;
  /**
   * Arguments as commander shall see them, where it would take them in another way.
   * @param command what has been made of it
   */
  prepare?(args: readonly string[], command: Command): string[];
}

/** A file is loaded only when a command of it is asked for, because a recall has to start fast. */
export type CommandEntry = readonly [
  name: string,
  summary: string,
  load: () => Promise<CommandFile>,
  alias?: string,
];

/**
 * Adds all commands; only the one that is asked for gets its arguments and options.
 * @param words of the line, beginning with the command's name
 * @returns the words as commander shall see them
 */
export async function addCommands(
  program: Command,
  entries: readonly CommandEntry[],
  words: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> {
  const [first, ...rest] = words;
  const asked = first === HELP ? rest[0] : first;
  let args = words;
  for (const [name, summary, load, alias] of entries) {
    const command = program.command(name).description(summary);
    if (alias !== undefined) command.alias(alias);
    if (asked === undefined || (asked !== name && asked !== alias)) continue;
    const { commands, prepare } = await load();
    commands[name]?.(command, context);
    if (prepare && first === name) args = [name, ...prepare(rest, command)];
  }
  return args;
}

export interface ProgramSpec {
  name: string;
  description: string;
  /** What `--json` prints for an error; `errorDocument` when absent. */
  documentOf?(error: unknown): object;
  /** Loads what answers shells; absent: they do not ask this one. */
  complete?: (() => Promise<{ complete: Complete }>) | undefined;
  /** Adds the commands, and what the one that is asked for takes; returns the arguments as commander shall see them. */
  define(
    program: Command,
    context: CommandContext,
    argv: readonly string[],
  ): Promise<readonly string[]>;
}

/**
 * Runs one command line, without the program's own name. Never throws: what goes wrong is told on
 * `io.err`, or as a document on `io.out` with `--json`, and by the exit code.
 */
export async function runProgram(
  { name, description, define, documentOf = errorDocument, complete: completion }: ProgramSpec,
  argv: readonly string[],
  io: Io,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  let isHelpAnError = false;
  const program = new Command(name)
    .description(description)
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => {
        isHelpAnError = true;
        io.err(text);
      },
      // Told once, in `endOfParsing`, in the form that was asked for.
      outputError: () => {},
    });
  const end = (ended: ExitCode) => {
    code = ended;
  };
  const tell = (error: unknown) => tellError(error, { name, argv, documentOf }, io);
  try {
    if (completion && argv[0] === COMPLETE) {
      const words = argv.slice(argv[1] === '--' ? 2 : 1);
      const { complete } = await completion();
      await define(program, { io, end }, words).then(
        () => complete(program, words, io),
        // What is typed so far cannot be understood: nothing is offered.
        () => {},
      );
      return EXIT.done;
    }
    const args = fieldsAttached(program, await define(program, { io, end }, argv));
    mustBeKnown(program, args);
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) return tell(error);
    // Help and version end the parsing as errors do; only the latter have a code of their own.
    if (error.exitCode === 0) return EXIT.done;
    // The program alone, or help that was asked for; the code of the error is that of the process, if it
    // has one already (commander's `help`), and databases set one.
    if (error.code === 'commander.help') return isHelpAnError ? EXIT.badInput : EXIT.done;
    return tell(badInput(likelyOnly(error.message), { reason: error.code }));
  }
}

/** Commander's words, without suggestions that begin with another letter: few people mistype the first. */
function likelyOnly(message: string): string {
  const words = message.replace(/^error: /, '');
  const suggested = /\n\(Did you mean (?:one of )?(.+)\?\)$/.exec(words);
  const said = /'-*(.)[^']*'/.exec(words)?.[1];
  if (suggested === null || said === undefined) return words;
  const likely = (suggested[1] ?? '')
    .split(', ')
    .filter((word) => word.replace(/^-+/, '').startsWith(said.toLowerCase()));
  const head = words.slice(0, suggested.index);
  return likely.length === 0 ? head : `${head}\n(Did you mean ${likely.join(' or ')}?)`;
}

/** What help is asked for: of others, commander prints that of the program. @throws AppError INVALID_INPUT */
function mustBeKnown(program: Command, args: readonly string[]): void {
  let command = program;
  const path = [program.name()];
  for (const [at, word] of args.entries()) {
    const asked = args[at + 1];
    if (word === HELP && command.commands.length > 0) {
      if (asked === undefined || asked === HELP || asked.startsWith('-')) return;
      if (commandOf(command, asked)) return;
      throw badInput(`unknown command '${asked}': ${path.join(' ')} --help lists them`);
    }
    const next = commandOf(command, word);
    if (!next) return;
    command = next;
    path.push(word);
  }
}

export function dataDirOption(): Option {
  return new Option('--data-dir <directory>', 'the server of this database').conflicts('port');
}

/** The tables of the options that a command was given. */
const tables = new WeakMap<Command, Flags>();

export function addFlags(command: Command, flags: Flags): Command {
  for (const flag of flags) {
    const [, written, about, reading] = flag;
    const option = new Option(written, about);
    const read = readerOf(flag);
    if (Array.isArray(reading)) option.choices(reading);
    else if (read) option.argParser(read);
    command.addOption(option);
  }
  tables.set(command, flags);
  return command;
}

/** How the option is written that fills a field; `undefined`: none of the table does. */
export function filledBy(command: Command, field: string): string | undefined {
  return tables.get(command)?.find(([one]) => one === field)?.[1];
}
