/** Clients of the MCP SDK with a bridge as their child: `cue mcp`, or `nudge serve`. */
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { programOf } from './programs.js';

export interface StdioClient {
  client: Client;
  /** Of the child. */
  readonly pid: number;
  /** What it has said on standard error. */
  errors(): string;
  /** The structured result; `{ failed }` with our error of a call that failed. */
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export interface StdioOptions {
  command: readonly ['cue', 'mcp', ...string[]] | readonly ['nudge', 'serve', ...string[]];
  env: Record<string, string>;
  /** Folders that the client says are its own. */
  roots?: readonly string[];
}

const living = new Set<Client>();

/** Connected, and served: the handshake alone needs no server. */
export async function stdioClient({
  command: [bin, ...args],
  env,
  roots = [],
}: StdioOptions): Promise<StdioClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [programOf(`src/bin/${bin}`), ...args],
    env: { ...getDefaultEnvironment(), TZ: 'UTC', ...env },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const client = new Client({ name: bin, version: '1.0.0' }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
  }));
  living.add(client);
  const first = { ref: { type: 'ref/prompt', name: 'session_start' } as const };
  const argument = { name: 'none', value: '' };
  try {
    await client.connect(transport, { timeout: 90_000 });
    await client.complete({ ...first, argument }, { timeout: 90_000 });
  } catch (error) {
    throw new Error(`${bin} does not answer: ${said}`, { cause: error });
  }
  return {
    client,
    pid: transport.pid ?? 0,
    errors: () => said,
    async call(name, input = {}) {
      const answer = await client.callTool({ name, arguments: input });
      const { structuredContent, isError, _meta } = CallToolResultSchema.parse(answer);
      return isError ? { failed: _meta?.['cue/error'] } : { ...structuredContent };
    },
    async close() {
      living.delete(client);
      await client.close();
    },
  };
}

/** For `afterAll`. */
export async function endStdioClients(): Promise<void> {
  await Promise.all([...living].map((client) => client.close()));
  living.clear();
}
