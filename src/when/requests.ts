/**
 * What `/when` commands ask for, in every spelling that people and agents type: alone, with quotes,
 * in a list, as a list with a typed `\n`, copied from a printed `Related:` line or from the index
 * (seed `when-recall.md` §1). Pure; whatever the text, nothing is thrown.
 */
import { MARK, normalizePhrase, SLASH } from './phrases.js';
import type { Request } from './types.js';

/** Requests of one command that are answered; what is over is one `invalid` request. */
export const MOST_REQUESTS = 20;
/** Characters of one request. */
export const LONGEST_REQUEST = 500;

/** A longer line is not looked at: it is data, and patterns would take their time over it. */
const LONGEST_LINE = 4_000;
const SHOWN = 80;

export const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;
/** `/when` as a word of its own: neither `/whenever` nor `/when/then`. */
const COMMAND = new RegExp(`^${SLASH}(?=\\s|§|$)`, 'i');
const BULLET = new RegExp(`^${MARK}(?:\\s+|$)`);
/** `*…*`, `__…__` around a command; around a trigger they may belong to it. */
const EMPHASIZED = new RegExp(`^([*_]{1,3})(${SLASH}(?=\\s|§).*)\\1$`, 'i');
const FENCE = /^(?:`{3,}|~{3,})[\w-]*$/;
const UNESCAPED_PIPE = /(?<!\\)\|/;
/** The note of a printed line, `# Test Module Split Strategy (sibling)`, stands apart. */
const PRINTED_NOTE = /(?<=\s\s)#\s.*$/;
/** Where only a list goes on: behind the command, or before a bullet, `§` or command. */
const TYPED_LIST = new RegExp(
  `^\\s*${SLASH}\\s*(?:\\\\r)?\\\\n|\\\\n[ \\t]*(?:${MARK}\\s|§|${SLASH}\\b)`,
  'i',
);
const PAIRS: readonly (readonly [string, string])[] = [
  ['**', '**'],
  ['`', '`'],
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
];

/**
 * Every request of a text that is nothing but a command: with or without `/when` (`/how`), one a
 * line, in order, each once. At most 20; one that is longer than 500 characters or names nothing is
 * `invalid`, as is what comes after the twentieth. A text without any gives none.
 */
export function parseRequests(text: string): Request[] {
  return requestsOf(linesOf(text).flatMap((line) => argumentOf(line) ?? []));
}

/** The lines of a command; `\n` typed as two characters breaks a list, but not `§ api\notes.md`. */
function linesOf(text: string): string[] {
  const listed = TYPED_LIST.test(text.slice(0, LONGEST_LINE * MOST_REQUESTS));
  return (listed ? text.replaceAll(/(?:\\r)?\\n/g, '\n') : text).split(LINE_BREAK);
}

/** The requests of what stands behind commands: each once, within the limits. */
export function requestsOf(args: readonly string[]): Request[] {
  const distinct = new Map<string, string>();
  for (const argument of args) {
    const key = normalizePhrase(argument.slice(0, LONGEST_LINE));
    if (!distinct.has(key)) distinct.set(key, argument);
  }
  const requests = [...distinct.values()].slice(0, MOST_REQUESTS).map(requestOf);
  if (distinct.size > MOST_REQUESTS) {
    requests.push({
      kind: 'invalid',
      query: '',
      message: `${distinct.size} requests at once; only the first ${MOST_REQUESTS} are answered.`,
    });
  }
  return requests;
}

/** What a line asks for, without the command and all that stands around it; `null`: nothing. */
export function argumentOf(line: string): string | null {
  if (line.length > LONGEST_LINE) return line.trim();
  const bare = line.trim();
  if (FENCE.test(bare)) return null;
  const item = unwrapped(bare.replace(BULLET, '').replace(PRINTED_NOTE, ''));
  const command = item.replace(EMPHASIZED, '$2');
  const argument = unwrapped(command.replace(COMMAND, ''));
  if (argument.startsWith('§')) return argument;
  const field = (argument.split(UNESCAPED_PIPE)[0] ?? '').replaceAll('\\|', '|').trim();
  return field === '' ? null : field;
}

function requestOf(text: string): Request {
  if (text.length > LONGEST_REQUEST) {
    return {
      kind: 'invalid',
      query: `${text.slice(0, SHOWN)}…`,
      message: `Too long: ${text.length} characters, at most ${LONGEST_REQUEST} are allowed.`,
    };
  }
  const plain = text.replaceAll(/\s+/g, ' ');
  if (!plain.startsWith('§')) return { kind: 'trigger', query: plain, phrase: plain };
  const name = unwrapped(plain.replace(/^[§\s]+/, ''));
  if (name === '') {
    const message = 'Name a section or a file: /when § .Section or /when § file.md.';
    return { kind: 'invalid', query: '§', message };
  }
  const query = `§ ${name}`;
  return namesMarkdown(name)
    ? { kind: 'file', query, name }
    : { kind: 'section', query, title: name };
}

/** Whether a name ends like a markdown file's. */
export function namesMarkdown(name: string): boolean {
  return /[^\s./\\]\.(?:md|markdown)$/i.test(name);
}

/** Without quotes, backticks and emphasis around the whole of it. */
function unwrapped(text: string): string {
  let inner = text.trim();
  for (let round = 0; round < 4; round += 1) {
    const pair = PAIRS.find(
      ([open, close]) =>
        inner.length > open.length + close.length &&
        inner.startsWith(open) &&
        inner.endsWith(close),
    );
    if (pair === undefined) return inner;
    const within = inner.slice(pair[0].length, -pair[1].length);
    // Two quoted things side by side are not one quoted thing.
    if (within.includes(pair[0]) || within.includes(pair[1])) return inner;
    inner = within.trim();
  }
  return inner;
}
