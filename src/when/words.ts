/** How many words a text has, as a person would count them. */

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]/u;
let segmenter: Intl.Segmenter | undefined;

/** What white space separates and has a letter or digit; in scripts without spaces, by dictionary. */
export function countWords(text: string): number {
  return text.split(/\s+/).reduce((sum, piece) => sum + wordsOf(piece), 0);
}

function wordsOf(piece: string): number {
  if (!UNSPACED.test(piece)) return WORD.test(piece) ? 1 : 0;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(piece)].filter(({ isWordLike }) => isWordLike).length;
}
