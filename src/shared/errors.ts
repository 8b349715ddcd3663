/**
 * The one family of errors a caller can act on, and the one table that says how each code
 * looks on every wire (DESIGN §12). Pinned by `__tests__/pins/errors.test.ts`.
 */

export const ERROR_TABLE = {
  INVALID_INPUT: { http: 400, rpc: -32602, nudge: 40001, nudgeName: 'E_INVALID' },
  UNAUTHENTICATED: { http: 401, rpc: -32001 },
  PERMISSION_DENIED: { http: 403, rpc: -32003 },
  NOT_FOUND: { http: 404, rpc: -32004, nudge: 40401, nudgeName: 'E_NOT_FOUND' },
  CONFLICT: { http: 409, rpc: -32009, nudge: 40901, nudgeName: 'E_CONFLICT' },
  DUPLICATE: { http: 409, rpc: -32009, nudge: 40901, nudgeName: 'E_CONFLICT' },
  TOO_LARGE: { http: 413, rpc: -32013 },
  SECRET_REJECTED: { http: 422, rpc: -32022, nudge: 40002, nudgeName: 'E_SECRET_REJECTED' },
  SCOPE_INVALID: { http: 422, rpc: -32022, nudge: 40003, nudgeName: 'E_SCOPE_INVALID' },
  LIMIT_REACHED: { http: 429, rpc: -32029, nudge: 42901, nudgeName: 'E_QUOTA' },
  DISABLED: { http: 503, rpc: -32050 },
  UNAVAILABLE: { http: 503, rpc: -32050 },
  INTERNAL: { http: 500, rpc: -32603 },
} as const;

export type ErrorCode = keyof typeof ERROR_TABLE;

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_TABLE, code);
}

/** One thing wrong with one field of something a user gave us. `field` is a dotted path. */
export interface Finding {
  field: string;
  /** Goes on from the name of the field; it speaks to programs. */
  message: string;
  /** The same as a sentence for the person who wrote it. */
  text?: string;
}

/** Base of every error thrown on purpose. `details` is data for the caller and never holds secrets. */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(
    code: ErrorCode,
    message: string,
    details: Record<string, unknown> = {},
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** The caller's input is wrong; `details.findings` says which field and why. */
export class InvalidInputError extends AppError {
  override readonly name = 'InvalidInputError';
  readonly findings: Finding[];
  constructor(findings: Finding[], code: 'INVALID_INPUT' | 'TOO_LARGE' = 'INVALID_INPUT') {
    super(code, findings.map((f) => `${f.field}: ${f.message}`).join('; '), { findings });
    this.findings = findings;
  }
}

export function wrongField(field: string, message: string): InvalidInputError {
  return new InvalidInputError([{ field, message }]);
}

/** The thing named does not exist (or is not visible to the caller, which looks the same). */
export class NotFoundError extends AppError {
  override readonly name = 'NotFoundError';
  constructor(what: string, id: string) {
    super('NOT_FOUND', `no ${what} with id "${id}"`, { what, id });
  }
}

export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError;
}

/** Whether the details of an error hold findings. */
export function isFindings(found: unknown): found is Finding[] {
  return (
    Array.isArray(found) && found.every((one) => 'field' in Object(one) && 'message' in Object(one))
  );
}

/**
 * What a caller is told of an error: nothing of one that was not thrown on purpose.
 * @param log is given the cause of such a one
 */
export function toldError(
  error: unknown,
  log: (cause: { error: string; stack?: string | undefined }) => void,
): Pick<AppError, 'code' | 'message' | 'details'> {
  if (isAppError(error) && error.code !== 'INTERNAL') return error;
  const stack = error instanceof Error ? { stack: error.stack } : {};
  log({ error: messageOf(error), ...stack });
  const message = 'something went wrong here; the log of the agent has the cause';
  return { code: 'INTERNAL', message, details: {} };
}

/**
 * The words of an unknown thrown value, for logs and `lastError`. Of a failed statement what the database
 * says: drizzle's own error says the statement with all its parameters, which are what people stored.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : JSON.stringify(error);
  if (!('params' in error)) return saidBy(error);
  // A driver's own error may come as it is, and quotes at its end what it could not read.
  const reason = saidBy(error.cause instanceof Error ? error.cause : error);
  return `Failed query: ${reason.replace(/: ".*$/s, '')}`;
}

/** Several errors in one, as of a refused connection, have no words of their own. */
function saidBy(error: Error): string {
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** The system's code of an error (`ENOENT`); '' when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** Somebody else may write in between: worked out again, a few times, on what stands there. */
const ATTEMPTS = 4;

/** @throws what `work` throws, and its CONFLICT when others do not stop */
export async function retryConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= ATTEMPTS || !isAppError(error) || error.code !== 'CONFLICT') throw error;
    }
  }
}
