/**
 * Takes secrets out of text before it is stored or shown (DESIGN §3). Known token forms are taken
 * by their form; passwords and keys by the name in front of them and the look of their value. Each
 * pattern has a bounded beginning and, where tokens have no fixed length, a run of one character
 * class behind it, so that the work grows with the text and not faster (`secrets.test.ts`).
 */

import { SECRET_RULES, type SecretRule } from './secret-rules.js';
import { isPassword, isSensitiveName, JOINT, looksRandom, NAMED } from './secret-values.js';

/** How many secrets of one kind were taken out. */
export interface FoundSecrets {
  kind: string;
  count: number;
}

const MAX_DEPTH = 100;
/** No key of any system is longer; an END mark further away belongs to something else. */
const MAX_KEY_BLOCK = 16_384;
const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_BODY = /(?:\\[nr]|[A-Za-z0-9+/=\s:,.-])*/y;

/** The text with every secret as `[redacted:<kind>]`, and what was found, in order of first sight. */
export function redactSecrets(text: string): { text: string; found: FoundSecrets[] } {
  const counts = new Map<string, number>();
  const redacted = redactText(text, counts);
  return { text: redacted, found: listOf(counts) };
}

/**
 * The same for every string in plain data (objects, arrays); a string or number whose property is
 * named like a secret (`password`, `api_key`) is judged as its value. The data given is not changed.
 */
export function redactDeep<T>(value: T): { value: T; found: FoundSecrets[] } {
  const counts = new Map<string, number>();
  const redacted = redactValue(value, undefined, counts, 0) as T;
  return { value: redacted, found: listOf(counts) };
}

function redactValue(
  value: unknown,
  name: string | undefined,
  counts: Map<string, number>,
  depth: number,
): unknown {
  if (typeof value === 'string') {
    const kind = name === undefined ? null : namedKind(name, value);
    return kind === null ? redactText(value, counts) : mark(kind, counts);
  }
  if (Number.isSafeInteger(value) || typeof value === 'bigint') {
    const kind = name === undefined ? null : namedKind(name, String(value));
    return kind === null ? value : mark(kind, counts);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return mark('too_deep', counts);
  if (Array.isArray(value)) {
    return value.map((item) => redactValue(item, name, counts, depth + 1));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key, counts),
      redactValue(item, key, counts, depth + 1),
    ]),
  );
}

/** What a value under this name is, `null`: no secret. */
function namedKind(name: string, value: string): string | null {
  const kind = isSensitiveName(name);
  if (kind === null) return null;
  return (kind === 'password' ? isPassword(value, true) : looksRandom(value)) ? kind : null;
}

/** Characters of no width between two of ASCII: no script needs them there. */
const UNSEEN = /(?<=[!-~])\p{Cf}+(?=[!-~])/gu;
/** It has none; the pattern above takes a millisecond to be made ready. */
const ASCII = /^[\0-\x7f]*$/;

/** As a reader sees it: a zero width within a token does not hide it. */
export function withoutUnseen(text: string): string {
  return ASCII.test(text) ? text : text.replace(UNSEEN, '');
}

function redactText(text: string, counts: Map<string, number>): string {
  // The shortest thing that is taken for a secret, with its name in front.
  if (text.length < 8) return text;
  const seen = withoutUnseen(text);
  if (seen === text) return redactSeen(text, counts);
  // As it is read; without a secret it stays as it was written.
  const redacted = redactSeen(seen, counts);
  return redacted === seen ? text : redacted;
}

function redactSeen(text: string, counts: Map<string, number>): string {
  let redacted = redactPrivateKeys(text, counts);
  for (const rule of SECRET_RULES) redacted = applyRule(redacted, rule, counts);
  return redactNamed(redacted, counts);
}

function redactPrivateKeys(text: string, counts: Map<string, number>): string {
  if (!text.includes('PRIVATE KEY')) return text;
  let out = '';
  let from = 0;
  KEY_BEGIN.lastIndex = 0;
  for (let begin = KEY_BEGIN.exec(text); begin !== null; begin = KEY_BEGIN.exec(text)) {
    const body = begin.index + begin[0].length;
    const end = keyEnd(text, body);
    out += text.slice(from, begin.index) + mark('private_key', counts);
    from = end;
    KEY_BEGIN.lastIndex = end;
  }
  return out + text.slice(from);
}

/** Behind the END mark, or behind what may be the key when that was cut off. */
function keyEnd(text: string, body: number): number {
  let block = text.slice(body, body + MAX_KEY_BLOCK);
  // Only up to the next BEGIN: with many of them, each would search the whole block for the END.
  const next = block.indexOf('-----BEGIN ');
  if (next >= 0) block = block.slice(0, next);
  KEY_END.lastIndex = 0;
  const end = KEY_END.exec(block);
  if (end !== null) return body + end.index + end[0].length;
  KEY_BODY.lastIndex = 0;
  const cut = KEY_BODY.exec(block);
  return body + (cut?.[0].trimEnd().length ?? 0);
}

function applyRule(
  text: string,
  { kind, hint, head, tail, accept }: SecretRule,
  counts: Map<string, number>,
): string {
  if (typeof hint === 'string' ? !text.includes(hint) : hint?.test(text) === false) return text;
  let out = '';
  let from = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    // The first group is what stands before the secret and stays.
    const start = found.index + (found[1]?.length ?? 0);
    let end = found.index + found[0].length;
    if (tail) {
      tail.lastIndex = end;
      const rest = tail.exec(text);
      if (rest === null) continue;
      end += rest[0].length;
    }
    head.lastIndex = end;
    if (accept && !accept(text.slice(start, end))) continue;
    out += text.slice(from, start) + mark(kind, counts);
    from = end;
  }
  return from === 0 ? text : out + text.slice(from);
}

function redactNamed(text: string, counts: Map<string, number>): string {
  if (!JOINT.test(text)) return text;
  return text.replace(NAMED, (whole: string, ...groups: (string | undefined)[]) => {
    const [before = '', name = '', joint = '', quote = '', quoted, bare] = groups;
    const value = quoted ?? bare ?? '';
    const kind = isSensitiveName(name);
    if (kind === null) return whole;
    // Behind "is", in any language, everything is prose; a sentence about passwords holds none.
    const prose = /^\s+\p{L}+\s+$/u.test(joint);
    if (prose && kind !== 'password') return whole;
    const { core, rest } = quoted === undefined ? trimmed(value, kind) : { core: value, rest: '' };
    const secret = kind === 'password' ? isPassword(core, quoted !== undefined) : looksRandom(core);
    if (!secret) return whole;
    return `${before}${name}${joint}${quote}${mark(kind, counts)}${rest}`;
  });
}

/**
 * Punctuation behind a bare value belongs to the sentence, `&…` behind a key to the address; behind
 * a password, which may have an `&` itself, only `&name=`.
 */
function trimmed(value: string, kind: string): { core: string; rest: string } {
  const next = value.search(kind === 'password' ? /&[A-Za-z_][\w.-]{0,40}=/ : /&/);
  const core = (next < 0 ? value : value.slice(0, next)).replace(/[.,;:!?]{1,8}$/, '');
  return { core, rest: value.slice(core.length) };
}

function mark(kind: string, counts: Map<string, number>): string {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return `[redacted:${kind}]`;
}

function listOf(counts: Map<string, number>): FoundSecrets[] {
  return [...counts].map(([kind, count]) => ({ kind, count }));
}
