/** Cue as an MCP server: one for all of it (docs/mcp.md). */

export { TOOL_CHOICES } from '../mcp-client.js';
export { messageFault } from './http/hub.js';
export { createMcpServer, type McpServerOptions, makeToolSchemas } from './server.js';
export { CUE_MCP, McpService } from './service.js';
export { createSession } from './session.js';
