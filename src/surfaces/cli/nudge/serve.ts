/** `nudge serve`: PRIMARY or PROXY (seed `nudge.md` §11), with JSON-RPC on standard input and output. */
import { type Command, Option } from 'commander';
import { SECOND_MS } from '../../../shared/clock.js';
import { startBridge } from '../../serving/bridge.js';
import { createForwarder } from '../../serving/forward.js';
import { type InputKind, inputKind, live } from '../../serving/life.js';
import { createRoles } from '../../serving/roles.js';
import { EXIT } from '../exit-codes.js';
import type { NudgeCommand, NudgeContext } from './command.js';

interface ServeFlags {
  maxHints?: string;
  /** `--no-secret-guard` */
  secretGuard: boolean;
  defaultTtl?: string;
  logLevel?: string;
}

const STANDARD_INPUT = 0;
const LEVELS = ['debug', 'info', 'warn', 'error'];

const EXPLAINED = `
The first one serves (PRIMARY), every other passes its calls on to it (PROXY) and takes its place when it
dies. An Eliza server with the plugin is served by first of all, and takes the database over when it starts.
Where standard input is a pipe, each of its lines is a JSON-RPC request or batch, each line of standard
output an answer, and the end of the input ends the process.

Database: POSTGRES_URL, else PGLITE_DATA_DIR, else .eliza/.elizadb in this folder or above, else ~/.cue/db
Agent:    CUE_AGENT, a name or an id, where the database has several

Environment:
  NUDGE_MAX_HINTS, NUDGE_SECRET_GUARD, NUDGE_DEFAULT_TTL, NUDGE_LOG_LEVEL   as the options
`;

export const serve: NudgeCommand = { define };

function define(command: Command, context: NudgeContext): void {
  command
    .option('--max-hints <number>', 'how many hints are kept (5000)')
    .option('--no-secret-guard', 'take hints that look like secrets')
    .option('--default-ttl <ttl>', 'how long a hint lives that does not say: session, or P1D')
    .addOption(new Option('--log-level <level>', 'what is told on standard error').choices(LEVELS))
    .addHelpText('after', EXPLAINED)
    .action(async (flags: ServeFlags) => {
      await serveHere(flags, context);
      context.end(EXIT.done);
    });
}

async function serveHere(flags: ServeFlags, { io, port, startAgent }: NudgeContext): Promise<void> {
  const env = { ...io.env, ...settingsOf(flags) };
  const log = (line: string): void => io.err(`nudge: ${line}\n`);
  const asked = port?.();
  const input = inputKind(STANDARD_INPUT);
  const roles = createRoles({
    ...{ startAgent, env, log, cwd: io.cwd, clock: io.clock },
    ...(asked === undefined ? {} : { port: asked }),
  });
  const forwarder = createForwarder(roles, io);
  const streams = { input: process.stdin, output: process.stdout };
  try {
    await live({
      ...{ roles, log, input },
      startBridge: () => startBridge({ ...streams, send: forwarder.send }),
      giveUp: () => forwarder.close(),
    });
  } finally {
    leave(input);
  }
}

/** Each flag is the variable that it mirrors. */
function settingsOf({ maxHints, secretGuard, defaultTtl, logLevel }: ServeFlags) {
  return {
    ...(maxHints === undefined ? {} : { NUDGE_MAX_HINTS: maxHints }),
    ...(secretGuard ? {} : { NUDGE_SECRET_GUARD: '0' }),
    ...(defaultTtl === undefined ? {} : { NUDGE_DEFAULT_TTL: defaultTtl }),
    ...(logLevel === undefined ? {} : { NUDGE_LOG_LEVEL: logLevel }),
  };
}

/** The host leaves timers and handles behind, which must not keep the process. */
function leave(input: InputKind): void {
  if (input !== 'nobody') process.stdin.destroy();
  setTimeout(() => process.exit(), SECOND_MS).unref();
}
