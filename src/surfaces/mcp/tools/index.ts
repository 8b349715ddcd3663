/** Every tool, and which of them a client is shown. */
import type { ToolSpec } from '../types.js';
import { memoryTools } from './memory.js';

const TOOLS: readonly ToolSpec[] = [...memoryTools];

const BY_NAME: ReadonlyMap<string, ToolSpec> = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** Some clients refuse dots and others send them: `nudge.set_hint` is `nudge_set_hint`. */
export function toolNamed(name: string): ToolSpec | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.replaceAll('.', '_'));
}

/**
 * @param chosen `CUE_MCP_TOOLS`: names of groups, or `all`; absent: the default set
 */
export function toolsOf(chosen: readonly string[] | undefined): readonly ToolSpec[] {
  if (chosen === undefined || chosen.length === 0) return TOOLS.filter((tool) => tool.isDefault);
  if (chosen.includes('all')) return TOOLS;
  return TOOLS.filter((tool) => chosen.includes(tool.group));
}
