/** Whether the time of a sentence is that of something told, and not of what is asked for. */
import type { Piece } from './facts.js';
import { type Phrase, touches, wordAt } from './phrase.js';
import { indexesOf, type Sentence } from './request.js';
import { requestAt } from './sentences.js';

const REPORTS = /^(?:what|who|whose|which|how|why|where|whether|if)$/;
const CLAUSE =
  /^(?:when(?:ever)?|while|once|unless) (?:i|i'm|you|he|she|it|we|they|the|my|our)(?: |$)/;

/** "books were closed on 31 March", "remind me what we said on Monday at 9", "call me when you get home at 6": the time may be that of the clause. */
export function isReported(phrase: Phrase, sentence: Sentence, used: readonly Piece[]): boolean {
  const { content } = sentence.opening;
  const first = Math.min(sentence.to, ...used.map((piece) => piece.from));
  const isAsked = sentence.opening.asks || requestAt(phrase, sentence) !== null;
  for (let index = content; index < first; index += 1) {
    if (!isAsked && index > content && /^(?:was|were)$/.test(wordAt(phrase, index))) return true;
    if (index < content + 2 && REPORTS.test(wordAt(phrase, index))) return true;
    if (CLAUSE.test(phrase.text.slice(phrase.offsets[index]))) return true;
  }
  return false;
}

/** A subject of two words and more, or a pronoun with its verb: "the bus leaves", "it starts". */
const SUBJECT =
  /^(?:(?:the|my|our|his|her|their|your|this|that|these|those)(?: [^\s,:-]+){2,}|(?:it|he|she|they|there|we|you)(?: [^\s,:-]+)+)$/;
/** Behind a time they make it a part of the subject: "lunch at 12 was nice". */
const FINITE =
  /^(?:is|isn't|are|aren't|was|wasn't|were|weren't|has|had|got|did|didn't|does|doesn't)$/;
/** What is said or written may hold times of its own. */
const QUOTING = /^(?:that|saying|says)$/;

/** "the bus leaves at 9", "write a mail saying we meet at 9", "translate this text: see you at 9". */
export function isTold(
  phrase: Phrase,
  sentences: readonly Sentence[],
  sentence: Sentence,
  used: readonly Piece[],
): boolean {
  const { asks, content, prefix } = sentence.opening;
  if (requestAt(phrase, sentence) !== null || prefix !== '' || used.length === 0) return false;
  const first = Math.min(...used.map((piece) => piece.from));
  let words = 0;
  for (let index = content; index < first; index += 1) {
    const word = wordAt(phrase, index);
    // A word or two in front of a colon are a heading.
    if (word === ':' && words > 2) return true;
    if (!touches(phrase, index)) words += 1;
    const quoted = phrase.words[index + 1]?.kind === 'quote';
    if (index > content && QUOTING.test(word) && !quoted) return true;
    // "a poem about rainy mondays": no preposition says that the days are those of the schedule.
    const bare = used.some(({ from }) => /day|ing|night/.test(wordAt(phrase, from)));
    if (index > content && word === 'about' && bare) return true;
  }
  if (asks || sentences.some((other) => requestAt(phrase, other) !== null)) return false;
  if (used.some(({ to }) => FINITE.test(wordAt(phrase, to)))) return true;
  // "thanks, the 7 o'clock reminder worked".
  const opened = wordAt(phrase, sentence.from + 1) === ',' ? sentence.from + 2 : sentence.from;
  if (first <= opened) return false;
  const until = first > opened + 1 ? first : sentence.to;
  const inPiece = indexesOf(used);
  const subject = phrase.words.slice(opened, until).filter((_, at) => !inPiece.has(opened + at));
  return SUBJECT.test(subject.map(({ low }) => low).join(' '));
}
