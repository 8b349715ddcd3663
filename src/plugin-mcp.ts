/** How one agent's MCP server is put together from settings. */
import { resolve } from 'node:path';
import type { IAgentRuntime } from '@elizaos/core';
import type { Settings } from './settings.js';
import type { Clock } from './shared/clock.js';
import type { Ids } from './shared/ids.js';
import { McpService, TOOL_CHOICES } from './surfaces/mcp/index.js';

/** @throws Error naming the setting that is wrong */
export function provideMcp(
  runtime: IAgentRuntime,
  { CUE_MCP_TOOLS: tools, CUE_FILE_ROOTS: roots }: Settings,
  { clock, ids }: { clock: Clock; ids: Ids },
): void {
  const wrong = tools?.filter((name) => !TOOL_CHOICES.includes(name)) ?? [];
  if (wrong.length > 0) {
    throw new Error(
      `cue: wrong setting: CUE_MCP_TOOLS has "${wrong.join('", "')}": choose from ${TOOL_CHOICES.join(', ')}`,
    );
  }
  const fileRoots = roots?.map((root) => resolve(root));
  McpService.provide(runtime, { clock, ids, tools, fileRoots });
}
