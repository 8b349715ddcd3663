/** The time zone of a person: the question for it, and the words that tell it. */
import { type KnownZone, timezoneOfWords } from '../../triggers/index.js';
import type { Outcome } from './action-frame.js';
import { askAbout, ZONE_QUESTION } from './open-questions.js';
import type { Turn } from './turn.js';

/**
 * Asked before the first clock time of a person is stored whose zone nobody knows. Keeps the request until
 * the zone is told; `action` carries it out then.
 */
export function askZone(turn: Turn, action: string, text: string): Promise<Outcome> {
  return askAbout(turn, { kind: 'zone', action, text }, ZONE_QUESTION);
}

/** The zone that a message names as the person's, remembered from now on; `null`: it names none. */
export async function zoneTold(turn: Turn): Promise<KnownZone | null> {
  const phrase = zonePhrase(turn.text) ?? turn.text;
  const read = timezoneOfWords(phrase);
  if ('problem' in read) return null;
  await turn.service.rememberTimezone(turn.requester.entityId, read.zone);
  return { name: read.zone, source: 'person' };
}

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
