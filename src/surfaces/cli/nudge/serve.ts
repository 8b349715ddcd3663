/** `nudge serve`: PRIMARY or PROXY (seed `nudge.md` §11), with MCP on standard input and output. */
import { type Command, Option } from 'commander';
import { serveStdio } from '../../../server/serve-stdio.js';
import { EXIT } from '../exit-codes.js';
import type { NudgeCommand, NudgeContext } from './command.js';

interface ServeFlags {
  maxHints?: string;
  /** `--no-secret-guard` */
  secretGuard: boolean;
  defaultTtl?: string;
  logLevel?: string;
}

/** All of the seed's, and what every client is shown. */
const NUDGE_TOOLS = 'hints,default';
const LEVELS = ['debug', 'info', 'warn', 'error'];

const EXPLAINED = `
The first one of a database serves it (PRIMARY), every other passes its calls on to it (PROXY) and takes its
place when it dies. Servers of other databases are left alone. An Eliza server with the plugin is served by first of all, and takes the database over when it starts.
Where standard input is a pipe, it speaks MCP there, takes plain JSON-RPC calls of nudge.* beside it, and
ends when the input does.

Database: POSTGRES_URL, else PGLITE_DATA_DIR, else .eliza/.elizadb in this folder or above, else what
          the running Eliza server has, else ~/.cue/db
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
      const { io, port, startAgent, checkSettings } = context;
      const env = { ...io.env, ...settingsOf(flags) };
      const tools = io.env.CUE_MCP_TOOLS || NUDGE_TOOLS;
      const outside = { startAgent, checkSettings };
      await serveStdio({ name: 'nudge', io, env, port: port?.(), tools, ...outside });
      context.end(EXIT.done);
    });
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
