/** Cuts tokens into sentences, and finds an order inside a sentence that begins as a statement. */
import type { Token } from './tokens.js';
import { lowAt } from './tokens.js';

export interface Range {
  from: number;
  to: number;
}

const ABBREVIATED =
  /^(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mr|mrs|ms|dr|st|no|vs|etc|approx|e|g|i)$/;

/** Sentences end at . ! ? ; and at line breaks. The end mark belongs to its sentence. */
export function splitSentences(tokens: readonly Token[]): Range[] {
  const ranges: Range[] = [];
  let from = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (!token || !endsSentence(tokens, index, token)) continue;
    let to = index + 1;
    while (/^[.!?;]$/.test(lowAt(tokens, to)) || tokens[to]?.kind === 'break') to += 1;
    if (to > from) ranges.push({ from, to });
    from = to;
    index = to - 1;
  }
  if (from < tokens.length) ranges.push({ from, to: tokens.length });
  return ranges;
}

function endsSentence(tokens: readonly Token[], index: number, token: Token): boolean {
  if (token.kind === 'break') return !/^[,:]$/.test(lowAt(tokens, index - 1));
  if (token.kind !== 'mark') return false;
  if (/^[!?;。！？…]$/.test(token.low)) return true;
  if (token.low !== '.') return false;
  const next = tokens[index + 1];
  if (next === undefined || next.kind === 'break') return true;
  if (next.start === token.end) return false;
  return !(
    ABBREVIATED.test(lowAt(tokens, index - 1)) && /^\d|^(?:at|and|to|through|,|-)$/.test(next.low)
  );
}

/** Positions inside a sentence at which a new clause with an order of its own may begin. */
export function clauseStarts(tokens: readonly Token[], range: Range): number[] {
  const starts: number[] = [];
  for (let index = range.from; index < range.to - 1 && starts.length < 8; index += 1) {
    const low = lowAt(tokens, index);
    if (/^(?:,|;|—|–|-|so|but|and|\))$/.test(low)) {
      let next = index + 1;
      while (/^(?:so|and|but|then|please|,)$/.test(lowAt(tokens, next))) next += 1;
      if (isStrong(tokens, next) || /^(?:please|pls)$/.test(lowAt(tokens, next - 1)))
        starts.push(index + 1);
    }
  }
  return starts;
}

/** Openings that are orders wherever a clause begins with them. */
function isStrong(tokens: readonly Token[], index: number): boolean {
  const low = lowAt(tokens, index);
  const next = lowAt(tokens, index + 1);
  if (/^(?:remind|ping|notify|alert|nudge|wake|tell|text|message|warn|buzz|call)$/.test(low))
    return /^(?:me|us)$/.test(next);
  if (/^(?:can|could|would|will)$/.test(low)) return /^(?:you|u)$/.test(next);
  return low === 'let' && /^(?:me|us)$/.test(next) && lowAt(tokens, index + 2) === 'know';
}

const TALK =
  /^(?:said|says|say|saying|told|tells|asked|asks|wrote|writes|write|typed|types|type|example|phrase|phrases|command|commands|like|such|message|prompt|sentence|if|when|whenever|unless|whether|reads|reply|replied|quote|why|don't|dont|never|not|stop)$/;

/** True when what stands before an order makes it a report or a condition instead. */
export function reportsSpeech(tokens: readonly Token[], from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) {
    if (tokens[index]?.kind === 'quote' || TALK.test(lowAt(tokens, index))) return true;
  }
  return false;
}
