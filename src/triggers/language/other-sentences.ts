/** What the sentences around a request say about its time: used, without a bearing on it, or asked about. */
import { type Facts, isRecurring, merged, type Piece } from './facts.js';
import type { Phrase } from './phrase.js';
import { exceptionAt, isBareNumber, offsetAt } from './pieces.js';
import { indexesOf, type Sentence } from './request.js';

/**
 * The words of time around `sentence` that would change its schedule. A request with a day of its own
 * keeps it whatever was said in front of it; one with a clock time alone may mean the day of the event.
 * @param scheduleOf the schedule of facts as text, null where they leave a question
 */
export function saidAround(
  phrase: Phrase,
  sentences: readonly Sentence[],
  sentence: Sentence,
  facts: Facts,
  scheduleOf: (facts: Facts) => string | null,
): string[] {
  const indexes = new Set<number>();
  const whole = scheduleOf(facts);
  for (const other of sentences) {
    if (other === sentence || other.onlyTime) continue;
    const ahead = other.from < sentence.from;
    const inPiece = indexesOf(other.pieces);
    for (let index = other.from; index < other.to; index += 1) {
      const exception = isRecurring(facts) ? exceptionAt(phrase, index) : null;
      const to = offsetAt(phrase, index) ?? exception;
      for (let at = index; to !== null && at < Math.min(to, other.to); at += 1) indexes.add(at);
      if (ahead && !inPiece.has(index) && isBareNumber(phrase, index, other)) indexes.add(index);
    }
    for (const piece of other.pieces) {
      if (!bearsOn(facts, piece, ahead)) continue;
      const both = merged(facts, piece.facts);
      if (both !== null && scheduleOf(both) === whole) continue;
      for (const index of indexesOf([piece])) indexes.add(index);
    }
  }
  return [...indexes].sort((a, b) => a - b).map((index) => phrase.words[index]?.text ?? '');
}

function bearsOn(facts: Facts, { facts: said, ...piece }: Piece, ahead: boolean): boolean {
  if (piece.adjective || piece.vague || said.day?.type === 'past') return false;
  if (isRecurring(facts)) return Boolean(said.until ?? said.start ?? said.except ?? said.window);
  if (!ahead) return said.day !== undefined && !piece.subordinate;
  if (facts.day || facts.delay) return false;
  return said.day !== undefined || said.onDays !== undefined || isRecurring(said);
}
