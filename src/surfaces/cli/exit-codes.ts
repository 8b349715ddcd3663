/** What the exit code of a command says (DESIGN §11), and how an error is told. */
import { AppError, type ErrorCode, isAppError, messageOf } from '../../shared/errors.js';

export const EXIT = { done: 0, failure: 1, badInput: 2, notFound: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The caller can mend these by saying something else (another path, say); a `CONFLICT` is over by itself. */
const BAD_INPUT: ReadonlySet<ErrorCode> = new Set([
  'INVALID_INPUT',
  'PERMISSION_DENIED',
  'TOO_LARGE',
  'SECRET_REJECTED',
  'SCOPE_INVALID',
  'DUPLICATE',
]);

export function exitCodeOf(error: unknown): ExitCode {
  if (!isAppError(error)) return EXIT.failure;
  if (error.code === 'NOT_FOUND') return EXIT.notFound;
  return BAD_INPUT.has(error.code) ? EXIT.badInput : EXIT.failure;
}

/** The document that `--json` prints for it: the body of the REST routes (DESIGN §12). */
export function errorDocument(error: unknown) {
  const code: ErrorCode = isAppError(error) ? error.code : 'INTERNAL';
  const details = isAppError(error) ? error.details : {};
  return { error: { code, message: messageOf(error), details } };
}

export function badInput(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError('INVALID_INPUT', message, details);
}
