/**
 * Commands of `/when` entries and hints in an offer. What is cut or cleaned is another command: it is
 * printed only where it can be typed as it stands, else the line says where it is. Pure.
 */
import { safePhrase } from '../../shared/safe-text.js';
import { redactSecrets } from '../../shared/secrets.js';
import { countTokens } from '../../shared/tokens.js';
import type { ShownHint } from '../types.js';

/** So much is left to the rest of its line and to another one. */
const COMMAND_FITS = { tokens: 20, characters: 120 } as const;
const NAME_FITS = { tokens: 14, characters: 160 } as const;
const VALUE_FITS = { tokens: 24, characters: 160 } as const;
const COMMAND = /^\/(?:when|how) (?=[\p{L}\p{N}.])/u;
/** What follows a command in brackets must not pass for a part of it. */
const AMBIGUOUS = /[()"“”„‟`]/;
/** Component and key: words and what joins them. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:@/+-]*$/u;

/** The command itself; `undefined`: cleaning would change it, it holds a secret or is too long. */
export function printedCommand(command: string): string | undefined {
  const isOne = COMMAND.test(command) && !AMBIGUOUS.test(command);
  return isOne && isAsItIs(command, COMMAND_FITS) ? command : undefined;
}

/** `null`: its name cannot be printed as it is. */
export function printedHint({ memoryId, value }: ShownHint): string | null {
  if (!NAME.test(memoryId) || !isAsItIs(memoryId, NAME_FITS)) return null;
  if (value === undefined || !isAsItIs(value, VALUE_FITS)) return `${memoryId}: ask for it`;
  return `${memoryId}: \`${value}\``;
}

function isAsItIs(text: string, most: { tokens: number; characters: number }): boolean {
  if (text.length > most.characters || text.trim() === '') return false;
  if (safePhrase(text) !== text || redactSecrets(text).text !== text) return false;
  return countTokens(text) <= most.tokens;
}
