/**
 * When a value is a secret: the names that secrets have, and what a random value looks like beside
 * code, words, hashes and placeholders.
 */
import { isUuid } from './uuid.js';

/** English, then German, French, Spanish, Italian, Portuguese and Dutch. */
const PASSWORD =
  'password|passwd|passphrase|passcode|pwd|passwort|kennwort|mot de passe|contrase(?:ñ|n\u0303|n)a|(?<![a-z])clave|parola d.ordine|palavra-passe|senha|wachtwoord';
const API = '(?: (?:de |d.)?(?:api|acc[eè]s|acceso|accesso|acesso))?';
const KEY =
  `schl(?:ü|u\u0308|ue)ssel|(?<![a-z])cl(?:é|e\u0301|e)${API}|jeton|(?<![a-z])clave${API}|chiave${API}|chave${API}|(?<![a-z])sleutel|` +
  'secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|master[_-]?key|credentials?';
const SUFFIX = '(?:[_-]?(?:key|base|value|prod|dev|test|live|staging|id|[0-9]{1,4}))';

const PASSWORD_NAME = new RegExp(`(?:${PASSWORD})$`, 'i');
const KEY_NAME = new RegExp(`(?:${KEY})${SUFFIX}{0,2}$`, 'i');

/**
 * `name: value`, `name = "value"`, `"name": "value"`, `--name value`, `password is value`.
 * Groups: what stands before, name, joint, quote, quoted value, bare value.
 */
export const NAMED = new RegExp(
  `((?:--)?)((?:${PASSWORD})|(?:${KEY})${SUFFIX}{0,2})` +
    `(["']?\\s{0,4}(?::=|=>|[=:])\\s{0,4}|\\s{1,4}(?:is|ist|lautet|est|es|è|é)\\s{1,4}|(?<=--[A-Za-z_-]{1,24})\\s{1,4})` +
    `(?:(\\\\?["'\`])([^"'\`\\n\\\\]{1,512})(?=\\\\?["'\`])|([^\\s"'\`,;)}\\]<>]{1,512}))`,
  'gi',
);

/** What stands between a name and its value: a text without it names none. */
export const JOINT = /[=:\s]/;

/** What a thing of this name is when its value is a secret; `null`: names of this kind hold none. */
export function isSensitiveName(name: string): 'password' | 'api_key' | null {
  if (PASSWORD_NAME.test(name)) return 'password';
  return KEY_NAME.test(name) ? 'api_key' : null;
}

const PLACEHOLDER =
  /^(?:[$%{<[(*.]|x{3,}$|\.{3}|null$|none$|undefined$|true$|false$|your[_-]|my[_-]|process\.env|import\.meta|os\.environ|env\.|ENV\[|example|changeme|placeholder|redacted|dummy)/i;

/** A stand-in that a reader is to replace, or code that fetches the value. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/** `req.body.password`, `getToken()`, `config['x']`: an expression. */
const CODE = /^[A-Za-z_$][\w$]{0,64}(?:[.(?[]|::|->)/;

/** Code that gets the value, or a place where it is, and not the value itself. */
export function isReference(value: string): boolean {
  return CODE.test(value) || REFERENCE.test(value) || /^(?:~|\.{1,2})?\//.test(value);
}

/** Marks that people put into passwords; `-`, `_` and `.` join the words of a name as well. */
const MARK = /[!@#$%^&*?+~]/;

/**
 * Addresses, paths, `name@1.2.3`, `owner/name#12`, patterns and text with values put in: they have
 * marks and digits and are no password.
 */
const REFERENCE = new RegExp(
  [
    String.raw`^[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\/`,
    String.raw`^\.{0,2}\/[\w./-]{0,200}\?`,
    String.raw`^[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]{2,24}$`,
    String.raw`^@?[\w./-]{1,200}@[~^]?[0-9]{1,5}\.[0-9]{1,5}\.[0-9]{1,5}(?:[-+][\w.-]{1,40})?$`,
    String.raw`^[\w.-]{1,64}\/[\w.-]{1,100}#[0-9]{1,8}$`,
    String.raw`^\/?\^[[(\\.]`,
    String.raw`[$#]\{|\{\{|\$\(`,
  ].join('|'),
);

/**
 * Whether the value of something called password is one: letters with digits or marks, or six
 * digits and more. Types, code and words are not; words with both a mark and a digit are.
 */
export function isPassword(value: string, isQuoted: boolean): boolean {
  if (value.length < 6 || isPlaceholder(value) || /\s/.test(value)) return false;
  if (!isQuoted && CODE.test(value)) return false;
  if (/^[0-9]+$/.test(value)) return true;
  if (!/[A-Za-z]/.test(value)) return false;
  const digit = /[0-9]/.test(value);
  const marked = MARK.test(value);
  // `Hello@123` is made of words like `my-key-2024`, but nobody joins the words of a name by `@`.
  if (isNamedThing(value)) return digit && marked && !REFERENCE.test(value);
  return digit || marked;
}

const MIN_RANDOM = 16;
/** Bits a character; English words have less over so few, random hex has up to 4. */
const MIN_BITS = 2.9;

/**
 * Whether a value looks drawn at random: 16 characters and more, letters with digits, varied, and not words, versions, a path, a UUID or code.
 */
export function looksRandom(value: string): boolean {
  if (value.length < MIN_RANDOM || isPlaceholder(value) || isUuid(value)) return false;
  if (!/^[A-Za-z0-9_\-+/=.~!@#$%^&*:]+$/.test(value) || CODE.test(value)) return false;
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value) || isNamedThing(value)) return false;
  return bitsPerCharacter(value) >= MIN_BITS;
}

/** Every part is a word, a number or a word with a number behind it: `my-key-2024`, `v2`. */
export function isNamedThing(value: string): boolean {
  const parts = value.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  if (parts.length === 1 && /[0-9]/.test(value)) return false;
  return parts.every(isNamedPart);
}

const NAMED_PART =
  /^(?:[0-9]{0,8}|v[0-9]{1,4}|(?:[A-Z]{1,12}|[A-Z]?[a-z]{1,20})(?:[A-Z][a-z]{1,14}){0,4}[0-9]{0,4})$/;

/** A word, a number or a word with a number behind it. */
export function isNamedPart(part: string): boolean {
  return NAMED_PART.test(part);
}

function bitsPerCharacter(value: string): number {
  const sample = value.slice(0, 256);
  const counts = new Map<string, number>();
  for (const character of sample) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / sample.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}

/** What a name and a password encoded together are: the credentials of basic authorization. */
export function isNameAndPassword(value: string): boolean {
  return /^[^\s:]{1,128}:\S/.test(decodedText(value) ?? '');
}

const ENCODED = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,16384}={0,2}/g;
const PRINTABLE = /^[\t\n\r -~]{10,}$/;

/** The text that the run is base64 of; `null`: it is something else. */
export function decodedText(run: string): string | null {
  // Twelve characters decide for nearly everything that is no text.
  const start = Buffer.from(run.slice(0, 16), 'base64').toString('latin1');
  if (!PRINTABLE.test(start)) return null;
  const text = Buffer.from(run, 'base64').toString('latin1');
  return PRINTABLE.test(text) ? text : null;
}

/** The text with every run in base64 replaced for which `replacement` gives something. */
export function replaceEncoded(
  text: string,
  replacement: (decoded: string) => string | null,
): string {
  return text.replace(ENCODED, (run) => {
    const decoded = decodedText(run);
    return decoded === null ? run : (replacement(decoded) ?? run);
  });
}
