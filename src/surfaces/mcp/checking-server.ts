/** The SDK's server, but for what it answers when something is wrong. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type AnyObjectSchema,
  getLiteralValue,
  getObjectShape,
  isZ4Schema,
  type SchemaOutput,
  safeParse,
} from '@modelcontextprotocol/sdk/server/zod-compat.js';
import { Protocol, type RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  McpError,
  type Notification,
  type Request,
  type Result,
  type ServerNotification,
  type ServerRequest,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { InvalidInputError } from '../../shared/errors.js';
import { judge } from '../../shared/findings.js';
import { toProtocolError } from './connection.js';

type Extra = RequestHandlerExtra<ServerRequest | Request, ServerNotification | Notification>;
type Answer = ServerResult | Result;

/**
 * Params of a wrong shape: the SDK calls them an internal error, or prints what its schema says of them;
 * JSON-RPC has a number for them, and we have words.
 */
export class CheckingServer extends Server {
  override setRequestHandler<T extends AnyObjectSchema>(
    schema: T,
    handler: (request: SchemaOutput<T>, extra: Extra) => Answer | Promise<Answer>,
  ): void {
    const method = z.literal(String(getLiteralValue(Object(getObjectShape(schema)).method)));
    // Not the one of `Server`, which judges calls of tools before this one can.
    Protocol.prototype.setRequestHandler.call(
      this,
      z.looseObject({ method }),
      async (request: Request, extra: Extra) => {
        try {
          return await handler(checked(schema, request), extra);
        } catch (error) {
          throw unprefixed(error);
        }
      },
    );
  }
}

/** @throws McpError */
function checked<T extends AnyObjectSchema>(schema: T, request: Request): SchemaOutput<T> {
  const parsed = safeParse(schema, request);
  if (parsed.success) return parsed.data;
  // In our words.
  const { findings } = isZ4Schema(schema) ? judge(schema, request) : { findings: null };
  throw toProtocolError(new InvalidInputError(findings ?? []));
}

/** `McpError` puts its number before its message, and the client does so again with what is sent. */
function unprefixed(error: unknown): unknown {
  if (error instanceof McpError) {
    const prefix = `MCP error ${error.code}: `;
    if (error.message.startsWith(prefix)) error.message = error.message.slice(prefix.length);
  }
  return error;
}
