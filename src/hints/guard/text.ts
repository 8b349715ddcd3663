/** All rules that need no loading, on one text: which of them it breaks, and the text without that. */
import type { SecretPattern } from '../../shared/secret-patterns.js';
import { redactDeep } from '../../shared/secrets.js';
import { replaceEncoded } from './encoded.js';
import { FORMS, kindOfNamed, NAMED_FORMS, NAMED_REST } from './forms.js';
import { setAside } from './harmless.js';
import { hexKeysIn } from './hex.js';
import { randomTokensIn } from './random.js';

export interface Judged {
  /** Names of the rules, each once; empty: no secret. */
  rules: string[];
  /** The text with every secret as `[redacted:<rule>]`; unchanged without one. */
  text: string;
}

/** Characters of no width between two of ASCII: no script needs them there. */
const UNSEEN = /(?<=[!-~])\p{Cf}+(?=[!-~])/gu;

/** @param name of the property, variable or hint that holds the text, if it has one */
export function judgeText(text: string, name?: string): Judged {
  const aside = setAside(shownOf(text));
  const rules = new Set<string>();
  const left = judge(aside.text, name, rules, true);
  return {
    rules: [...rules],
    text: rules.size === 0 ? text : aside.restore(left),
  };
}

/** As a reader sees it: a zero width within a token does not hide it. */
export function shownOf(text: string): string {
  return text.replace(UNSEEN, '');
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
  let left = text;
  const kind = name === undefined ? null : kindOfNamed(name, text);
  if (kind !== null) return mark(kind, rules);
  if (decodes) left = replaceEncoded(left, (decoded) => markOfDecoded(decoded, rules));
  const known = redactDeep({ [name ?? '']: left });
  for (const { kind } of known.found) rules.add(kind);
  left = Object.values(known.value)[0] ?? '';
  for (const form of FORMS) left = redactForm(left, form, rules);
  for (const form of NAMED_FORMS) left = redactNamed(left, form, rules);
  left = replaceSpans(left, hexKeysIn(wholeOf(left, name)), 'hex', rules, name);
  return replaceSpans(left, randomTokensIn(wholeOf(left, name)), 'random', rules, name);
}

/** With its name in front, as rules that look at what stands before a run expect it. */
function wholeOf(text: string, name: string | undefined): string {
  return name === undefined ? text : `${name}: ${text}`;
}

function replaceSpans(
  text: string,
  spans: readonly [number, number][],
  rule: string,
  rules: Set<string>,
  name: string | undefined,
): string {
  const shift = wholeOf('', name).length;
  let out = '';
  let from = 0;
  for (const [start, end] of spans) {
    // The name is a text of its own.
    if (start < shift) continue;
    out += text.slice(from, start - shift) + mark(rule, rules);
    from = end - shift;
  }
  return out + text.slice(from);
}

/** `Cookie: session=…`: what is no secret as a value may name one itself. */
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

function redactForm(text: string, form: SecretPattern, rules: Set<string>): string {
  const { kind, hint, head, tail, accept } = form;
  if (hint !== undefined && !text.includes(hint)) return text;
  let out = '';
  let from = 0;
  for (const found of text.matchAll(head)) {
    const start = found.index + (found[1]?.length ?? 0);
    let end = found.index + found[0].length;
    if (start < from) continue;
    if (tail) {
      tail.lastIndex = end;
      const rest = tail.exec(text);
      if (rest === null) continue;
      end += rest[0].length;
    }
    if (accept && !accept(text.slice(start, end))) continue;
    out += text.slice(from, start) + mark(kind, rules);
    from = end;
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
