/** `cue when …`: arguments and options; what they do is in the files that are loaded for it. */
import { Command, CommanderError } from 'commander';
import type { CommandContext } from '../command-line.js';
import { portOf } from '../flags.js';
import { badInput, type ExitCode, type Io } from '../io.js';
import type { WhenFlags } from './paths.js';
import type { RememberFlags } from './perform.js';

export const commands = { when: define };

const EXPLAINED = `
Arguments:
  Each argument is a trigger; words without quotes are one. "§ .Title" gives a whole section, "§ file.md"
  a whole file, "-" reads triggers from standard input, one a line. A trigger that is the name of a
  command, or begins with "remember", stands behind --: cue when -- validate

Examples:
  cue when "writing mock tests"
  cue when "writing mock tests" "§ testing.md" --json
  cue when remember "writing mock tests | Mock patching pattern | patch where used, not defined"

Exit codes:
  0 done, everything found   1 failure, or validate found errors   2 bad input   3 something not found

Environment:
  CUE_WHEN_INDEX, CUE_WHEN_DECISIONS   what --index and --decisions are without being given
  CUE_FILE_ROOTS                       directories outside which no file is read, comma-separated
  CUE_SESSION_ID                       the session that a recall counts for (cue when stats); without
                                       it, all calls of one parent process on one day are a session
  CUE_DATA_DIR                         directory of the journal that stats reads
`;

const LINE_EXPLAINED = `
The line is the entry as in the index, instead of --trigger, --header and --description:
  cue when remember "writing mock tests | Mock patching pattern | patch where used, not defined"
`;

function define(when: Command, { io, end }: CommandContext): void {
  /** Runs a command with its own options and those of the group, and keeps how it ended. */
  async function perform<Flags extends WhenFlags>(
    command: Command,
    runCommand: (io: Io, flags: Flags) => Promise<ExitCode>,
  ): Promise<void> {
    const flags = command.optsWithGlobals<Flags>();
    if (flags.port !== undefined && command !== when) {
      const message = `cue when ${command.name()} works on the files of the project: leave -p out`;
      throw badInput(message, { flag: '--port' });
    }
    end(await runCommand(io, flags));
  }

  addOptions(when)
    .usage('[options] <trigger>...')
    .argument('[trigger...]')
    .configureHelp({ showGlobalOptions: true, visibleArguments: () => [] })
    .addHelpText('after', EXPLAINED)
    .action(async (triggers: string[], _own: object, command: Command) => {
      const { recallCommand } = await import('./perform.js');
      await perform<WhenFlags>(command, (...given) => recallCommand(triggers, ...given));
    });

  when
    .command('validate')
    .description('check index and decision files; for pre-commit checks')
    .option('--fix', 'mend order, placement and repeated lines')
    .action(async (_own: object, command: Command) => {
      const { validateCommand } = await import('./perform.js');
      await perform(command, validateCommand);
    });

  when
    .command('migrate')
    .description('bring an index of "Key — description" lines into the three-field format')
    .option('--dry-run', 'show what would change, and change nothing')
    .action(async (_own: object, command: Command) => {
      const { migrateCommand } = await import('./perform.js');
      await perform(command, migrateCommand);
    });

  when
    .command('remember')
    .description('add an entry, and its section when content is given')
    .usage('[options] [line]')
    .argument('[line]')
    .option('--trigger <phrase>', 'what an agent types, 2 to 5 words: "writing mock tests"')
    .option('--header <title>', 'title of the section in the decision file')
    .option('--description <words>', 'keywords by which the entry is found')
    .option('--file <name>', 'decision file, where the header does not say it')
    .option('--content <text>', 'markdown of a new section; "-" reads standard input')
    .option('--content-file <path>', 'the same from a file')
    .option('--under <title>', 'section that the new one goes into: ".Mock Patching"')
    .option('--how', 'write the entry with /how')
    .addHelpText('after', LINE_EXPLAINED)
    .action(async (line: string | undefined, _own: object, command: Command) => {
      const { rememberCommand } = await import('./perform.js');
      await perform<WhenFlags & RememberFlags>(command, (...given) =>
        rememberCommand(line, ...given),
      );
    });

  when
    .command('stats')
    .description('how much of what could have been recalled was recalled')
    .action(async (_own: object, command: Command) => {
      const { statsCommand } = await import('./perform.js');
      await perform(command, statsCommand);
    });
}

function addOptions(when: Command): Command {
  return when
    .option('--index <file>', 'the index (else agents/memory-index.md and the like, upwards)')
    .option('--decisions <folder>', 'the decision files (else "decisions" beside the index)')
    .option('--json', 'print one JSON document')
    .option('--no-usage', 'do not count this recall')
    .option('-p, --port <port>', 'recall from the index of the server at this port', portOf)
    .option('--verbose', 'also say what went wrong beside the result');
}

const WITHOUT_WORDS: ReadonlySet<string> = new Set(['validate', 'migrate', 'stats']);
const COMMANDS: ReadonlySet<string> = new Set([...WITHOUT_WORDS, 'remember']);
/** In front of a trigger it says nothing new. */
const SPELLED_OUT = '/when';

/**
 * What commander would take in another way: an argument that is a list (`- a\n- b`) and looks like an
 * option, a trigger behind `--` that has the name of a command, and one that begins with the name of a
 * command that takes no words (`migrate the database`). A space in front and the slash command in front
 * say the same.
 */
export function prepare(args: readonly string[], when: Command): string[] {
  const valued = valuedOptions(when);
  // The value of an option stays as it is.
  const listed = args.map((arg, at) =>
    /^-\s/.test(arg) && !valued.has(args[at - 1] ?? '') ? ` ${arg}` : arg,
  );
  const end = listed.indexOf('--');
  const told = end < 0 ? listed : listed.slice(0, end);
  const operands = operandsOf(told);
  const [first, second] = operands;
  if (first === undefined) {
    const isName = end >= 0 && COMMANDS.has(listed[end + 1] ?? '');
    return isName ? [...told, '--', SPELLED_OUT, ...listed.slice(end + 1)] : listed;
  }
  if (second === undefined || !WITHOUT_WORDS.has(first)) return listed;
  const at = listed.findIndex(
    (arg, place) => arg === first && !valued.has(listed[place - 1] ?? ''),
  );
  return [...listed.slice(0, at), SPELLED_OUT, ...listed.slice(at)];
}

/** Arguments that are no option; none where the options are wrong, which commander tells by itself. */
function operandsOf(args: readonly string[]): string[] {
  const reader = addOptions(new Command())
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  try {
    return reader.parseOptions([...args]).operands;
  } catch (error) {
    if (error instanceof CommanderError) return [];
    throw error;
  }
}

/** Options behind which an argument is their value, of the command and of those below it. */
function valuedOptions(command: Command): ReadonlySet<string> {
  const options = [command, ...command.commands].flatMap((one) => one.options);
  return new Set(
    options.flatMap(({ required, long, short }) =>
      required && long ? [long, ...(short ? [short] : [])] : [],
    ),
  );
}
