/** The error of a method as it came over the wire, for whoever prints it so. */
import { AppError, type ErrorCode } from '../../shared/errors.js';

export interface RpcErrorBody {
  code: unknown;
  message: unknown;
  data?: unknown;
}

export class RpcFailure extends AppError {
  readonly body: RpcErrorBody;

  constructor(code: ErrorCode, body: RpcErrorBody, details: Record<string, unknown>) {
    super(code, typeof body.message === 'string' ? body.message : 'no reason given', details);
    this.body = body;
  }
}
