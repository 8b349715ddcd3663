/** Asked before the first clock time of a person is stored whose time zone nobody knows. */
import { type KnownZone, timezoneOfWords } from '../../triggers/index.js';
import type { Outcome } from './action-frame.js';
import { askUser } from './action-frame.js';
import { about, ZONE_QUESTION } from './open-questions.js';
import { ask, openQuestions } from './pending.js';
import type { Turn } from './turn.js';
import { zonePhrase } from './zone-phrase.js';

/** Keeps the request until the zone is told; `action` carries it out then. */
export async function askZone(turn: Turn, action: string, text: string): Promise<Outcome> {
  const isOnly = (await openQuestions(turn)).length === 0;
  await ask(turn, { kind: 'zone', action, text: text.slice(0, 4_000) });
  return askUser(isOnly ? ZONE_QUESTION : about(text, ZONE_QUESTION), { created: false });
}

/** The zone that a message names as the person's, remembered from now on; `null`: it names none. */
export async function zoneTold(turn: Turn): Promise<KnownZone | null> {
  const phrase = zonePhrase(turn.text) ?? turn.text;
  const read = timezoneOfWords(phrase);
  if ('problem' in read) return null;
  await turn.service.rememberTimezone(turn.requester.entityId, read.zone);
  return { name: read.zone, source: 'person' };
}
