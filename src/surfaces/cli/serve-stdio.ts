/** What `cue mcp` and `nudge serve` do alike: serve, or join whoever serves, with MCP on standard input. */
import { SECOND_MS } from '../../shared/clock.js';
import { type InputKind, inputKind, live } from '../serving/life.js';
import { createMcpBridge } from '../serving/mcp-bridge.js';
import { createRoles } from '../serving/roles.js';
import type { StartAgent } from '../serving/types.js';
import type { Io } from './io.js';

export interface ServeOptions {
  /** In front of what is told on standard error. */
  name: string;
  io: Io;
  /** Of the server, and of the agent that is started. */
  env: Io['env'];
  port?: number | undefined;
  /** Groups of tools, comma-separated, for this client alone. */
  tools?: string | undefined;
  startAgent: () => Promise<StartAgent>;
}

const STANDARD_INPUT = 0;

/** Resolves when the process may end. @throws AppError as `live` */
export async function serveStdio(options: ServeOptions): Promise<void> {
  const { name, io, env, port, tools, startAgent } = options;
  const log = (line: string): void => io.err(`${name}: ${line}\n`);
  const input = inputKind(STANDARD_INPUT);
  const roles = createRoles({
    ...{ startAgent, env, log, cwd: io.cwd, clock: io.clock },
    ...(port === undefined ? {} : { port }),
  });
  const streams = { input: process.stdin, output: process.stdout };
  const bridge = createMcpBridge({ ...streams, roles, log, tools, clock: io.clock });
  try {
    await live({ roles, log, input, startBridge: bridge.start, giveUp: bridge.giveUp });
  } finally {
    leave(input);
  }
}

/** The host leaves timers and handles behind, which must not keep the process. */
function leave(input: InputKind): void {
  if (input !== 'nobody') process.stdin.destroy();
  setTimeout(() => process.exit(), SECOND_MS).unref();
}
