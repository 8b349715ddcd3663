/** Which tools of MCP a client is shown: the words of `CUE_MCP_TOOLS` and of `cue mcp --tools`. */
import type { OperationGroup } from '../operations/index.js';

const TOOL_GROUPS = [
  'memory',
  'hints',
  'when',
  'offers',
  'triggers',
] as const satisfies OperationGroup[];

export const TOOL_CHOICES: readonly string[] = ['default', 'all', ...TOOL_GROUPS];

/** Of tools those that a client is shown. @param chosen absent or empty: the default set */
export function chosenOf<Tool extends { group: string; isDefault: boolean }>(
  tools: readonly Tool[],
  chosen: readonly string[] | undefined,
): readonly Tool[] {
  const groups = chosen === undefined || chosen.length === 0 ? ['default'] : chosen;
  if (groups.includes('all')) return tools;
  return tools.filter(
    ({ group, isDefault }) => groups.includes(group) || (isDefault && groups.includes('default')),
  );
}

/** What `CUE_MCP_TOOLS` is, of one client alone; read when it begins a session. */
export const TOOLS_HEADER = 'x-cue-tools';
