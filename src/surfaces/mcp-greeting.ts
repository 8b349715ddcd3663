/**
 * What a client is told of the server while none is there yet: its handshake and its lists, which depend on
 * no database. `cue mcp` answers with it at once, so nothing is loaded for it.
 */
import { packageVersion } from '../shared/package-version.js';
import { chosenOf } from './mcp-client.js';
import { instructionsOf } from './mcp-instructions.js';
import { TOLD } from './mcp-told.js';

/** Lists change when the server that a bridge has joined shows others than the one before. */
export const CAPABILITIES = {
  ...{ tools: { listChanged: true }, logging: {}, prompts: {}, completions: {} },
  resources: { subscribe: true, listChanged: true },
};

export const serverInfo = () => ({ name: 'cue', title: 'Cue', version: packageVersion() });

/**
 * The result of a request that needs no server; `null` of every other one. Of `resources/list` it is the fixed
 * part, without the memories.
 * @param chosen groups of tools, as `toolsOf`
 */
export function greetingOf(
  method: string,
  params: Readonly<Record<string, unknown>>,
  chosen: readonly string[] | undefined,
): Record<string, unknown> | null {
  const tools = () => chosenOf(TOLD.tools, chosen).map(({ told }) => told);
  if (method === 'initialize') {
    const { protocolVersion: asked } = params;
    if (typeof asked !== 'string') return null;
    const versions: readonly string[] = TOLD.protocolVersions;
    return {
      protocolVersion: versions.includes(asked) ? asked : versions[0],
      capabilities: CAPABILITIES,
      serverInfo: serverInfo(),
      instructions: instructionsOf(tools().map(({ name }) => name)),
    };
  }
  if (params.cursor !== undefined) return null;
  switch (method) {
    case 'tools/list':
      return { tools: tools() };
    case 'prompts/list':
      return { prompts: TOLD.prompts };
    case 'resources/list':
      return { resources: TOLD.resources };
    case 'resources/templates/list':
      return { resourceTemplates: TOLD.resourceTemplates };
    default:
      return null;
  }
}
