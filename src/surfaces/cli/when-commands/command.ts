/** `cue when …`: arguments and options; what they do is in the files that are loaded for it. */
import type { Command } from 'commander';
import { addFlags, type CommandContext } from '../command-line.js';
import type { Flags } from '../flags.js';
import { badInput, type ExitCode, type Io } from '../io.js';
import { optionNamed } from '../typed-words.js';
import { FILE_FLAGS, type WhenFlags } from './paths.js';

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

type Run = (io: Io, flags: WhenFlags, words: readonly string[]) => Promise<ExitCode>;

interface WhenCommand {
  about: string;
  args?: string;
  flags?: Flags;
  after?: string;
  run: Run;
}

const work = () => import('./perform.js');

const COMMANDS: Readonly<Record<string, WhenCommand>> = {
  validate: {
    about: 'check index and decision files; for pre-commit checks',
    flags: [['fix', '--fix', 'mend order, placement and repeated lines']],
    run: async (io, flags) => (await work()).validateCommand(io, flags),
  },
  migrate: {
    about: 'bring an index of "Key — description" lines into the three-field format',
    flags: [['dryRun', '--dry-run', 'show what would change, and change nothing']],
    run: async (io, flags) => (await work()).migrateCommand(io, flags),
  },
  remember: {
    about: 'add an entry, and its section when content is given',
    args: '[line]',
    flags: [
      ['trigger', '--trigger <phrase>', 'what an agent types, 2 to 5 words: "writing mock tests"'],
      ['header', '--header <title>', 'title of the section in the decision file'],
      ['description', '--description <words>', 'keywords by which the entry is found'],
      ['file', '--file <name>', 'decision file, where the header does not say it'],
      ['content', '--content <text>', 'markdown of a new section; "-" reads standard input'],
      ['contentFile', '--content-file <path>', 'the same from a file'],
      ['under', '--under <title>', 'section that the new one goes into: ".Mock Patching"'],
      ['how', '--how', 'write the entry with /how'],
    ],
    after: LINE_EXPLAINED,
    run: async (...given) => (await work()).rememberCommand(...given),
  },
  stats: {
    about: 'how much of what could have been recalled was recalled',
    run: async (io, flags) => (await work()).statsCommand(io, flags),
  },
};

function define(when: Command, { io, end }: CommandContext): void {
  /** With its own options and those of the group; keeps how it ended. */
  const performed =
    (run: Run) =>
    async (...given: unknown[]): Promise<void> => {
      const command = given.pop() as Command;
      const flags = command.optsWithGlobals<WhenFlags>();
      if (flags.port !== undefined && command !== when) {
        const message = `cue when ${command.name()} works on the files of the project: leave -p out`;
        throw badInput(message, { flag: '--port' });
      }
      const words = given.flat().filter((word) => typeof word === 'string');
      end(await run(io, flags, words));
    };
  addFlags(when, WHEN_FLAGS)
    .usage('[options] <trigger>...')
    .argument('[trigger...]')
    .configureHelp({ showGlobalOptions: true, visibleArguments: () => [] })
    .addHelpText('after', EXPLAINED)
    .action(performed(async (...given) => (await work()).recallCommand(...given)));
  for (const [name, { about, args, flags = [], after = '', run }] of Object.entries(COMMANDS)) {
    const command = addFlags(when.command(name).description(about), flags);
    if (args !== undefined) command.usage(`[options] ${args}`).argument(args);
    command.addHelpText('after', after).action(performed(run));
  }
}

const WHEN_FLAGS: Flags = [
  ...FILE_FLAGS,
  ['port', '-p, --port <port>', 'recall from the index of the server at this port', 'port'],
];

/** In front of a trigger it says nothing new. */
const SPELLED_OUT = '/when';

/**
 * What commander would take in another way: an argument that is a list (`- a\n- b`) and looks like an
 * option, a trigger behind `--` that has the name of a command, and one that begins with the name of a
 * command that takes no words (`migrate the database`). A space in front and the slash command in front
 * say the same.
 */
export function prepare(args: readonly string[], when: Command): string[] {
  // The value of an option stays as it is.
  const isValue = (at: number) => isValued(args[at - 1] ?? '', when);
  const listed = args.map((arg, at) => (/^-\s/.test(arg) && !isValue(at) ? ` ${arg}` : arg));
  const end = listed.indexOf('--');
  const told = end < 0 ? listed : listed.slice(0, end);
  const [first, second] = told.flatMap((arg, at) => (/^-./.test(arg) || isValue(at) ? [] : [at]));
  if (first === undefined) {
    const isName = end >= 0 && Object.hasOwn(COMMANDS, listed[end + 1] ?? '');
    return isName ? [...told, '--', SPELLED_OUT, ...listed.slice(end + 1)] : listed;
  }
  const command = COMMANDS[listed[first] ?? ''];
  // An option of its own says that the command is meant.
  const isOurs = told.some((arg) => /^-./.test(arg) && !optionNamed(arg, when));
  if (second === undefined || command === undefined || command.args !== undefined || isOurs) {
    return listed;
  }
  return [...listed.slice(0, first), SPELLED_OUT, ...listed.slice(first)];
}

/** Whether the word behind it is its value, of the command or of those below it. */
function isValued(word: string, when: Command): boolean {
  const options = [when, ...when.commands].flatMap((one) => one.options);
  return options.some(({ required, long, short }) => required && (word === long || word === short));
}
