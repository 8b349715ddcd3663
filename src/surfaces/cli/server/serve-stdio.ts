/** What `cue mcp` and `nudge serve` do alike: serve, or join whoever serves, with MCP on standard input. */
import { SECOND_MS } from '../../../shared/clock.js';
import { createIdentityKeeper } from '../../serving/kept-identity.js';
import { type InputKind, inputKind, live } from '../../serving/life.js';
import { createMcpBridge } from '../../serving/mcp-bridge.js';
import { createRoles } from '../../serving/roles.js';
import type { StartAgent } from '../../serving/types.js';
import { badInput } from '../exit-codes.js';
import type { Io } from '../io.js';

export interface ServeOptions {
  /** In front of what is told on standard error. */
  name: string;
  io: Io;
  /** Of the server, and of the agent that is started. */
  env: Io['env'];
  port?: number | undefined;
  /** Groups of tools, comma-separated, for this client alone. */
  tools?: string | undefined;
  /** The session of its own that the client's hooks speak in. */
  clientSession?: string | undefined;
  startAgent: () => Promise<StartAgent>;
  /** Asked also where another process serves: this one may have to take its place. */
  checkSettings?: CheckSettings | undefined;
}

/** @throws AppError INVALID_INPUT naming every setting with a wrong value */
export type CheckSettings = (env: Io['env']) => Promise<void>;

const STANDARD_INPUT = 0;
type Level = 'info' | 'warn' | 'error';
const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'];

/** Resolves when the process may end. @throws AppError as `live` and `checkSettings` */
export async function serveStdio(options: ServeOptions): Promise<void> {
  await options.checkSettings?.(options.env);
  await checkDefaultTtl(options.env);
  const { name, io, env, port, tools, clientSession, startAgent } = options;
  const tell = (level: Level): ((line: string) => void) =>
    isTold(level, env.NUDGE_LOG_LEVEL) ? (line) => io.err(`${name}: ${line}\n`) : () => {};
  const log = tell('warn');
  const input = inputKind(STANDARD_INPUT);
  const roles = createRoles({
    ...{ startAgent, env, log, cwd: io.cwd, clock: io.clock, hasClient: input === 'client' },
    ...(port === undefined ? {} : { port }),
  });
  const streams = { input: process.stdin, output: process.stdout };
  const bridge = createMcpBridge({
    ...{ ...streams, roles, log, tools, clientSession },
    clock: io.clock,
    keeper: createIdentityKeeper({ env, cwd: io.cwd, log }),
  });
  try {
    const lines = { log: tell('error'), news: tell('info') };
    await live({ roles, ...lines, input, startBridge: bridge.start, giveUp: bridge.giveUp });
  } finally {
    leave(input);
  }
}

/** Which words are a duration says the room of hints, and it is not loaded for a process that only follows. */
async function checkDefaultTtl({ NUDGE_DEFAULT_TTL: ttl }: Io['env']): Promise<void> {
  if (!ttl?.trim()) return;
  const { parseTtl } = await import('../../../hints/offline.js');
  const parsed = parseTtl(ttl);
  if ('finding' in parsed) {
    throw badInput(`wrong setting: NUDGE_DEFAULT_TTL ${parsed.finding.message}`);
  }
}

/** @param least as it was asked for; what is no level is told by the agent's settings */
function isTold(level: Level, least: string | undefined): boolean {
  const from = LEVELS.indexOf(least ?? '');
  return LEVELS.indexOf(level) >= from;
}

/** The host leaves timers and handles behind, which must not keep the process. */
function leave(input: InputKind): void {
  if (input !== 'nobody') process.stdin.destroy();
  setTimeout(() => process.exit(), SECOND_MS).unref();
}
