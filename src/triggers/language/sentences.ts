/** Cuts the words of a text into sentences, and a statement from the request behind it. */
import type { Phrase } from './phrase.js';
import { wordAt } from './phrase.js';
import type { Token } from './tokens.js';
import { WEEKDAYS } from './words.js';

export interface Range {
  from: number;
  to: number;
}

const ABBREVIATED =
  /^(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mr|mrs|ms|dr|st|no|vs|etc|approx|e|g|i)$/i;

/** Sentences end at . ! ? ; and at line breaks, statements also before the request they lead to. */
export function splitSentences(phrase: Phrase): Range[] {
  const { words } = phrase;
  const ranges: Range[] = [];
  let from = 0;
  for (let index = 0; index < words.length; index += 1) {
    if (!endsSentence(phrase, index)) continue;
    let to = index + 1;
    while (/^[.!?;\n]$/.test(wordAt(phrase, to))) to += 1;
    ranges.push({ from, to });
    from = to;
    index = to - 1;
  }
  if (from < words.length) ranges.push({ from, to: words.length });
  return ranges.flatMap((range) => splitStatement(phrase, range));
}

function endsSentence(phrase: Phrase, index: number): boolean {
  const here = phrase.words[index];
  if (here?.kind === 'break') return !/^[,:]$/.test(wordAt(phrase, index - 1));
  if (here?.kind !== 'mark') return false;
  if (/^[!?;。！？…]$/.test(here.low)) return true;
  if (here.low !== '.') return false;
  const next = phrase.words[index + 1];
  if (next === undefined || next.kind === 'break') return true;
  if (next.start === here.end) return false;
  const before = phrase.words[index - 1]?.text ?? '';
  return !(ABBREVIATED.test(before) && /^\d|^(?:at|and|to|through|,|-)$/.test(next.low));
}

const STATEMENT =
  /^(?:i|i'?m|i'?ve|i'?ll|we|we're|my|our|the|there|there'?s|it|it'?s|he|she|they|this|that|you)$/;
const REQUEST =
  /^(?:(?:so|and|but|then|please|,) )*(?:(?:remind|ping|notify|alert|nudge|wake|tell|text|message|warn|buzz|call) (?:me|us)|(?:can|could|would|will) (?:you|u)|let (?:me|us) know|set (?:an?|my|the) (?:reminder|alarm|timer))(?: |$)/;

/** Where in the range something is asked for. */
export function requestAt(phrase: Phrase, { from, to }: Range): number | null {
  for (let index = from; index < to; index += 1) {
    const start = phrase.offsets[index] ?? 0;
    if (REQUEST.test(phrase.text.slice(start, start + 80))) return index;
  }
  return null;
}

/** What is asked for leans on what is said in front of it. */
const OF_AN_EVENT =
  /(?:^| )(?:before|beforehand|prior|earlier|in advance|ahead|after|(?:that|same) (?:day|morning|afternoon|evening|night))(?: |$)/;
const CLAUSE = /^(?:if|unless|when|whenever|what|in case) /;
const isOfTime = ({ kind, low }: Token): boolean =>
  /^(?:number|clock|ordinal|date|iso)$/.test(kind) ||
  /^(?:to)?(?:day|night|morrow)$|^noon$/.test(low) ||
  WEEKDAYS[low] !== undefined;
const TOLD = /^\S+ (?:said|says|told|asked|wrote|used to) /;

/** "I have a call at 5, so remind me at 4:45": what is asked for is a sentence of its own. */
function splitStatement(phrase: Phrase, range: Range): Range[] {
  const text = phrase.text.slice(phrase.offsets[range.from], phrase.offsets[range.to]);
  if (TOLD.test(text)) return [range];
  const states = STATEMENT.test(wordAt(phrase, range.from));
  for (let index = range.from + 2; index < range.to - 1; index += 1) {
    if (!/^(?:,|-|so|but|and|\))$/.test(wordAt(phrase, index))) continue;
    const start = phrase.offsets[index + 1] ?? 0;
    const asked = phrase.text.slice(start, phrase.offsets[range.to]);
    const timed =
      !CLAUSE.test(text) &&
      [range.from, index].every((at, half) =>
        phrase.words.slice(at, half === 0 ? index : range.to).some(isOfTime),
      );
    if (REQUEST.test(asked.slice(0, 80)) && (states || timed || OF_AN_EVENT.test(asked))) {
      return [
        { from: range.from, to: index },
        { from: index + 1, to: range.to },
      ];
    }
  }
  return [range];
}
