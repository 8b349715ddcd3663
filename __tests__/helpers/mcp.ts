/** Clients of the MCP SDK in the same process as the server. */
import type { IAgentRuntime } from '@elizaos/core';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMcpServer, createSession } from '../../src/surfaces/mcp/index.js';
import type { McpSession } from '../../src/surfaces/mcp/session.js';

export interface McpCall {
  /** The structured result; `{}` of a failed call. */
  result: Record<string, unknown>;
  /** What the model reads: the first text. */
  text: string;
  /** Our code; `null` when it worked. */
  code: string | null;
}

export interface McpClient {
  client: Client;
  session: McpSession;
  call(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<McpCall>;
  close(): Promise<void>;
}

let made = 0;

/** Connected, and its tool list read: from then on the client checks results by their schemas. */
export async function mcpClient(
  runtime: IAgentRuntime,
  {
    name = 'test',
    tools = ['all'],
    clientSession,
  }: { name?: string; tools?: readonly string[]; clientSession?: string } = {},
): Promise<McpClient> {
  made += 1;
  const session = createSession({ id: `session-${made}`, isLocal: true, clientSession });
  const server = createMcpServer({ runtime, session, tools });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name, version: '1.0.0' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  await client.listTools();
  return {
    client,
    session,
    async call(tool, args = {}, options) {
      const params = { name: tool, arguments: args };
      const answer = await client.callTool(params, CallToolResultSchema, options);
      const { content, structuredContent, _meta } = CallToolResultSchema.parse(answer);
      const [first] = content;
      const told = _meta?.['cue/error'];
      return {
        result: structuredContent ?? {},
        text: first?.type === 'text' ? first.text : '',
        code: told === undefined ? null : String(Reflect.get(Object(told), 'code')),
      };
    },
    close: () => client.close(),
  };
}
