/** How one agent's MCP server is put together from settings. */
import { dirname, resolve } from 'node:path';
import type { IAgentRuntime } from '@elizaos/core';
import { databaseOf, pgliteDirectory } from '../records/index.js';
import { usualPidFile } from '../server/index.js';
import { pidEnvironment, type Settings } from '../settings.js';
import type { Clock } from '../shared/clock.js';
import type { Ids } from '../shared/ids.js';
import { McpService, TOOL_CHOICES } from '../surfaces/mcp/index.js';
import { endSessionHints } from './wire-hints.js';
import { dataDirectory } from './wire-memory.js';

/** @throws Error naming the setting that is wrong */
export function provideMcp(
  runtime: IAgentRuntime,
  settings: Settings,
  { clock, ids }: { clock: Clock; ids: Ids },
): void {
  const { CUE_MCP_TOOLS: tools, CUE_FILE_ROOTS: roots } = settings;
  const wrong = tools?.filter((name) => !TOOL_CHOICES.includes(name)) ?? [];
  if (wrong.length > 0) {
    throw new Error(
      `cue: wrong setting: CUE_MCP_TOOLS has "${wrong.join('", "')}": choose from ${TOOL_CHOICES.join(', ')}`,
    );
  }
  const fileRoots = roots?.map((root) => resolve(root));
  const privateFolders = () => privateFoldersOf(runtime, settings);
  McpService.provide(runtime, {
    ...{ clock, ids, tools, fileRoots, privateFolders },
    onSessionEnded: endSessionHints,
  });
}

/** The database in use, what is kept beside it, and the files that name servers with their keys. */
function privateFoldersOf(runtime: IAgentRuntime, settings: Settings): string[] {
  const database = pgliteDirectory(databaseOf(runtime));
  return [
    ...(database === null || database === 'memory' ? [] : [resolve(database)]),
    dataDirectory(runtime, settings).path,
    dirname(usualPidFile(pidEnvironment())),
  ];
}
