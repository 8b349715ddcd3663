/** The MCP server of one connection, on the official SDK; knows no transport. */
import type { IAgentRuntime } from '@elizaos/core';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CompleteRequest,
  CompleteRequestSchema,
  ErrorCode,
  type Tool as ListedTool,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { Tool } from '../../operations/index.js';
import { hostLog } from '../../shared/log.js';
import { safe } from '../../shared/safe-text.js';
import { OFFERS_META } from '../mcp-client.js';
import { CAPABILITIES, instructionsOf, serverInfo } from '../mcp-greeting.js';
import { callTool } from './call.js';
import { CheckingServer } from './checking-server.js';
import { answering, type Connection, requireFirstPage } from './connection.js';
import { jsonSchemaOf } from './json-schema.js';
import { announceOffers } from './notifications.js';
import { completePrompt, registerPrompts } from './prompts.js';
import { completeResource, registerResources } from './resources/index.js';
import type { Candidates } from './resources/stored.js';
import type { McpSession, ToolCall } from './session.js';
import { callableOf, toolNamed, toolsOf } from './tools.js';

/** Of the protocol. */
const MOST = 100;
const MAX_TYPED = 1_000;

function registerCompletion(connection: Connection): void {
  connection.server.setRequestHandler(CompleteRequestSchema, ({ params }) =>
    answering(connection, 'completion', async () => {
      const typed = params.argument.value.slice(0, MAX_TYPED);
      const { values: all, isPart = false } = await candidates(params, typed, connection);
      const fitting = matching(all, typed);
      const values = fitting.slice(0, MOST);
      const hasMore = isPart || fitting.length > values.length;
      // How many there are is known only of what has been looked at.
      const total = isPart ? {} : { total: fitting.length };
      return { completion: { values, ...total, hasMore } };
    }),
  );
}

async function candidates(
  { ref, argument }: CompleteRequest['params'],
  typed: string,
  connection: Connection,
): Promise<Candidates> {
  if (ref.type === 'ref/prompt') return completePrompt(ref.name, argument.name, typed, connection);
  const found = await completeResource(ref.uri, argument.name, typed, connection);
  if (found) return found;
  throw new McpError(ErrorCode.InvalidParams, `there is no resource "${safe(ref.uri, 200)}"`);
}

/** Each once; what begins so stands before what has it further on. Letter case says nothing. */
function matching(values: readonly string[], typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const begins = (value: string) => value.toLowerCase().startsWith(wanted);
  const all = [...new Set(values)].filter((value) => value.toLowerCase().includes(wanted));
  return [...all.filter(begins), ...all.filter((value) => !begins(value))];
}

export interface McpServerOptions {
  runtime: IAgentRuntime;
  session: McpSession;
  /** `CUE_MCP_TOOLS`. */
  tools?: readonly string[] | undefined;
  /** `CUE_FILE_ROOTS`, absolute: files below them are resources for clients that are not local. */
  fileRoots?: readonly string[] | undefined;
  /** Where the memory itself lies, absolute: never a resource. */
  privateFolders?: () => readonly string[];
}

/**
 * Not `McpServer`: our services judge their input themselves, and what they find keeps our codes.
 * Connect it to a transport; closing that ends it. `oninitialized` and `onclose` are taken.
 */
export function createMcpServer({
  runtime,
  session,
  tools: chosen,
  fileRoots = [],
  privateFolders = () => [],
}: McpServerOptions): Server {
  const tools = toolsOf(chosen);
  const callable = callableOf(chosen);
  const log = hostLog(runtime, 'mcp');
  const server = new CheckingServer(serverInfo(), {
    capabilities: CAPABILITIES,
    instructions: instructionsOf(tools.map(({ name }) => name)),
  });
  const connection: Connection = {
    ...{ server, runtime, session, log },
    ...{ fileRoots, privateFolders },
  };
  const subscriptions = new Set<string>();
  let stopAnnouncing = () => {};
  registerResources(connection, subscriptions);
  registerPrompts(connection);
  registerCompletion(connection);

  server.oninitialized = () => {
    session.clientName ??= server.getClientVersion()?.name ?? null;
    // A client may say so twice.
    stopAnnouncing();
    stopAnnouncing = announceOffers(connection, subscriptions);
  };
  server.onclose = () => stopAnnouncing();

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    requireFirstPage(params?.cursor);
    return { tools: tools.map(toldTool) };
  });

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = toolNamed(params.name);
    if (!tool || !callable.includes(tool)) {
      throw new McpError(ErrorCode.InvalidParams, `there is no tool "${safe(params.name, 100)}"`);
    }
    session.clientName ??= server.getClientVersion()?.name ?? null;
    const token = params._meta?.progressToken;
    return callTool(tool, params.arguments ?? {}, {
      ...{ runtime, session, log, caller: session.caller() },
      onIdentity: (identityId) => {
        session.identityId = identityId;
      },
      withoutOffers: params._meta?.[OFFERS_META] === false,
      signal: extra.signal,
      progress: rising((progress, total, message) => {
        if (token === undefined) return;
        const told = { progressToken: token, progress, total, message };
        extra.sendNotification({ method: 'notifications/progress', params: told }).catch(() => {}); // The client has gone: its call ends by the signal.
      }),
    });
  });
  return server;
}

/** As the protocol has it: each step is further than the one before. */
function rising(tell: ToolCall['progress']): ToolCall['progress'] {
  let last = Number.NEGATIVE_INFINITY;
  return (done, ...more) => {
    if (done <= last) return;
    last = done;
    tell(done, ...more);
  };
}

/** Makes what a process makes once: the schemas of all tools take a tenth of a second. */
export function makeToolSchemas(): void {
  toolsOf(['all']).forEach(toldTool);
}

/** As it is advertised. */
export function toldTool(tool: Tool): ListedTool {
  const { name, title, description, output, reads, destroys, isIdempotent, reachesOut } = tool;
  return {
    ...{ name, title, description },
    inputSchema: jsonSchemaOf(tool.advertised ?? tool.input, 'input'),
    outputSchema: jsonSchemaOf(output, 'output'),
    annotations: {
      readOnlyHint: reads ?? false,
      ...(reads
        ? {}
        : { destructiveHint: destroys ?? false, idempotentHint: isIdempotent ?? false }),
      openWorldHint: reachesOut ?? false,
    },
  };
}
