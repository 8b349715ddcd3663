/**
 * A hint in an offer. A command that is cut or cleaned is another command: it is printed only as it
 * stands, else the line says where it is. Pure.
 */
import { safePhrase } from '../../shared/safe-text.js';
import { redactSecrets } from '../../shared/secrets.js';
import { countTokens } from '../../shared/tokens.js';
import type { ShownHint } from '../types.js';

const MOST_NAME_TOKENS = 14;
const MOST_VALUE_TOKENS = 24;
const MOST_CHARACTERS = 160;
/** Component and key: words and what joins them. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:@/+-]*$/u;

/** `null`: its name cannot be printed as it is. */
export function printedHint({ memoryId, value }: ShownHint): string | null {
  if (!NAME.test(memoryId) || !isAsItIs(memoryId, MOST_NAME_TOKENS)) return null;
  if (value === undefined || !isAsItIs(value, MOST_VALUE_TOKENS)) return `${memoryId}: ask for it`;
  return `${memoryId}: \`${value}\``;
}

function isAsItIs(text: string, tokens: number): boolean {
  if (text.length > MOST_CHARACTERS || text.trim() === '' || safePhrase(text) !== text)
    return false;
  return redactSecrets(text).text === text && countTokens(text) <= tokens;
}
