/**
 * `/when` commands in free text of a chat, by a person or an agent. A command that is only talked
 * about costs prompt space for nothing, so in doubt there is none: not in code, in somebody else's
 * words, in what we printed ourselves, in examples, reports and negations. Pure.
 */
import { DICTIONARY_FORMS } from '../shared/irregular.js';
import { analyze } from '../shared/text.js';
import { MARK, SLASH } from './phrases.js';
import { type Argument, argumentOf, LINE_BREAK, parseRequests, requestsOf } from './requests.js';
import type { Request } from './types.js';

/** Characters that are read; what stands behind them is data. */
const MOST_READ = 50_000;
/** A longer line is searched for no commands within it. */
const LONGEST_LINE = 4_000;

const BULLET = new RegExp(`^\\s*${MARK}\\s+`);
/** A line without its bullet; deeper indented is code. */
const LINE = new RegExp(`^(?:\\s*${MARK}\\s+| {0,3})(?=\\S)(.*)$`);
const COMMAND = new RegExp(`^${SLASH}(?:(?=[\\s§]|\\\\n).*)?$`, 'i');
const BARE_COMMAND = new RegExp(`^${SLASH}\\s*$`, 'i');
const MENTION = /^<?@[!&\w.-]+>?[,:]?\s+/;
const EMPHASIZED = /^([*_]{1,3})(\/.*)\1$/;
/** What leads to the command that ends a line: words, then a colon or comma. */
const LED = new RegExp(
  `^([^\`/"“”]{1,200}?[:,][*_]{0,3})\\s{1,8}([*_]{0,3}${SLASH}(?=[\\s§]|$).*)$`,
  'i',
);
const TYPED_LIST = new RegExp(`^${SLASH}\\s*(?:\\\\r)?\\\\n`, 'i');
const INLINE = new RegExp(`(\`{1,2})\\s?(${SLASH}(?=[\\s§]|\\\\n)[^\`]+)\\1`, 'gi');
const FENCE = new RegExp(`^(?:\\s*${MARK}\\s+|\\s*)(\`{3,}(?=[^\`]*$)|~{3,})`);
/** Heads of the lists that recall prints: commands there are offered, not given. */
const OFFERED = /^\s*(?:\*\*)?(?:Related|Did you mean)[:?]*(?:\*\*)?\s*$/i;
/** `<trigger>`, `[...]`, `…`, `X`: stands for something else. */
const PLACEHOLDER = /<[^<>]*>|^[[{].*[\]}]$|^[….\s]+$|^.$/;
/** A whole line of the index. */
const INDEX_LINE = /^[^|]+\|[^|]+\|/;

/**
 * The commands that a text gives: lines that begin with `/when` or `/how` (with a list below it, all
 * of the list), or end with it behind a name or what says that it is done now (`Let me check: /when …`),
 * and `` `/when …` `` within a sentence that says it is to be done. Within the limits of
 * `parseRequests`; a text without commands gives none.
 */
export function findCommands(text: string): Request[] {
  if (!/\/(?:when|how)/i.test(text)) return [];
  const given: Given[] = [];
  let list: 'none' | 'open' | 'running' = 'none';
  for (const { line, at } of ownLines(text.slice(0, MOST_READ))) {
    const leading = commandOf(line);
    if (list !== 'none') {
      if (BULLET.test(line)) {
        list = 'running';
        add(given, at, line);
        continue;
      }
      if (line.trim() === '' && list === 'open') continue;
    }
    list = 'none';
    if (leading === null) for (const span of inlineOf(line)) add(given, -1, span);
    else if (BARE_COMMAND.test(leading)) list = 'open';
    else add(given, at, leading);
  }
  return requestsOf(given.filter((one) => !isListing(one, given)).map(({ argument }) => argument));
}

interface Given {
  argument: Argument;
  /** Of the line, from 0; -1 within a sentence. */
  at: number;
  isIndexLine: boolean;
}

function add(given: Given[], at: number, text: string): void {
  const args = TYPED_LIST.test(text)
    ? parseRequests(text).map(({ query, asWritten }) =>
        asWritten === undefined ? { text: query } : { text: query, whole: asWritten.query },
      )
    : [argumentOf(text)];
  for (const argument of args) {
    if (argument === null || argument.text === '' || PLACEHOLDER.test(argument.text)) continue;
    given.push({ argument, at, isIndexLine: INDEX_LINE.test(text) });
  }
}

/** The command that the line is, or ends with; `null`: none. */
function commandOf(line: string): string | null {
  const [, item = ''] = LINE.exec(line) ?? [];
  const said = item.replace(MENTION, '');
  const alone = withoutEmphasis(said);
  if (COMMAND.test(alone)) return alone;
  if (line.length > LONGEST_LINE) return null;
  const [, lead = '', rest = ''] = LED.exec(said) ?? [];
  const command = withoutEmphasis(rest);
  // Behind the end of a sentence the line goes on with something else; a whole entry is being written.
  const isEnd = COMMAND.test(command) && !/[.!?]\s+\S/.test(command);
  return isEnd && !INDEX_LINE.test(command) && leadsOn(lead) ? command : null;
}

function withoutEmphasis(text: string): string {
  return text.trimEnd().replace(EMPHASIZED, '$2');
}

/** Index lines below each other are a piece of the index, shown or to be written. */
function isListing(one: Given, all: readonly Given[]): boolean {
  const beside = (other: Given) => other.isIndexLine && Math.abs(other.at - one.at) === 1;
  return one.isIndexLine && one.at >= 0 && all.some(beside);
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

const EXAMPLE = /(?:\be\.g\.?|\bi\.e\.?|\bexamples?|\bfor instance|\bsuch as|\blike)[,:]?\s*$/i;
const NEGATION = /\b(?:not|never|without|instead of|rather than|no longer)\b|n['’]t\b/i;
const INTENTION =
  /\b(?:i|we)(?:['’]ll|['’]d like to|\s+(?:will|shall|should|must|need to|want to|have to|am going to|are going to))\b|\b(?:i['’]m|we['’]re) going to\b|\b(?:let me|let['’]s|please)\b|\b(?:can|could|will|would) (?:you|i|we)\b/i;
const CONNECTIVE =
  /^(?:and|then|so|now|next|first|also|but|or|ok|okay|finally|again|just|therefore)\b[,\s]*/i;
/** Words that cite: "according to", "as in". */
const CITING = /\b(?:to|from|per|by|of|than|as|in|about)\s*$/i;
/** What may follow a command that is given; a verb there makes it the subject of a report. */
const GOES_ON =
  /^\s*(?:$|[.,;:!?)]|(?:first|next|now|then|again|too|also|and|or|but|to|for|before|after|so|if|once|while|please|on|in|with|because|since|as)\b)/i;

/** "Hey Cue,", "hello dear agent," and "Cue,": whom the line speaks to. */
const GREETING = /^(?:hey|hi|hello|dear|yo|good \p{L}+)(?: [\p{L}\p{N}_-]+){0,2}$/iu;
const NAME = /^[\p{L}][\p{L}\p{N}_-]{1,30}$/u;
/** Adverbs and participles of one word, which stand in front of a statement. */
const STARTS_STATEMENT = /(?:ly|ed|ever|wise|stead|while|side|sides)$/i;
/** What is done is done to something: "Look it up", "Checking the notes", not "Usage example". */
const DOING =
  /^(?:[\p{L}'’]+) (?:the|this|that|these|those|it|them|what|which|my|our|your|a|an|me|us|for|up)\b/iu;

/** Whether the words in front of a command at the end of a line say that it is given. */
function leadsOn(lead: string): boolean {
  const words = lead.replaceAll(/[*_]+/g, '').trim();
  if (EXAMPLE.test(words) || NEGATION.test(words)) return false;
  const said = words.slice(0, -1).trim();
  if (GREETING.test(said)) return true;
  const clause = (said.split(/[.!?;:,—–(]\s*/).at(-1) ?? '').trim();
  const rest = withoutConnectives(clause);
  if (rest === '') return true;
  if (words.endsWith(',')) {
    return said === clause && NAME.test(said) && !STARTS_STATEMENT.test(said) && isPlainWord(said);
  }
  if (INTENTION.test(clause)) return true;
  return DOING.test(rest) && isEmptyOrImperative(clause);
}

function inlineOf(line: string): string[] {
  if (line.length > LONGEST_LINE) return [];
  return [...line.matchAll(INLINE)].flatMap((found) => {
    const before = line.slice(0, found.index).replaceAll(INLINE, ' ');
    const after = line.slice(found.index + found[0].length);
    return isToBeDone(before.replace(BULLET, ''), after) ? [found[2] ?? ''] : [];
  });
}

/** Whether the sentence around a command says to carry it out, by its grammar. */
function isToBeDone(before: string, after: string): boolean {
  if (EXAMPLE.test(before)) return false;
  const clause = (before.split(/[.!?;:](?=\s|$)|[—–(]/).at(-1) ?? '').trim();
  if (NEGATION.test(clause)) return false;
  if (INTENTION.test(clause)) return true;
  if (!GOES_ON.test(after) || CITING.test(clause)) return false;
  return isEmptyOrImperative(clause);
}

/** "Run", "First check", "Recalling": not "the", "I", "which", "used", "ran". */
function isEmptyOrImperative(clause: string): boolean {
  const rest = withoutConnectives(clause);
  const first = /^[\p{L}'’]+/u.exec(rest)?.[0]?.toLowerCase();
  if (first === undefined) return rest === '';
  if (/^(?:what|which|who|whom|whose|when|where|why|how)$/.test(first)) return false;
  return isPlainWord(first) && !first.endsWith('ed') && !DICTIONARY_FORMS.has(first);
}

function withoutConnectives(clause: string): string {
  let rest = clause;
  for (let cut = rest.replace(CONNECTIVE, ''); cut !== rest; cut = rest.replace(CONNECTIVE, '')) {
    rest = cut;
  }
  return rest;
}

/** Neither article nor pronoun nor auxiliary. */
function isPlainWord(word: string): boolean {
  return analyze(word).length > 0;
}
