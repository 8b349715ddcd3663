/** `cue mcp` as a client starts it: a child that speaks MCP on its standard input and output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { builtBin } from '../built.js';

export interface Bridge {
  child: ChildProcess;
  /** From the start of the process to its answer to `initialize`, which it gives before anybody serves, ms. */
  greetedMs: number;
  /** From there, too, to the answer to its first `recall`, which only a server gives, ms. */
  recalledMs: number;
  /** What it had used before each of its lines, where it was asked to say so. */
  used: Used[];
  /** The line that answers. @throws Error when it is an error, or the process has ended */
  ask(method: string, params: object): Promise<string>;
  /** Closes its input and waits for its end. */
  end(): Promise<void>;
}

/** What the process has taken so far. */
export interface Used {
  cpuMs: number;
  residentMb: number;
}

const BIN = builtBin('cue');
/** In the child: what it has used, on its fourth stream, before it writes a line. */
const TELL_USED = `
  import { writeSync } from 'node:fs';
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (...line) => {
    const { user, system } = process.cpuUsage();
    const residentMb = process.memoryUsage.rss() / 2 ** 20;
    writeSync(3, JSON.stringify({ cpuMs: (user + system) / 1_000, residentMb }) + '\\n');
    return write(...line);
  };`;
const TELLING = ['--import', `data:text/javascript,${encodeURIComponent(TELL_USED)}`];
const HELLO = {
  protocolVersion: LATEST_PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

/** Resolves when it has answered its first `recall`: somebody serves it. One question at a time. */
export async function startBridge(env: NodeJS.ProcessEnv, tellsUsed = false): Promise<Bridge> {
  const from = performance.now();
  const stdio = ['pipe', 'pipe', 2, 'pipe'] as const;
  const child = spawn(process.execPath, [...(tellsUsed ? TELLING : []), BIN, 'mcp'], {
    env,
    stdio: [...stdio],
  });
  if (!child.stdin || !child.stdout) throw new Error('cue mcp has no streams');
  const { stdin, stdout } = child;
  const used: Used[] = [];
  createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
    used.push(JSON.parse(line) as Used);
  });
  const lines = createInterface({ input: stdout });
  const send = (message: object) => stdin.write(`${JSON.stringify(message)}\n`);
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
  const greetedMs = performance.now() - from;
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await ask('tools/call', { name: 'recall', arguments: { query: 'what was done last' } });
  const recalledMs = performance.now() - from;
  return {
    ...{ child, greetedMs, recalledMs, used, ask },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      stdin.end();
      await exit;
    },
  };
}
