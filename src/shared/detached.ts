const LATIN1 = /^[\0-\xff]*$/;

/**
 * A copy that does not keep a larger string alive: a word cut out of a text of 1 MB is a view of
 * that text in V8, and would hold it for as long as the word is known.
 */
export function detached(text: string): string {
  const encoding = LATIN1.test(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}
