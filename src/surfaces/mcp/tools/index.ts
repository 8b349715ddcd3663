/** Every tool, and which of them a client is shown. */
import { chosenOf } from '../../tool-groups.js';
import type { ToolSpec } from '../types.js';
import { hintTools } from './hints.js';
import { identityTools } from './identity.js';
import { knowledgeTools } from './knowledge.js';
import { memoryTools } from './memory.js';
import { offerTools } from './offers.js';
import { triggerTools } from './triggers.js';
import { whenTools } from './when.js';

const TOOLS: readonly ToolSpec[] = [
  ...memoryTools,
  ...identityTools,
  ...knowledgeTools,
  ...whenTools,
  ...offerTools,
  ...hintTools,
  ...triggerTools,
];

const BY_NAME: ReadonlyMap<string, ToolSpec> = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** Some clients refuse dots and others send them: `nudge.set_hint` is `nudge_set_hint`. */
export function toolNamed(name: string): ToolSpec | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.replaceAll('.', '_'));
}

/**
 * @param chosen `CUE_MCP_TOOLS`; absent: the default set
 */
export function toolsOf(chosen: readonly string[] | undefined): readonly ToolSpec[] {
  return chosenOf(TOOLS, chosen);
}
