/**
 * `/when` commands in free text of a chat, by a person or an agent: lines that are one. A command that is
 * only talked about costs prompt space for nothing, so there is none within a sentence, in code, in
 * somebody else's words, and in what we printed ourselves. Pure.
 */
import { MARK, SLASH } from './phrases.js';
import { argumentOf, LINE_BREAK, parseRequests, requestsOf } from './requests.js';
import type { Request } from './types.js';

/** Characters that are read; what stands behind them is data. */
const MOST_READ = 50_000;

const BULLET = new RegExp(`^\\s*${MARK}\\s+`);
/** A line without its bullet; deeper indented is code. */
const LINE = new RegExp(`^(?:\\s*${MARK}\\s+| {0,3})(?=\\S)(.*)$`);
const COMMAND = new RegExp(`^${SLASH}(?:(?=[\\s§]|\\\\n).*)?$`, 'i');
const BARE_COMMAND = new RegExp(`^${SLASH}\\s*$`, 'i');
const MENTION = /^<?@[!&\w.-]+>?[,:]?\s+/;
const MARKED = /^([*_`]{1,3})(\/.*)\1$/;
const TYPED_LIST = new RegExp(`^${SLASH}\\s*(?:\\\\r)?\\\\n`, 'i');
const FENCE = new RegExp(`^(?:\\s*${MARK}\\s+|\\s*)(\`{3,}(?=[^\`]*$)|~{3,})`);
/** Heads of the lists that recall prints: commands there are offered, not given. */
const OFFERED = /^\s*(?:\*\*)?(?:Related|Did you mean)[:?]*(?:\*\*)?\s*$/i;
/** `<trigger>`, `[...]`, `…`, `X`: stands for something else. */
const PLACEHOLDER = /<[^<>]*>|^[[{].*[\]}]$|^[….\s]+$|^.$/;
/** A whole line of the index. */
const INDEX_LINE = /^[^|]+\|[^|]+\|/;

/**
 * The commands that a text gives: lines that are `/when …` or `/how …`, behind a bullet, a mention or
 * in backticks, too; with a list below it, all of the list. Within the limits of `parseRequests`; a text
 * without commands gives none.
 */
export function findCommands(text: string): Request[] {
  if (!/\/(?:when|how)/i.test(text)) return [];
  const given: Given[] = [];
  let list: 'none' | 'open' | 'running' = 'none';
  for (const { line, at } of ownLines(text.slice(0, MOST_READ))) {
    if (list !== 'none' && BULLET.test(line)) {
      list = 'running';
      add(given, at, line);
      continue;
    }
    if (list === 'open' && line.trim() === '') continue;
    list = 'none';
    const command = commandOf(line);
    if (command === null) continue;
    if (BARE_COMMAND.test(command)) list = 'open';
    else add(given, at, command);
  }
  return requestsOf(given.filter((one) => !isListing(one, given)).map(({ argument }) => argument));
}

interface Given {
  argument: string;
  /** Of the line, from 0. */
  at: number;
  isIndexLine: boolean;
}

function add(given: Given[], at: number, text: string): void {
  const isList = TYPED_LIST.test(text);
  for (const argument of isList
    ? parseRequests(text).map(({ query }) => query)
    : [argumentOf(text)]) {
    if (argument === null || argument === '' || PLACEHOLDER.test(argument)) continue;
    given.push({ argument, at, isIndexLine: INDEX_LINE.test(text) });
  }
}

/** The command that the line is; `null`: none. */
function commandOf(line: string): string | null {
  const [, item = ''] = LINE.exec(line) ?? [];
  const said = item.replace(MENTION, '').trimEnd().replace(MARKED, '$2');
  return COMMAND.test(said) ? said : null;
}

/** Index lines below each other are a piece of the index, shown or to be written. */
function isListing(one: Given, all: readonly Given[]): boolean {
  const beside = (other: Given) => other.isIndexLine && Math.abs(other.at - one.at) === 1;
  return one.isIndexLine && all.some(beside);
}

/** Lines in the writer's own words: no code, no quotation, nothing that recall printed. */
function* ownLines(text: string): Generator<{ line: string; at: number }> {
  let fence = '';
  let offered = false;
  for (const [at, line] of text.split(LINE_BREAK).entries()) {
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence !== '') {
      const closes = mark.startsWith(fence) && line.trim() === mark;
      if (closes) fence = '';
      continue;
    }
    if (mark !== '') {
      fence = mark;
      continue;
    }
    if (OFFERED.test(line)) offered = true;
    else if (line.trim() !== '' && !BULLET.test(line)) offered = false;
    const isQuoted = /^\s*(?:[-*+]\s+)?>/.test(line);
    if (!isQuoted && !(offered && BULLET.test(line))) yield { line, at };
  }
}
