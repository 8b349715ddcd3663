/** `sub agent` where the library writes `subagent`, `exit code` where it writes `exitCode`. */
import { analyze } from '../../shared/text.js';

/** Words with nothing but a space or a hyphen to the next one. */
const PAIR =
  /(?<![\p{L}\p{N}_])([\p{L}\p{N}]{2,20})(?=[ -]([\p{L}\p{N}]{2,20})(?![\p{L}\p{N}_]))/gu;

/** Letters of the second word that a stem keeps at least, or it is a stem of the first. */
const OF_SECOND = 2;

/** Words that the library knows, of two that stand apart in the text. @param knows a term of `analyze` */
export function joinedWords(text: string, knows: (term: string) => boolean): string[] {
  return [...text.matchAll(PAIR)].flatMap(([, one = '', other = '']) => {
    // What says nothing alone ("to") makes no compound.
    if (analyze(one).length === 0 || analyze(other).length === 0) return [];
    const [term, more] = analyze(`${one}${other}`.toLowerCase());
    if (term === undefined || more !== undefined || term.length < one.length + OF_SECOND) return [];
    return knows(term) ? [term] : [];
  });
}
