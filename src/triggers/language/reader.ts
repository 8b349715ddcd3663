/** One sentence: is something asked, and when? */
import { readDuration } from './amounts.js';
import { type Cluster, clusterPieces, isStatement, selectClusters } from './clusters.js';
import { type Facts, isAnchored, isRecurring, merged, type Piece } from './facts.js';
import { type Head, type Word, wordsOf } from './head.js';
import { judged, monitors, REPORTS, type Request } from './judge.js';
import { findHead } from './request.js';
import { findPieces } from './scan.js';
import { clauseStarts, type Range, reportsSpeech } from './sentences.js';
import { lowAt, type Token } from './tokens.js';

/** A sentence: something else, nothing but time, or a request. */
export type Sentence =
  | { type: 'other'; range: Range; refused: boolean; leads: boolean }
  | { type: 'time'; range: Range; facts: Facts | null; pieces: Piece[] }
  | { type: 'request'; range: Range; request: Request; leads: boolean };

const ONE_AT_A_TIME = 'I can set one schedule at a time. Which one first?';

/** Reads the sentence in `range`. */
export function readSentence(tokens: readonly Token[], range: Range): Sentence {
  const pieces = findPieces(tokens, range.from, range.to);
  const words = wordsOf(tokens, range.from, range.to, covered(pieces));
  if (
    pieces.length > 0 &&
    words.every(
      (word) =>
        !/[\p{L}\p{N}"]/u.test(word.low) ||
        /^(?:please|thanks|and|only|just|so|for|on|at|the|also)$/.test(word.low),
    )
  ) {
    let facts: Facts | null = {};
    for (const piece of pieces) facts = facts && merged(facts, piece.facts);
    return { type: 'time', range, facts, pieces };
  }
  const refused = cancels(words);
  const leads = startsWithTime(tokens, range, pieces);
  const other: Sentence = { type: 'other', range, refused, leads };
  if (refused) return other;
  const head = findHead(words);
  if (head) {
    const request = readRequest(tokens, range, pieces, words, head);
    return request ? { type: 'request', range, request, leads } : other;
  }
  for (const start of clauseStarts(tokens, range)) {
    if (reportsSpeech(tokens, range.from, start)) return other;
    const clause = { from: start, to: range.to };
    const own = pieces.filter((piece) => piece.from >= start);
    const clauseWords = wordsOf(tokens, start, range.to, covered(own));
    const clauseHead = findHead(clauseWords);
    if (!clauseHead) continue;
    const request = readRequest(tokens, clause, own, clauseWords, clauseHead);
    if (request) return { type: 'request', range, request, leads };
  }
  return other;
}

/** Nothing but a bullet stands before the first words of time. */
function startsWithTime(tokens: readonly Token[], range: Range, pieces: readonly Piece[]): boolean {
  const first = pieces[0];
  if (!first) return false;
  return tokens.slice(range.from, first.from).every((token) => !/[\p{L}"]/u.test(token.text));
}

function covered(pieces: readonly Piece[]): Set<number> {
  const indexes = new Set<number>();
  for (const piece of pieces) {
    if (piece.adjective) continue;
    for (let index = piece.from; index < piece.to; index += 1) indexes.add(index);
  }
  return indexes;
}

/** "…, said the doctor", "… - that is what they say", "… didn't work": the order is spoken about. */
const CITED =
  / , (?:(?:the|my|our|his|her|a) )?(?:\p{L}+ )?(?:says|said|according to|claims|claimed|writes|wrote|quoth|replied|joked|shouted|told me) | , (?:\p{L}+ ){1,2}(?:says|said|wrote|replied|joked|claims)(?: [.!?])*$| [-–—] (?:that's|that is|this is|thats) | is (?:what|how|why) (?:i|we|he|she|they|you|it) |^(?!.*\b(?:if|whether|that|which|what|when|because|why)\b).* (?:failed|did not work|didn't work|does not work|doesn't work)(?: [.!?])*$/u;

/** "don't remind me", "stop sending …", "never mind": something is called off. */
function cancels(words: readonly Word[]): boolean {
  const text = words.map((word) => word.low).join(' ');
  if (/\b(?:just kidding|never ?mind|nvm|forget it|scratch that|jk)\b/.test(text)) return true;
  if (/^(?:no|nope|nah)(?: ,)? (?:thanks|thank you|need)\b/.test(text)) return true;
  if (CITED.test(text)) return true;
  if (/ , (?:see|catch|talk to) (?:you|ya|u)(?: (?:then|there|again|all))?(?: [.!])*$/.test(text))
    return true;
  return (
    /\b(?:don't|dont|do not|never|stop|quit|no need to|needn't|not to|cancel|unschedule)(?: ever| please)? (?:remind|ping|notify|alert|wake|tell|send|text|message|nudge|call|schedule)(?:ing|ding)?\b/.test(
      text,
    ) &&
    !/^(?:please )?remind|\bto (?:not|never)\b|\bnot to (?:tell|send|text|message|call)\b|\b(?:to|and) (?:stop|quit|cancel)\b/.test(
      text,
    )
  );
}

function readRequest(
  tokens: readonly Token[],
  range: Range,
  pieces: readonly Piece[],
  words: Word[],
  head: Head,
): Request | null {
  if (isStatement(words, head)) return null;
  const question = lowAt(tokens, lastOf(tokens, range)) === '?';
  if (question && !head.asked && head.kind !== 'remind' && head.kind !== 'setup') return null;
  const clusters = clusterPieces(tokens, pieces, words, head);
  const selection = selectClusters(tokens, clusters);
  const empty = isEmpty(words, head);
  const request: Request = {
    head,
    words,
    range,
    facts: selection.facts,
    used: selection.used,
    empty,
  };
  if (selection.several) return { ...request, question: ONE_AT_A_TIME };
  timerDuration(tokens, request);
  withAdjective(tokens, pieces, words, request);
  if (request.facts === null || !isAnchored(request.facts))
    return withoutTime(request, pieces, clusters, question);
  return judged(request, selection);
}

function lastOf(tokens: readonly Token[], range: Range): number {
  let last = range.to - 1;
  while (
    last > range.from &&
    (tokens[last]?.kind === 'break' || /^[^\p{L}\p{N}?]$/u.test(lowAt(tokens, last)))
  )
    last -= 1;
  return last;
}

const GENERIC =
  /^(?:it|this|that|these|those|something|anything|things?|stuff|a|an|the|some|task|tasks|job|jobs|do|so|me|us|to|for|about|please|thanks|thank|you|up|too|once|again|more|reminder|reminders|message|messages|now|and|of|my|in|on|at|by|or|with)$/;
/** Heads that are an act by themselves: being pinged or woken needs no reason. */
const SELF_CONTAINED = /^(?:ping|wake|buzz|nudge|poke|call|ring|phone|beep|page)$/;

function isEmpty(words: readonly Word[], head: Head): boolean {
  if (head.selfSufficient) return false;
  if (head.prefix.startsWith('remind me about')) return false;
  const speaksToMe =
    /^(?:me|us)$/.test(words[head.content - 1]?.low ?? '') ||
    words[head.content - 1]?.low === 'up' ||
    / me\b/.test(head.prefix);
  if ((SELF_CONTAINED.test(head.verb) || head.kind === 'unclear') && speaksToMe) return false;
  if (head.kind === 'remind' && SELF_CONTAINED.test(head.verb) && head.content - head.keep > 2)
    return false;
  return (
    words
      .slice(head.content)
      .every((word) => !/[\p{L}\p{N}"]/u.test(word.low) || GENERIC.test(word.low)) &&
    !(head.kind === 'setup' && head.verb === 'send')
  );
}

/** "set a 10 minute timer", "timer for 10 minutes": a length that is a delay here. */
function timerDuration(tokens: readonly Token[], request: Request): void {
  if (!request.head.selfSufficient || request.facts?.delay || request.facts?.times) return;
  for (let index = request.range.from; index < request.range.to; index += 1) {
    const duration = readDuration(tokens, index);
    if (duration && duration.value.ms > 0) {
      request.facts = { delay: duration.value };
      return;
    }
  }
}

/** "a daily summary at 9": the adjective is the recurrence where nothing else is one. */
function withAdjective(
  tokens: readonly Token[],
  pieces: readonly Piece[],
  words: readonly Word[],
  request: Request,
): void {
  const { facts } = request;
  if (facts && (isRecurring(facts) || facts.day || facts.delay)) return;
  for (const piece of pieces) {
    if (
      !piece.adjective ||
      /^(?:the|my|our|your|this|that|his|her|their)$/.test(lowAt(tokens, piece.from - 1))
    )
      continue;
    const near = [0, 1, 2].some((step) => REPORTS.test(lowAt(tokens, piece.to + step)));
    const opened = words.filter(
      (word) => word.index < piece.from && word.index > (words[request.head.keep]?.index ?? 0),
    );
    if (
      !near ||
      opened.length > 5 ||
      opened.some((word) => /^(?:if|that|which|who|what|about|of|how|why)$/.test(word.low))
    )
      continue;
    if (!facts && request.head.kind === 'do') continue;
    const both = merged(facts ?? {}, piece.facts);
    if (!both) continue;
    request.facts = both;
    request.used = [...request.used, piece];
    return;
  }
}

/** A request without a time that is its own: a question back where one was clearly wanted. */
function withoutTime(
  request: Request,
  pieces: readonly Piece[],
  clusters: readonly Cluster[],
  isQuestion: boolean,
): Request | null {
  const { head } = request;
  const untimed: Request = { ...request, facts: null, used: [] };
  const wh = /^(?:what|why|how|who|which|where|when|again|what's|whose)$/.test(
    request.words[head.content]?.low ?? '',
  );
  const monitored = monitors(request, clusters);
  if (monitored) {
    request.facts = monitored.facts;
    request.used = monitored.used;
    return judged(request, {
      facts: monitored.facts,
      used: monitored.used,
      clusters: [],
      several: false,
    });
  }
  const vague = pieces.some((piece) => piece.vague);
  if (
    vague &&
    (head.kind === 'remind' ||
      head.kind === 'setup' ||
      head.kind === 'deliver' ||
      (head.kind === 'do' && !isQuestion))
  ) {
    return { ...request, question: 'How often, or when exactly, should I do that?' };
  }
  if (wh || !clusters.some((cluster) => cluster.embedded || cluster.blocked)) return untimed;
  if (head.kind === 'remind' || head.kind === 'setup')
    return { ...request, question: 'When should I do that?' };
  return untimed;
}
