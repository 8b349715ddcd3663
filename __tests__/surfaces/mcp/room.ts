/** One agent for the tests of a file, with what is behind its tools, and clients that end with it. */
import type { WorkMemoryService } from '../../../src/memory/index.js';
import type { ProactiveService } from '../../../src/proactive/index.js';
import { type Agent, boot } from '../../helpers/boot.js';
import { type McpClient, mcpClient } from '../../helpers/mcp.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';

export interface McpRoom {
  agent: Agent;
  memory: WorkMemoryService;
  offers: ProactiveService;
  /** A client with a session of its own; `clientSession` names the one its hooks belong to. */
  connect(clientSession?: string): Promise<McpClient>;
  stop(): Promise<void>;
}

export async function mcpRoom(): Promise<McpRoom> {
  const agent = await boot({ slim: true });
  const memory = await memoryOf(agent.runtime);
  const offers = await offersOf(agent.runtime);
  const open: McpClient[] = [];
  return {
    ...{ agent, memory, offers },
    async connect(clientSession) {
      const named = clientSession === undefined ? {} : { clientSession };
      const client = await mcpClient(agent.runtime, named);
      open.push(client);
      return client;
    },
    async stop() {
      for (const { close } of open) await close();
      await agent.stop();
    },
  };
}
