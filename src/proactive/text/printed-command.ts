/** A `/when` command in an offer: printed only where it can be typed as it stands. Pure. */
import { safePhrase } from '../../shared/safe-text.js';
import { redactSecrets } from '../../shared/secrets.js';
import { countTokens } from '../../shared/tokens.js';

/** A command cannot be shortened: so much is left to the rest of its line and to another one. */
const MOST_TOKENS = 20;
const MOST_CHARACTERS = 120;
const COMMAND = /^\/(?:when|how) (?=[\p{L}\p{N}.])/u;
/** What follows it in brackets must not pass for a part of it. */
const AMBIGUOUS = /[()"“”„‟`]/;

/** The command itself; `undefined`: cleaning would change it, it holds a secret or is too long. */
export function printedCommand(command: string): string | undefined {
  if (command.length > MOST_CHARACTERS || !COMMAND.test(command)) return undefined;
  if (AMBIGUOUS.test(command) || safePhrase(command) !== command) return undefined;
  if (redactSecrets(command).text !== command) return undefined;
  return countTokens(command) <= MOST_TOKENS ? command : undefined;
}
