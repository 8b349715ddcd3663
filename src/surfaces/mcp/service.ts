/** The Eliza service `CUE_MCP`: holds the MCP sessions of one agent and ends them with it. */
import { type IAgentRuntime, Service } from '@elizaos/core';
import { handedIn } from '../../host/index.js';
import type { Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import type { Ids } from '../../shared/ids.js';
import { hostLog } from '../../shared/log.js';
import { type ConnectedClient, createMcpHub, type McpHub } from './http/hub.js';
import { createMcpServer } from './server.js';

export const CUE_MCP = 'CUE_MCP';

export interface McpServiceDeps {
  clock: Clock;
  ids: Ids;
  /** `CUE_MCP_TOOLS`. */
  tools: readonly string[] | undefined;
  /** `CUE_FILE_ROOTS`, absolute. */
  fileRoots: readonly string[] | undefined;
  /** Where the memory itself and its server's key lie, absolute; asked at each file. */
  privateFolders: () => readonly string[];
  /** Called when a client's session has ended. */
  onSessionEnded: (runtime: IAgentRuntime) => void;
}

export class McpService extends Service {
  static override serviceType: string = CUE_MCP;
  override capabilityDescription =
    'MCP: shares memory, hints, recipes and triggers with other agents';

  private static readonly provided = handedIn<McpServiceDeps>('McpService');
  static readonly provide = McpService.provided.provide;

  private hub: McpHub | null = null;

  /** @throws AppError UNAVAILABLE without the plugin */
  static override async start(runtime: IAgentRuntime): Promise<McpService> {
    const deps = McpService.provided.of(runtime);
    const { clock, ids, tools, fileRoots, privateFolders, onSessionEnded } = deps;
    const service = new McpService(runtime);
    service.hub = createMcpHub({
      ...{ clock, ids },
      log: hostLog(runtime, 'mcp'),
      onEnded: () => onSessionEnded(runtime),
      serverOf: (session, chosen) =>
        createMcpServer({
          ...{ runtime, session, fileRoots, privateFolders },
          tools: chosen ?? tools,
        }),
    });
    return service;
  }

  override async stop(): Promise<void> {
    const { hub } = this;
    this.hub = null;
    await hub?.close();
  }

  /** How many clients have begun a session and not ended it. */
  get sessions(): number {
    return this.hub?.sessions ?? 0;
  }

  /** Who is connected, the newest first. */
  clients(): ConnectedClient[] {
    return this.hub?.clients() ?? [];
  }

  /** Whether a client's session goes on. */
  hasSession(sessionId: string): boolean {
    return this.hub?.hasSession(sessionId) ?? false;
  }

  /** @throws AppError UNAVAILABLE after the end */
  get handle(): McpHub['handle'] {
    if (!this.hub) throw new AppError('UNAVAILABLE', 'the MCP service is not running');
    return this.hub.handle;
  }
}
