/** The guard's own rules on one text: which of them it breaks, and the text without that. */
import {
  isNameAndPassword,
  isNamedPart,
  isPassword,
  isPlaceholder,
  isReference,
  isSensitiveName,
  looksRandom,
  replaceEncoded,
} from '../../shared/secret-values.js';
import { redactDeep, withoutUnseen } from '../../shared/secrets.js';
import { isUuid } from '../../shared/uuid.js';
import { isHarmlessName, setAside } from './harmless.js';
import { hexKeysIn, randomTokensIn, scrambledIn } from './runs.js';

export interface Judged {
  /** Names of the rules, each once; empty: no secret. */
  rules: string[];
  /** The text with every secret as `[redacted:<rule>]`; unchanged without one. */
  text: string;
}

/** @param name of the property, variable or hint that holds the text, if it has one */
export function judgeText(text: string, name?: string): Judged {
  const aside = setAside(withoutUnseen(text));
  const rules = new Set<string>();
  const left = judge(aside.text, name, rules, true);
  return rules.size === 0 ? { rules: [], text } : { rules: [...rules], text: aside.restore(left) };
}

/** The text as it may be printed. */
export function redactText(text: string, name?: string): string {
  return judgeText(text, name).text;
}

function judge(
  text: string,
  name: string | undefined,
  rules: Set<string>,
  decodes: boolean,
): string {
  if (text.length < 6) return text;
  const kind = name === undefined ? null : kindOfNamed(name, text);
  if (kind !== null) return mark(kind, rules);
  let left = decodes ? replaceEncoded(text, (decoded) => markOfDecoded(decoded, rules)) : text;
  const known = redactDeep({ [name ?? '']: left });
  for (const found of known.found) rules.add(found.kind);
  left = Object.values(known.value)[0] ?? '';
  for (const form of NAMED_FORMS) left = redactNamed(left, form, rules);
  left = replaceRuns(left, hexKeysIn, 'hex', rules, name);
  return replaceRuns(left, randomTokensIn, 'random', rules, name);
}

/** The text is searched with its name in front, because these rules depend on what precedes a run. */
function replaceRuns(
  text: string,
  find: (text: string) => [start: number, end: number][],
  rule: string,
  rules: Set<string>,
  name: string | undefined,
): string {
  const before = name === undefined ? '' : `${name}: `;
  let out = '';
  let from = 0;
  for (const [start, end] of find(before + text)) {
    // A run inside the name is not part of this text.
    if (start < before.length) continue;
    out += text.slice(from, start - before.length) + mark(rule, rules);
    from = end - before.length;
  }
  return out + text.slice(from);
}

/** Groups: what stands before the value, the name, the value or its beginning. */
const NAMED_FORMS = [
  /((?<![\w$-])[-_]{0,2}([A-Za-z][\w.-]{1,80})["']?\s{0,4}(?::=|=>|[=:])\s{0,4}\\?["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/g,
  /((?<![\w$-])(?:-{1,2}|_)([A-Za-z][\w.-]{1,80})\s{1,4}["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/g,
  // A pair of its own: `name: API_KEY`, `value: …`, in whatever syntax.
  /((?<![\w$-])(?:name|key)["']?\s{0,4}[=:]\s{0,4}["']?([A-Za-z][\w.-]{1,80})["']?[,\s]{1,24}["']?value["']?\s{0,4}[=:]\s{0,4}["'`]?)([^\s"'`,;)}\]<>\\]{6,128})/gi,
] as const;
const NAMED_REST = /[^\s"'`,;)}\]<>\\]*/y;

/** A value that is no secret is searched, too, because it may assign one: `Cookie: session=…`. */
function redactNamed(text: string, form: RegExp, rules: Set<string>): string {
  let out = '';
  let from = 0;
  form.lastIndex = 0;
  for (let found = form.exec(text); found !== null; found = form.exec(text)) {
    const [, before = '', name = '', value = ''] = found;
    const start = found.index + before.length;
    form.lastIndex = start;
    const kind = kindOfNamed(name, value);
    if (kind === null) continue;
    NAMED_REST.lastIndex = start + value.length;
    const end = NAMED_REST.lastIndex + (NAMED_REST.exec(text)?.[0].length ?? 0);
    out += text.slice(from, start) + mark(kind, rules);
    from = end;
    form.lastIndex = end;
  }
  return out + text.slice(from);
}

/** `echo LS0tLS1CRUdJTi… | base64 -d > key.pem` holds a key. */
function markOfDecoded(decoded: string, rules: Set<string>): string | null {
  const within = new Set<string>();
  judge(setAside(decoded).text, undefined, within, false);
  const [rule] = within;
  return rule === undefined ? null : mark(rule, rules);
}

function mark(rule: string, rules: Set<string>): string {
  rules.add(rule);
  return `[redacted:${rule}]`;
}

/** Names that the shared rules leave out, because in prose they have other meanings. */
const PASS_NAME = /(?:^|[^A-Za-z]|[A-Za-z](?<!by|com|sur|tres|under|over))(?:pass|pw|pswd|psk)$/i;
const KEY_NAME =
  /(?:^|[^A-Za-z]|(?<=[a-z])(?=[A-Z]))(?:keys?|auth|authorization|pat|salt|pepper|seed|cookie|session|session_?id|sid|signature|jwt|creds?)$/i;
/** Where a name and a password in base64 are one value. */
const BASIC_NAME = /auth(?:orization)?$|basic$/i;

/** Whether a value may be a secret because it is called so. */
export function isTellingName(name: string): boolean {
  return isSensitiveName(name) !== null || PASS_NAME.test(name) || KEY_NAME.test(name);
}

/** What the value of a thing of this name is, by rules of hints; `null`: no secret. */
function kindOfNamed(name: string, value: string): string | null {
  if (isHarmlessName(name) || isPlaceholder(value)) return null;
  const sensitive = isSensitiveName(name);
  // A number of something that passed is no password.
  if (PASS_NAME.test(name) || sensitive === 'password')
    return /[A-Za-z]/.test(value) && isPassword(value, false) ? 'password' : null;
  if (BASIC_NAME.test(name) && isNameAndPassword(value)) return 'authorization';
  if (sensitive === 'api_key') return isKey(value) ? 'api_key' : null;
  if (!KEY_NAME.test(name) || !looksRandom(value)) return null;
  // Of small letters and digits alone only what has no parts: `linux-x64-9f86d081` is a cache key.
  return scrambledIn(value) >= 14 || /^(?![0-9A-Fa-f]+$)[A-Za-z0-9]{24,}$/.test(value)
    ? 'api_key'
    : null;
}

/** Shorter ones are words and versions. */
const MIN_KEY = 8;
/** Of these, characters that are in no word: `k8s-secret-name` has three. */
const MIN_NAMELESS = 6;
const TRIED_OUT = /^(?:test|fake|mock|sample|demo)/i;

/** Whether the value of something called token or secret is one: letters with digits that name nothing. */
function isKey(value: string): boolean {
  if (isUuid(value)) return true;
  if (value.length < MIN_KEY || /\s/.test(value) || isReference(value)) return false;
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (value.length < 2 * MIN_KEY && TRIED_OUT.test(value)) return false;
  const nameless = value.split(/[^A-Za-z0-9]+/).filter((part) => !isNamedPart(part));
  return nameless.join('').length >= MIN_NAMELESS;
}
