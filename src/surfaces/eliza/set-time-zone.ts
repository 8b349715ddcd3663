/** SET_TIME_ZONE: the zone in which a person's clock times are read, told once and kept. */
import { localParts } from '../../shared/zones.js';
import { formatInstant, timezoneOfWords } from '../../triggers/index.js';
import { example, type Outcome, triggerAction } from './action.js';
import { plain } from './display.js';
import type { Turn } from './turn.js';

export const SET_TIME_ZONE = 'SET_TIME_ZONE';

export const setTimeZoneAction = triggerAction({
  name: SET_TIME_ZONE,
  similes: ['CHANGE_TIME_ZONE', 'MY_TIME_ZONE'],
  description:
    'Remembers the time zone of the user, for the clock times of reminders and schedules ("my time zone is Europe/Berlin", "I am in New York time"), or says which one is used.',
  examples: [
    example('my time zone is Europe/Berlin', 'Your time zone is Europe/Berlin now.', SET_TIME_ZONE),
    example("I'm on New York time", 'Your time zone is America/New_York now.', SET_TIME_ZONE),
  ],
  notInRuns: true,
  handle: setTimeZone,
});

async function setTimeZone(turn: Turn): Promise<Outcome> {
  if (turn.run !== null) {
    return { text: 'A scheduled run cannot change the time zone of a person.', success: false };
  }
  const named = zonePhrase(turn.text);
  if (named === null) {
    const whose = turn.zone.told ? 'Your time zone is' : 'You have told me none, so I use';
    return {
      text: `${whose} ${turn.zone.name}; it is ${clockNow(turn.nowMs, turn.zone.name)} there. To change it say for example "my time zone is Europe/Berlin".`,
      success: isQuestion(turn.text),
      data: { timezone: turn.zone.name },
    };
  }
  const read = timezoneOfWords(named);
  if ('problem' in read) {
    return {
      text: `I do not know that time zone: ${plain(read.problem, 200)}.`,
      success: false,
      data: { code: 'INVALID_INPUT' },
    };
  }
  await turn.service.rememberTimezone(turn.requester.entityId, read.zone);
  return {
    text: `Your time zone is ${read.zone} now; it is ${clockNow(turn.nowMs, read.zone)} there. Triggers that exist already keep theirs.`,
    success: true,
    data: { timezone: read.zone },
  };
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

function isQuestion(text: string): boolean {
  return /^\s*(?:what|which|do you know|is my|am i|where|tell me)\b/i.test(text);
}

function clockNow(nowMs: number, zone: string): string {
  const { hour, minute } = localParts(nowMs, zone);
  const day = formatInstant(nowMs, zone).split(',')[0];
  return `${day}, ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
