/** Which tools of MCP a client is shown: the words of `CUE_MCP_TOOLS` and of `cue mcp --tools`. */
export const TOOL_GROUPS = ['memory', 'hints', 'when', 'offers', 'triggers'] as const;
export type ToolGroup = (typeof TOOL_GROUPS)[number];

export const TOOL_CHOICES: readonly string[] = ['default', 'all', ...TOOL_GROUPS];

/** What `CUE_MCP_TOOLS` is, of one client alone; read when it begins a session. */
export const TOOLS_HEADER = 'x-cue-tools';
