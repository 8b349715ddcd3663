/** The messages of MCP, as far as a bridge has to understand them. */
import { type AppError, ERROR_TABLE } from '../../shared/errors.js';

export type Fields = Record<string, unknown>;
export type MessageId = string | number;

export interface McpRequest {
  jsonrpc: '2.0';
  id: MessageId;
  method: string;
  params?: unknown;
}

export type Heard =
  | { kind: 'request'; request: McpRequest }
  | { kind: 'notification'; method: string; params: Fields }
  /** To a request of the other side. */
  | { kind: 'answer'; id: MessageId; message: Fields }
  | { kind: 'none' };

/** Of the protocol, with annotations of the tools beside them (`isRepeatable`). */
const REPEATABLE: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
]);

export function heard(message: unknown): Heard {
  if (!isFields(message) || message.jsonrpc !== '2.0') return { kind: 'none' };
  const { id, method, params } = message;
  const isId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') {
    if (isId) return { kind: 'request', request: { jsonrpc: '2.0', id, method, params } };
    if (id !== undefined) return { kind: 'none' };
    return { kind: 'notification', method, params: isFields(params) ? params : {} };
  }
  const isAnswer = isId && ('result' in message || 'error' in message);
  return isAnswer ? { kind: 'answer', id, message } : { kind: 'none' };
}

/**
 * Whether it does no harm to send it again when nobody knows what became of it. Of a tool that is not
 * known, `undefined`.
 * @param tools name → what its annotations say
 */
export function isRepeatable(
  { method, params }: McpRequest,
  tools: ReadonlyMap<string, boolean>,
): boolean | undefined {
  if (method !== 'tools/call') return REPEATABLE.has(method);
  const { name, arguments: input } = isFields(params) ? params : {};
  // Carried out already, it would now meet a version that it has made itself.
  if (isFields(input) && Object.hasOwn(input, 'if_match_version')) return false;
  // As the server takes them (`toolNamed`).
  return typeof name === 'string'
    ? (tools.get(name) ?? tools.get(name.replaceAll('.', '_')))
    : false;
}

/** Of a `tools/list` result: which tools may be called twice. */
export function repeatableTools(result: unknown): Map<string, boolean> {
  const { tools } = isFields(result) ? result : {};
  const told = Array.isArray(tools) ? tools.filter(isFields) : [];
  return new Map(
    told.map(({ name, annotations }) => {
      const { readOnlyHint, idempotentHint } = isFields(annotations) ? annotations : {};
      return [String(name), readOnlyHint === true || idempotentHint === true];
    }),
  );
}

/** A failure as the server would tell it: of a tool as its result, so that the model sees it. */
export function failed({ id, method }: McpRequest, error: AppError): string {
  const { code, message, details } = error;
  const told = { code, message, details };
  if (method === 'tools/call') {
    const content = [{ type: 'text', text: `${code}: ${message}` }];
    return answered(id, { isError: true, content, _meta: { 'cue/error': told } });
  }
  return refused(id, { code: ERROR_TABLE[code].rpc, message, data: { reason: code, details } });
}

export function answered(id: MessageId, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function refused(id: MessageId, error: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

export function notification(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
