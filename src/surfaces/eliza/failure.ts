/** Errors of the service in the words of a chat: what is wrong, and what to do. */
import { AppError, type Finding, InvalidInputError, isAppError } from '../../shared/errors.js';
import { upperFirst } from '../../shared/text.js';
import { plain } from './display.js';

export interface FailureWords {
  /** Said for what is not there, or not there for them. */
  notFound?: string;
  /** How a field is called; `undefined`: the finding says enough. */
  nameOf?: (field: string) => string | undefined;
}

const NO_TRIGGER =
  'There is no such trigger any more; ask "what triggers do I have?" to see what there is.';

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
export function findingWords(
  findings: Finding[],
  nameOf: FailureWords['nameOf'] = (field) => FIELDS[field.split('.').at(-1) ?? field],
): string {
  return findings
    .map((found) => {
      const name = nameOf(found.field);
      const words = name === undefined ? found.message : `${name} ${found.message}`;
      return `${upperFirst(plain(words, 300))}.`;
    })
    .join(' ');
}

/**
 * `null`: not one of ours, so its words are not for users.
 * @param family words of the things it is about; of triggers when absent
 */
export function failureWords(error: unknown, family: FailureWords = {}): string | null {
  if (error instanceof InvalidInputError) return findingWords(error.findings, family.nameOf);
  if (!isAppError(error)) return null;
  const message = upperFirst(plain(error.message, 300));
  switch (error.code) {
    case 'PERMISSION_DENIED':
      return `I may not do that for you: ${plain(error.message, 300)}.`;
    case 'NOT_FOUND':
      return family.notFound ?? NO_TRIGGER;
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
