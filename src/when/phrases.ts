/** When two triggers, or two titles, are the same one written differently. */

/** The slash commands; `/how` is the same in other words. */
export const SLASH = '\\/(?:when|how)';
/** What people and agents put in front of a line of a list. */
export const MARK = '(?:[-*+•]|\\d{1,3}[.)])';
/** In front of a line of the index: what markdown takes for a bullet, or only a little space. */
export const INDEX_BULLET = ' {0,3}(?:[-*+][ \\t]+)?';

/** Characters that nobody sees; joiners stay, since they make words of some scripts. */
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const COMMAND = new RegExp(`^(?:[-*+] )?${SLASH}(?: |$)`);
/** Between letters or digits only: `--fix` is not `fix`, `__init__` is not `init`. */
const JOINED = /(?<=[\p{L}\p{N}])[-_\u2010\u2011](?=[\p{L}\p{N}])/gu;
/** Behind a word only: `?.` and `??` are what they are. */
const FINAL_MARKS = /(?<=[\p{L}\p{N}\p{M}"')\]])[.,;:!?]+$/u;
const QUOTES: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['«', '»'],
  ['**', '**'],
];
/** More layers of quotes than anybody writes. */
const MAX_LAYERS = 8;

/**
 * A trigger as "exact" compares it: letter case, width, white space, a leading `/when`, backticks,
 * surrounding quotes, final punctuation, and hyphen or underscore instead of a space make no
 * difference; nothing else is dropped, so that two triggers of one index stay two. '' when nothing
 * but such things is there.
 */
export function normalizePhrase(text: string): string {
  return remembered(phrases, text, normalized);
}

/** A title as titles are compared: without letter case, width and amount of white space. */
export function headerKey(title: string): string {
  return remembered(titles, title, oneSpelling);
}

/**
 * Of texts seen lately: every edit of a file asks for those of the whole index again, and they are
 * most of what linking it costs (measured). Forgotten all at once when full; long ones are no names.
 */
const phrases = new Map<string, string>();
const titles = new Map<string, string>();
const MOST_SEEN = 20_000;
const LONGEST = 200;

function remembered(
  seen: Map<string, string>,
  text: string,
  spelled: (text: string) => string,
): string {
  if (text.length > LONGEST) return spelled(text);
  const known = seen.get(text);
  if (known !== undefined) return known;
  const key = spelled(text);
  if (seen.size >= MOST_SEEN) seen.clear();
  seen.set(text, key);
  return key;
}

/** Words of letters and digits, one space apart: only letter case is to be made the same. */
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/i;

function normalized(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  let phrase = oneSpelling(text)
    .replaceAll(/[‘’‛]/g, "'")
    .replaceAll(/[“”„‟]/g, '"')
    .replaceAll('`', '');
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const before = phrase;
    phrase = unquoted(phrase.trim().replace(COMMAND, '').replace(FINAL_MARKS, ''));
    if (phrase === before) break;
  }
  return phrase.replaceAll(JOINED, ' ').replaceAll(/\s+/g, ' ').trim();
}

function oneSpelling(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  return text
    .replaceAll(UNSEEN, '')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function unquoted(phrase: string): string {
  for (const [open, close] of QUOTES) {
    if (phrase.length <= open.length + close.length) continue;
    if (!phrase.startsWith(open) || !phrase.endsWith(close)) continue;
    const inner = phrase.slice(open.length, -close.length);
    // `"a" or "b"` is not quoted as a whole.
    if (!inner.includes(open)) return inner;
  }
  return phrase;
}
