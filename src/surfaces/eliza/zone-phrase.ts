/** The words of a message that name a person's time zone. Pure. */
import { timezoneOfWords } from '../../triggers/index.js';

const PATTERNS: readonly RegExp[] = [
  /\b(?:time ?zone|tz)\b[^.!?\n]*?\b(?:to|is|=|as|be|at)\b\s*(?:now |set to |in |on |the )*(.+)$/is,
  /\b(?:use|switch to|change to|set|go with)\s+(?:the )?(.+?)\s*(?:as (?:my|the) (?:time ?zone|tz))?$/is,
  /\b(?:i'?m|i am|we'?re|we are|i live|i'?ve moved|i have moved|i moved|we moved|i work|i'?m based|located|based|living|staying)\b(?: now| currently| living| based| located| back)*\s+(?:in|on|to|at|over in)\s+(?:the )?(.+)$/is,
  /^(?:my |the )?(?:time ?zone|tz)\s*[:=]?\s+(.+)$/is,
];

/** The words that name the zone, or `null` when none is named. Pure. */
export function zonePhrase(text: string): string | null {
  const said = text.trim().slice(0, 200);
  if (isQuestion(said)) return null;
  for (const pattern of PATTERNS) {
    const phrase = pattern
      .exec(said)?.[1]
      ?.replace(
        /\b(?:now|currently|at the moment|please|thanks|thank you|these days|from now on|for now)\b/gi,
        ' ',
      )
      .replace(/[\s,.!]+$/, '')
      .replace(/\s+/g, ' ')
      .trim();
    if (phrase !== undefined && phrase !== '') return phrase;
  }
  // "Europe/Berlin" as the answer to "which one?".
  return said.length <= 40 && 'zone' in timezoneOfWords(said) ? said : null;
}

export function isQuestion(text: string): boolean {
  return /^\s*(?:what|which|do you know|is my|am i|where|tell me)\b/i.test(text);
}
