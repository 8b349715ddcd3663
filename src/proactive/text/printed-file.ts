/** A file in an offer: what it is called, and what finds its memories again. Pure. */
import { isInEveryFolder } from '../../shared/paths.js';
import { safePhrase } from '../../shared/safe-text.js';
import { countTokens } from '../../shared/tokens.js';
import { name, type Phrase } from './stored-text.js';

/** Of a path in a header. */
const PATH_WIDTH = 48;
/** Of a path in a command, which cannot be shortened. */
const MOST_TOKENS = 16;
const LEAST_WIDTH = 8;
/** The command is read back between quotation marks of any kind. */
const QUOTES = /["'“”‘’„‟`]/;

/** `auth.ts`; `users/index.ts` where the name alone says little. */
function fileEnd(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.slice(isInEveryFolder(parts.at(-1) ?? '') ? -2 : -1).join('/');
}

/** What finds the file's memories when it is given back; `undefined`: it cannot be printed as it is. */
export function fileReference(path: string): string | undefined {
  const end = fileEnd(path);
  const isFaithful =
    safePhrase(end) === end && !QUOTES.test(end) && countTokens(end) <= MOST_TOKENS;
  return end !== '' && isFaithful ? `file:${end}` : undefined;
}

/** As the header calls it. */
export function fileName(path: string): Phrase {
  const called = name(fileEnd(path), 'the file');
  return (width) => called(Math.max(LEAST_WIDTH, Math.min(width * 2, PATH_WIDTH)));
}
