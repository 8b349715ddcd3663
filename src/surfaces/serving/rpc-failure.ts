/** The error of a method as it came over the wire, for whoever prints it so. */
import { AppError, type ErrorCode } from '../../shared/errors.js';

export interface RpcErrorBody {
  code: unknown;
  message: unknown;
  data?: unknown;
}

export class RpcFailure extends AppError {
  readonly body: RpcErrorBody;

  /** @param message in other words than the server's */
  constructor(
    code: ErrorCode,
    body: RpcErrorBody,
    details: Record<string, unknown>,
    message = typeof body.message === 'string' ? body.message : 'no reason given',
  ) {
    super(code, message, details);
    this.body = body;
  }
}
