/** What is wrong with a body that is no message of MCP: the SDK says of all of them that they cannot be parsed. */
import { ErrorCode, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { isDeeper, MAX_JSON_DEPTH } from '../../../shared/depth.js';

/** An answer in the words of JSON-RPC. */
export interface MessageFault {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: number; message: string; data?: object };
}

/** @returns `null` for a message, and for a batch of some */
export function messageFault(body: unknown): MessageFault | null {
  if (isDeeper(body, MAX_JSON_DEPTH)) {
    const message = `the message is nested over ${MAX_JSON_DEPTH} deep`;
    return fault(body, ErrorCode.InvalidRequest, message, { reason: 'TOO_LARGE' });
  }
  if (!Array.isArray(body)) return faultOf(body);
  if (body.length === 0) return fault(null, ErrorCode.InvalidRequest, 'a batch holds a message');
  const at = body.findIndex((one) => faultOf(one) !== null);
  const found = at < 0 ? null : faultOf(body[at]);
  if (!found) return null;
  const { code, message } = found.error;
  // None of it is carried out, so the answer is to the batch.
  return fault(null, code, `message ${at + 1} of the batch: ${message}`);
}

function faultOf(message: unknown): MessageFault | null {
  if (JSONRPCMessageSchema.safeParse(message).success) return null;
  const { jsonrpc, id, method, params } = fieldsOf(message);
  const invalid = (what: string): MessageFault => fault(message, ErrorCode.InvalidRequest, what);
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"');
  if (id !== undefined && !isId(id)) return invalid('id must be a string or a whole number');
  if (method !== undefined && typeof method !== 'string') return invalid('method must be a string');
  if (method !== undefined && params !== undefined && !isFields(params)) {
    return fault(message, ErrorCode.InvalidParams, 'params must be an object');
  }
  return invalid('this is no message of MCP');
}

function fault(message: unknown, code: number, what: string, data?: object): MessageFault {
  const { id } = fieldsOf(message);
  const error = { code, message: what, ...(data === undefined ? {} : { data }) };
  return { jsonrpc: '2.0', id: isId(id) ? id : null, error };
}

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isInteger(id);

function fieldsOf(value: unknown): Record<string, unknown> {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
