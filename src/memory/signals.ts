/**
 * Small signs in a text that tell which of two equally good hits is meant: who speaks, and whether a
 * time is said. Weights come from `npm run eval -- recall` on sets other than those it is judged on.
 * Pure.
 */

/** `Ana: I signed the papers`, as chats are kept; the name in lower case. */
const SPEAKER = /^\s*\[?(\p{Lu}[\p{L}\p{M}'’-]{1,24})(?: \p{Lu}[\p{L}\p{M}'’-]{1,24})?\]?:\s/u;
const TIME =
  /\b(?:yesterday|today|tomorrow|tonight|(?:last|next|this|past) (?:week|month|year|night|weekend|summer|winter|spring|fall|autumn|\w+day)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|\w+ ago|in (?:19|20)\d\d|\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)|\d{1,2}(?::\d\d)? ?(?:am|pm)|o'clock)\b/i;
const ASKS_TIME =
  /^\W*(?:when|since when|how long|what (?:time|day|date|month|year)|which (?:day|date|month|year))\b/i;

/** Speaker a text begins with, `null` when it names none. */
export function speakerOf(text: string): string | null {
  return SPEAKER.exec(text.slice(0, 80))?.[1]?.toLowerCase() ?? null;
}

/** Whether the text says when something is. */
export function mentionsTime(text: string): boolean {
  return TIME.test(text);
}

export function asksForTime(question: string): boolean {
  return ASKS_TIME.test(question);
}

/** Words of a question that begin with a capital letter, in lower case: candidates for names. */
export function namesIn(question: string): string[] {
  const names = question.match(/\p{Lu}[\p{L}\p{M}-]+/gu) ?? [];
  return [...new Set(names.map((name) => name.toLowerCase()))];
}
