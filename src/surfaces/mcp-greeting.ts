/**
 * What a client is told of the server while none is there yet: its handshake and its lists, which depend on
 * no database. `cue mcp` answers with it at once, so nothing is loaded for it.
 */
import { packageVersion } from '../shared/package-version.js';
import { chosenOf } from './mcp-client.js';
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

const HEAD = 'Cue is memory that all agents of this project share.';

/** Each stands only where a client is shown the tools that it names. */
const STEPS: readonly { tools: readonly string[]; text: string }[] = [
  {
    tools: ['identity'],
    text: 'Call identity once: register. Without cue mcp, keep the token and resume.',
  },
  { tools: ['brief'], text: 'Then call brief, and again with the task.' },
  { tools: ['recall'], text: 'recall before work on a file, bug or decision.' },
  { tools: ['when'], text: 'when: the rules of the project for a kind of work.' },
  {
    tools: ['check'],
    text: 'check a file or an action before you change it or run something risky.',
  },
  {
    tools: ['answer_offer'],
    text: 'Heed each ⚠️ warning or say why not: answer_offer.',
  },
  { tools: ['hint'], text: 'hint before you build, run or test.' },
  { tools: ['store'], text: 'store what you did when done, above all failures.' },
  { tools: ['schedule'], text: 'schedule wakes the Eliza agent later.' },
];

/** @param shown names of the tools that the client is shown */
export function instructionsOf(shown: readonly string[]): string {
  const steps = STEPS.filter(({ tools }) => tools.every((name) => shown.includes(name)));
  return [HEAD, ...steps.map(({ text }) => text)].join(' ');
}
