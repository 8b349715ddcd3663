/** `nudge <command> …` (seed `nudge.md` §6). */
import {
  addCommands,
  type CommandEntry,
  dataDirOption,
  type Outside,
  runProgram,
} from '../command-line.js';
import { portOf } from '../flags.js';
import { type ExitCode, type Io, ioFor } from '../io.js';
import { documentOf } from './get.js';

const hints = () => import('./hints.js');
const server = () => import('./server.js');
const transfer = () => import('./transfer.js');

const COMMANDS: readonly CommandEntry[] = [
  ['serve', 'serve the hints, or join whoever serves them; MCP on standard input', server],
  ['status', 'who serves, and how much there is', server],
  ['stop', 'stop the server', server],
  ['set', 'add a hint, or replace the one with the same scope', () => import('./set.js')],
  ['get', 'the best hint of a key, here', hints],
  ['query', 'hints by component, keys, tags or pattern, best first', hints],
  ['ls', 'components, or the keys of one', hints, 'list-components'],
  ['delete', 'remove a key with all its variants, or some of them', hints],
  ['bump', 'say that a hint has helped', hints],
  ['import', 'take in hints from a file', transfer],
  ['export', 'print all hints as a document that import takes', transfer],
  [
    'completion',
    'print what makes a shell complete these commands',
    () => import('../completion.js'),
  ],
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
export function run(argv: readonly string[], io: Io, outside: Outside): Promise<ExitCode> {
  return runProgram(
    {
      name: 'nudge',
      description: 'Small, high-value hints: how a component is built, run and tested here.',
      documentOf,
      complete: () => import('../complete.js'),
      async define(program, context, words) {
        program
          .option('-p, --port <port>', 'port of the server (else its PID file, else 8765)', portOf)
          .addOption(dataDirOption())
          .configureHelp({ showGlobalOptions: true })
          .addHelpText('after', EXPLAINED);
        const flags = () => program.opts<{ port?: number; dataDir?: string }>();
        const seen = ioFor(io, () => flags().dataDir);
        const all = { ...context, ...outside, io: seen, port: () => flags().port };
        await addCommands(program, COMMANDS, program.parseOptions([...words]).operands, all);
        return words;
      },
    },
    argv,
    io,
  );
}
