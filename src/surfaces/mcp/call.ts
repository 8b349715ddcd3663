/** One tool call: from what a client sent to what it is answered. Never rejects. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { ERROR_TABLE, isAppError, messageOf } from '../../shared/errors.js';
import type { ToolCall, ToolSpec } from './types.js';

/**
 * An error is a result, so that the model sees it and can mend its call; it carries our code, and for
 * hints the seed's (DESIGN §12).
 */
export async function callTool(
  tool: ToolSpec,
  input: Record<string, unknown>,
  call: ToolCall,
): Promise<CallToolResult> {
  try {
    const result = await tool.run(input, call);
    return {
      content: [{ type: 'text', text: tool.text(result) }],
      structuredContent: { ...result },
    };
  } catch (error) {
    const told = toldOf(tool, error);
    if (told.code === 'INTERNAL') {
      const stack = error instanceof Error ? { stack: error.stack } : {};
      call.log.error({ tool: tool.name, error: messageOf(error), ...stack }, 'tool call failed');
    }
    return {
      isError: true,
      content: [{ type: 'text', text: `${told.reason ?? told.code}: ${told.message}` }],
      _meta: { 'cue/error': told },
    };
  }
}

interface Told {
  code: keyof typeof ERROR_TABLE;
  /** The seed's name of it, for hints. */
  reason?: string;
  message: string;
  details: object;
}

/** Nothing of what was not thrown on purpose. */
function toldOf(tool: ToolSpec, error: unknown): Told {
  if (!isAppError(error) || error.code === 'INTERNAL') {
    const message = 'something went wrong here; the log of the agent has the cause';
    return { code: 'INTERNAL', message, details: {} };
  }
  const { code, message, details } = error;
  const row = ERROR_TABLE[code];
  const reason = tool.group === 'hints' && 'nudgeName' in row ? { reason: row.nudgeName } : {};
  return { code, ...reason, message, details };
}
