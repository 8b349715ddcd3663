/**
 * MCP on standard input and output, passed on to whoever serves. Plain calls of `nudge.*` are taken on
 * the same lines (docs/rest.md): both are JSON-RPC.
 */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../shared/clock.js';
import { type Bridge, startBridge } from './bridge.js';
import { createForwarder } from './forward.js';
import type { IdentityKeeper } from './kept-identity.js';
import { createMcpForwarder } from './mcp-forward.js';
import { isFields } from './mcp-messages.js';
import type { Roles } from './roles.js';
import { INVALID_REQUEST, response } from './rpc-body.js';

export interface McpBridgeDeps {
  input: Readable;
  output: Writable;
  roles: Roles;
  clock: Clock;
  /** Groups of tools, comma-separated; absent: those of the server's settings. */
  tools?: string | undefined;
  /** The session of its own that the client's hooks speak in (`x-cue-session`). */
  clientSession?: string | undefined;
  /** Absent: nobody is remembered from one process to the next. */
  keeper?: IdentityKeeper | undefined;
  /** How long the end waits for the server to hear of it, ms; half a second when absent. */
  leaveMs?: number;
  /** One line for people. */
  log(line: string): void;
}

export interface McpBridge {
  start(): Bridge;
  /** Breaks off what is held and under way, with answers that say so, and why. */
  giveUp(why?: string): void;
}

const NUDGE = /^nudge[._]/;
const NO_BATCH = { code: INVALID_REQUEST, message: 'a batch holds at least one request' };

export function createMcpBridge(deps: McpBridgeDeps): McpBridge {
  const { input, output, roles, clock } = deps;
  let emit: (line: string) => void = () => {};
  const calls = createForwarder(roles, { clock });
  const mcp = createMcpForwarder({ ...deps, emit: (line) => emit(line) });

  const one = (message: unknown): Promise<string | null> =>
    isNudge(message) ? calls.send(JSON.stringify(message), message) : mcp.send(message);

  async function send(text: string, body: unknown): Promise<string | null> {
    if (!Array.isArray(body)) return isNudge(body) ? calls.send(text, body) : mcp.send(body);
    if (body.length === 0) return response(null, NO_BATCH);
    if (body.every(isNudge)) return calls.send(text, body);
    const answers = (await Promise.all(body.map(one))).filter((answer) => answer !== null);
    return answers.length === 0 ? null : `[${answers.join(',')}]`;
  }

  return {
    start() {
      const bridge = startBridge({ input, output, send });
      emit = bridge.write;
      return {
        gone: bridge.gone,
        get isUsed() {
          return bridge.isUsed;
        },
        get hasGreeted() {
          return mcp.hasGreeted;
        },
        async close() {
          await bridge.close();
          await mcp.end();
        },
      };
    },
    giveUp(why) {
      calls.close(why);
      mcp.close(why);
    },
  };
}

function isNudge(message: unknown): boolean {
  return isFields(message) && typeof message.method === 'string' && NUDGE.test(message.method);
}
