/**
 * `/when` commands in free text of a chat, by a person or an agent. A command that is only talked
 * about costs prompt space for nothing, so in doubt there is none: not in code, in somebody else's
 * words, in what we printed ourselves, in examples, reports and negations. Pure.
 */
import { DICTIONARY_FORMS } from '../shared/irregular.js';
import { analyze } from '../shared/text.js';
import { argumentOf, LINE_BREAK, parseRequests, requestsOf } from './requests.js';
import type { Request } from './types.js';

/** Characters that are read; what stands behind them is data. */
const MOST_READ = 50_000;
/** A longer line is searched for no commands within it. */
const LONGEST_LINE = 4_000;

const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** At the start of a line, behind a bullet and whom it speaks to; deeper indented is code. */
const LEADING =
  /^(?: {0,3}|\s*(?:[-*+•]|\d{1,3}[.)])\s+)(?:<?@[!&\w.-]+>?[,:]?\s+)?(\/(?:when|how)(?:(?=[\s§]|\\n).*)?)$/i;
const TYPED_LIST = /^\/(?:when|how)\s*(?:\\r)?\\n/i;
const INLINE = /(`{1,2})\s?(\/(?:when|how)(?=[\s§]|\\n)[^`]+)\1/gi;
const FENCE = /^(?:\s*(?:[-*+•]|\d{1,3}[.)])\s+|\s*)(`{3,}(?=[^`]*$)|~{3,})/;
/** Heads of the lists that recall prints: commands there are offered, not given. */
const OFFERED = /^\s*(?:\*\*)?(?:Related|Did you mean)[:?]*(?:\*\*)?\s*$/i;
/** `<trigger>`, `[...]`, `…`, `X`: stands for something else. */
const PLACEHOLDER = /<[^<>]*>|^[[{].*[\]}]$|^[….\s]+$|^.$/;
/** A whole line of the index. */
const INDEX_LINE = /^[^|]+\|[^|]+\|/;

/**
 * The commands that a text gives: lines that begin with `/when` or `/how` (with a list below it, all
 * of the list), and `` `/when …` `` within a sentence that says it is to be done. Within the limits
 * of `parseRequests`; a text without commands gives none.
 */
export function findCommands(text: string): Request[] {
  if (!/\/(?:when|how)/i.test(text)) return [];
  const given: Given[] = [];
  let list: 'none' | 'open' | 'running' = 'none';
  for (const { line, at } of ownLines(text.slice(0, MOST_READ))) {
    const leading = LEADING.exec(line)?.[1];
    if (list !== 'none') {
      if (BULLET.test(line)) {
        list = 'running';
        add(given, at, line);
        continue;
      }
      if (line.trim() === '' && list === 'open') continue;
    }
    list = 'none';
    if (leading === undefined) for (const span of inlineOf(line)) add(given, -1, span);
    else if (/^\/(?:when|how)\s*$/i.test(leading)) list = 'open';
    else add(given, at, leading);
  }
  return requestsOf(given.filter((one) => !isListing(one, given)).map(({ argument }) => argument));
}

interface Given {
  argument: string;
  /** Of the line, from 0; -1 within a sentence. */
  at: number;
  isIndexLine: boolean;
}

function add(given: Given[], at: number, text: string): void {
  const texts = TYPED_LIST.test(text)
    ? parseRequests(text).map(({ query }) => query)
    : [argumentOf(text)];
  for (const argument of texts) {
    if (argument === null || argument === '' || PLACEHOLDER.test(argument)) continue;
    given.push({ argument, at, isIndexLine: INDEX_LINE.test(text) });
  }
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
  let rest = clause;
  for (let cut = rest.replace(CONNECTIVE, ''); cut !== rest; cut = rest.replace(CONNECTIVE, '')) {
    rest = cut;
  }
  const first = /^[\p{L}'’]+/u.exec(rest)?.[0]?.toLowerCase();
  if (first === undefined) return rest === '';
  if (/^(?:what|which|who|whom|whose|when|where|why|how)$/.test(first)) return false;
  return analyze(first).length > 0 && !first.endsWith('ed') && !DICTIONARY_FORMS.has(first);
}
