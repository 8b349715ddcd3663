/** `cue mcp` as a client starts it: a child that speaks MCP on its standard input and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { builtBin } from '../built.js';

export interface Bridge {
  child: ChildProcess;
  /** From the start of the process to its answer to `initialize`, ms. */
  tookMs: number;
  /** The line that answers. @throws Error when it is an error, or the process has ended */
  ask(method: string, params: object): Promise<string>;
  /** Closes its input and waits for its end. */
  end(): Promise<void>;
}

const BIN = builtBin('cue');
const HELLO = {
  protocolVersion: LATEST_PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

/** Resolves when it has answered `initialize`. One question at a time. */
export async function startBridge(env: NodeJS.ProcessEnv): Promise<Bridge> {
  const from = performance.now();
  const child = spawn(process.execPath, [BIN, 'mcp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  let asked = 0;

  async function ask(method: string, params: object): Promise<string> {
    asked += 1;
    const id = asked;
    const gone = new AbortController();
    const { signal } = gone;
    const exit = once(child, 'exit', { signal });
    const answer = new Promise<string>((resolve) => {
      lines.on('line', function read(line) {
        // What it tells of by itself has no id.
        if (!line.includes(`"id":${id}`)) return;
        lines.off('line', read);
        resolve(line);
      });
    });
    send({ jsonrpc: '2.0', id, method, params });
    const said = await Promise.race([answer, exit.then(() => 'it has ended')]);
    gone.abort();
    exit.catch(() => {}); // It goes on.
    if (said.includes('"result":') && !said.includes('"isError":true')) return said;
    throw new Error(`cue mcp answered ${method}: ${said.slice(0, 300)}`);
  }

  await ask('initialize', HELLO);
  const tookMs = performance.now() - from;
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return {
    ...{ child, tookMs, ask },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.stdin.end();
      await exit;
    },
  };
}
