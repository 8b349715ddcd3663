/** One tool call: from what a client sent to what it is answered. Never rejects. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Tool } from '../../operations/index.js';
import {
  type AppError,
  ERROR_TABLE,
  type Finding,
  InvalidInputError,
  isAppError,
  messageOf,
} from '../../shared/errors.js';
import { safe } from '../../shared/safe-text.js';
import { fieldNamesOf } from './field-names.js';
import { quotedResult, refuseShown } from './quoting.js';
import { withOffers } from './riding.js';
import type { ToolCall } from './types.js';

/** Messages quote what was sent, and that may be long and hold anything. */
const MAX_MESSAGE = 1_000;

/**
 * An error is a result, so that the model sees it and can mend its call; it carries our code, and for
 * hints the seed's (DESIGN §12).
 */
export async function callTool(
  tool: Tool,
  input: Record<string, unknown>,
  call: ToolCall,
): Promise<CallToolResult> {
  const result = await answerOf(tool, input, call);
  return tool.givesOffers || call.withoutOffers ? result : withOffers(result, call);
}

async function answerOf(
  tool: Tool,
  input: Record<string, unknown>,
  call: ToolCall,
): Promise<CallToolResult> {
  try {
    if (!tool.reads) refuseShown(input);
    const result = await tool.call(input, call);
    const shown = tool.shown?.(result) ?? result;
    return {
      content: [{ type: 'text', text: tool.text(shown) }],
      structuredContent: quotedResult(tool, tool.structured?.(shown, input) ?? shown),
    };
  } catch (error) {
    const told = toldOf(tool, error);
    if (told.code === 'INTERNAL') {
      const stack = error instanceof Error ? { stack: error.stack } : {};
      call.log.error({ tool: tool.name, error: messageOf(error), ...stack }, 'tool call failed');
    }
    return {
      isError: true,
      content: [
        { type: 'text', text: `${told.reason ?? told.code}: ${safe(told.message, MAX_MESSAGE)}` },
      ],
      _meta: { 'cue/error': told },
    };
  }
}

interface Told {
  code: keyof typeof ERROR_TABLE;
  /** The seed's name and number of it, for hints. */
  reason?: string;
  rpcCode?: number;
  message: string;
  details: object;
}

/** Nothing of what was not thrown on purpose. */
function toldOf(tool: Tool, error: unknown): Told {
  if (!isAppError(error) || error.code === 'INTERNAL') {
    const message = 'something went wrong here; the log of the agent has the cause';
    return { code: 'INTERNAL', message, details: {} };
  }
  const { code } = error;
  const { message, details } = inWordsOf(tool, error);
  const row = ERROR_TABLE[code];
  if (tool.group !== 'hints') return { code, message, details };
  const seeds =
    'nudge' in row ? { reason: row.nudgeName, rpcCode: row.nudge } : { rpcCode: row.rpc };
  return { code, ...seeds, message, details };
}

/** Fields as the tool names them. */
function inWordsOf(tool: Tool, error: AppError): Pick<Told, 'message' | 'details'> {
  const { message, details } = error;
  const names = fieldNamesOf(tool);
  if (!isFindings(details.findings)) return { message: names.text(message), details };
  const findings = names.findings(details.findings);
  const told = { ...details, findings };
  // Its message is its findings.
  if (!(error instanceof InvalidInputError)) return { message: names.text(message), details: told };
  return { message: findings.map(sentence).join('; '), details: told };
}

/** A call has no body to be wrong. */
function sentence({ field, message }: Finding): string {
  return field === '(body)' ? message : `${field}: ${message}`;
}

function isFindings(found: unknown): found is Finding[] {
  return (
    Array.isArray(found) && found.every((one) => 'field' in Object(one) && 'message' in Object(one))
  );
}
