/** SET_TIME_ZONE: the zone in which a person's clock times are read, told once and kept. */
import { localParts } from '../../shared/zones.js';
import { formatInstant, timezoneOfWords } from '../../triggers/index.js';
import { type Outcome, refuse, succeed } from './action-frame.js';
import { createTrigger } from './create-trigger.js';
import { namesOf as names, plain } from './display.js';
import { isZoneOfTrigger } from './intent.js';
import { actionOf, openQuestions } from './pending.js';
import { triggerAction } from './trigger-action.js';
import type { Turn } from './turn.js';
import { UPDATE_TRIGGER, updateTrigger } from './update-trigger.js';
import { isQuestion, zonePhrase } from './zone-question.js';

export const setTimeZoneAction = triggerAction({
  name: 'SET_TIME_ZONE',
  similes: ['CHANGE_TIME_ZONE', 'MY_TIME_ZONE'],
  description:
    'Remembers the time zone of the user, for the clock times of reminders and schedules ("my time zone is Europe/Berlin", "I am in New York time"), or says which one is used.',
  examples: [
    ['my time zone is Europe/Berlin', 'Your time zone is Europe/Berlin now.'],
    ["I'm on New York time", 'Your time zone is America/New_York now.'],
  ],
  notInRuns: true,
  handle: setTimeZone,
});

async function setTimeZone(turn: Turn): Promise<Outcome> {
  if (turn.run !== null) return refuse('A scheduled run cannot change the time zone of a person.');
  if (isZoneOfTrigger(turn.text)) return updateTrigger(turn);
  const named = zonePhrase(turn.text);
  if (named === null) {
    const whose =
      turn.zone.source === 'person' ? 'Your time zone is' : 'You have told me none, so I use';
    return {
      text: `${whose} ${turn.zone.name}; it is ${clockNow(turn.nowMs, turn.zone.name)} there. To change it say for example "my time zone is Europe/Berlin".`,
      success: isQuestion(turn.text),
      data: { timezone: turn.zone.name },
    };
  }
  const read = timezoneOfWords(named);
  if ('problem' in read) {
    return refuse(`I do not know that time zone: ${plain(read.problem, 200)}.`, {
      code: 'INVALID_INPUT',
    });
  }
  const asking = (await openQuestions(turn)).find(({ kind }) => kind === 'zone');
  if (asking)
    return actionOf(asking) === UPDATE_TRIGGER ? updateTrigger(turn) : createTrigger(turn);
  const { moved, left } = await turn.service.rememberTimezone(turn.requester.entityId, read.zone);
  const others =
    moved.length === 0
      ? 'Triggers that exist already keep theirs.'
      : `I have moved what I had read in the zone of my machine: ${names(moved)}. Other triggers keep theirs.`;
  const behind = left.length === 0 ? '' : ` Not moved: ${names(left)}; change them one by one.`;
  return succeed(
    `Your time zone is ${read.zone} now; it is ${clockNow(turn.nowMs, read.zone)} there. ${others}${behind}`,
    { timezone: read.zone, moved: moved.length },
  );
}

function clockNow(nowMs: number, zone: string): string {
  const { hour, minute } = localParts(nowMs, zone);
  const day = formatInstant(nowMs, zone).split(',')[0];
  return `${day}, ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
