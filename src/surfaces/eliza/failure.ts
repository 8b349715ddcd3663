/** Errors of the service in the words of a chat: what is wrong, and what to do. */
import { AppError, type Finding, InvalidInputError, isAppError } from '../../shared/errors.js';
import { plain, upperFirst } from './display.js';

const FIELDS: Readonly<Record<string, string>> = {
  instructions: 'what to do',
  displayName: 'the name',
  scheduledAtIso: 'the time',
  intervalMs: 'the interval',
  cronExpression: 'the schedule',
  timezone: 'the time zone',
  startAtIso: 'the start',
  untilIso: 'the end',
  untilMs: 'the time',
  triggerType: 'the kind of schedule',
};

/** One sentence per finding. */
export function findingWords(findings: Finding[]): string {
  return findings
    .map((found) => {
      const field = found.field.split('.').at(-1) ?? found.field;
      const name = FIELDS[field];
      const words = name === undefined ? found.message : `${name} ${found.message}`;
      return `${upperFirst(plain(words, 300))}.`;
    })
    .join(' ');
}

/** `null`: not one of ours, so its words are not for users. */
export function failureWords(error: unknown): string | null {
  if (error instanceof InvalidInputError) return findingWords(error.findings);
  if (!isAppError(error)) return null;
  const message = upperFirst(plain(error.message, 300));
  switch (error.code) {
    case 'PERMISSION_DENIED':
      return `I may not do that for you: ${plain(error.message, 300)}.`;
    case 'NOT_FOUND':
      return 'There is no such trigger any more; ask "what triggers do I have?" to see what there is.';
    case 'LIMIT_REACHED':
      return `${message}.`;
    case 'DUPLICATE':
      return `${message}, so nothing was changed.`;
    case 'DISABLED':
    case 'UNAVAILABLE':
      return `${message}. Nothing was changed.`;
    case 'INTERNAL':
      return null;
    default:
      return `${message}.`;
  }
}

/** The code for machines, "INTERNAL" for what is not ours. */
export function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : 'INTERNAL';
}
