/** The SDK's server, but for what it answers to params of a wrong shape. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type AnyObjectSchema,
  getLiteralValue,
  getObjectShape,
  type SchemaOutput,
  safeParse,
} from '@modelcontextprotocol/sdk/server/zod-compat.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  Notification,
  Request,
  Result,
  ServerNotification,
  ServerRequest,
  ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { InvalidInputError } from '../../shared/errors.js';
import { findingsOf } from '../../shared/findings.js';
import { toProtocolError } from './connection.js';

type Extra = RequestHandlerExtra<ServerRequest | Request, ServerNotification | Notification>;
type Answer = ServerResult | Result;

/** The SDK calls them an internal error and prints its schema's; JSON-RPC has a number for them. */
export class CheckingServer extends Server {
  override setRequestHandler<T extends AnyObjectSchema>(
    schema: T,
    handler: (request: SchemaOutput<T>, extra: Extra) => Answer | Promise<Answer>,
  ): void {
    const method = z.literal(String(getLiteralValue(Object(getObjectShape(schema)).method)));
    super.setRequestHandler(z.looseObject({ method }), (request, extra) => {
      const parsed = safeParse(schema, request);
      if (parsed.success) return handler(parsed.data, extra);
      const { issues } = Object(parsed.error);
      throw toProtocolError(new InvalidInputError(findingsOf(new z.ZodError(issues ?? []))));
    });
  }
}
