/** In whose time zone clock times are read, on a machine that is set to UTC. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TriggerSummary } from '../../../src/index.js';
import { OPERATOR } from '../../helpers/triggers.js';
import { FRIDAY_9, type Seat, startTalk, type Talk } from './talk.js';

const CREATE = 'CREATE_TRIGGER';
const UPDATE = 'UPDATE_TRIGGER';
const ZONE = 'SET_TIME_ZONE';
const QUESTION =
  'In which time zone is that? Name a city or a zone, for example "Berlin", "New York time" or "UTC"; I will remember it.';

let talk: Talk;
let people = 0;
let ann: Seat;

beforeAll(async () => {
  talk = await startTalk({ slim: true, settings: { CUE_TIMEZONE: '' } });
});
afterAll(() => talk.agent.stop());
beforeEach(async () => {
  people += 1;
  talk.clock.ms = FRIDAY_9;
  ann = await talk.alone(`zone-${people}`);
});

async function mine(): Promise<TriggerSummary[]> {
  const requester = { kind: 'entity', ...ann } as const;
  return (await talk.agent.triggers.list({}, { limit: 50 }, requester)).triggers;
}

/** As REST makes it for a person whose zone it does not say. */
async function madeElsewhere(body: Record<string, unknown>): Promise<TriggerSummary> {
  const { entityId: creatorEntityId, roomId: originRoomId } = ann;
  const draft = { creatorEntityId, originRoomId, ...body };
  return (await talk.agent.triggers.requests.create(draft, OPERATOR)).trigger;
}

describe('the first clock time of a person whose zone nobody knows', () => {
  it('is stored once they have told it, and the next one at once', async () => {
    expect(await talk.say(ann, 'every day at 9am tell me the weather', CREATE)).toBe(QUESTION);
    expect(await mine()).toEqual([]);
    const reply = await talk.say(ann, 'Berlin', CREATE);
    expect(reply).toMatch(/^Done: every day at 09:00 \(Europe\/Berlin\)\. /);
    expect(reply).not.toContain('I took the time as');
    await talk.say(ann, 'tomorrow at 8am tell me the news', CREATE);
    expect(await mine()).toMatchObject([
      { timezone: 'Europe/Berlin', timezoneSource: 'person', triggerType: 'once' },
      { timezone: 'Europe/Berlin', timezoneSource: 'person', triggerType: 'cron' },
    ]);
  });

  it('is stored, too, when the planner takes the answer for the setting of a zone', async () => {
    await talk.say(ann, 'every day at 9am tell me the weather', CREATE);
    expect(await talk.say(ann, 'my time zone is Asia/Tokyo', ZONE)).toMatch(
      /^Done: every day at 09:00 \(Asia\/Tokyo\)\. /,
    );
    expect(await talk.agent.triggers.toldTimezone(ann.entityId)).toBe('Asia/Tokyo');
  });

  it('is given up by "never mind", and asked for again by what is no zone', async () => {
    await talk.say(ann, 'every day at 9am tell me the weather', CREATE);
    expect(await talk.say(ann, 'on the moon', CREATE)).toContain(QUESTION);
    expect(await talk.say(ann, 'never mind', CREATE)).toBe('All right, I leave it.');
    expect(await talk.say(ann, 'in 20 minutes tell me to stretch', CREATE)).toMatch(/^Done: /);
    expect(await mine()).toHaveLength(1);
  });

  it('is asked about when it comes with a change', async () => {
    await talk.say(ann, 'every 2 hours summarize my inbox', CREATE);
    expect(await talk.say(ann, 'change it to every weekday at 7:30', UPDATE)).toBe(QUESTION);
    expect(await talk.say(ann, 'New York', UPDATE)).toContain(
      'every weekday at 07:30 (America/New_York)',
    );
  });

  it.each([
    ['in 20 minutes tell me to stretch', undefined],
    ['every hour tell me to drink', undefined],
    ['every day at 9am Tokyo time tell me the yen rate', 'request'],
    ['tomorrow at 9am UTC tell me to look', 'request'],
  ])('is none in "%s"', async (text, timezoneSource) => {
    expect(await talk.say(ann, text, CREATE)).toMatch(/^Done: /);
    const [made] = await mine();
    expect(made?.timezoneSource).toBe(timezoneSource);
  });

  it.each([
    ['the message', { metadata: { type: 'message', timezone: 'Asia/Kolkata' } }],
    [
      'its content',
      {
        content: {
          text: 'every day at 9am tell me the weather',
          metadata: { timezone: 'Asia/Kolkata' },
        },
      },
    ],
  ])('needs no question when %s says the zone', async (_where, more) => {
    await talk.say(ann, 'every day at 9am tell me the weather', CREATE, more);
    expect((await mine())[0]).toMatchObject({
      timezone: 'Asia/Kolkata',
      timezoneSource: 'person',
    });
  });

  it('needs no question when the entity says the zone', async () => {
    const entity = await talk.runtime.getEntityById(ann.entityId);
    await talk.runtime.updateEntity({ ...entity!, metadata: { timezone: 'Asia/Kolkata' } });
    await talk.say(ann, 'every day at 9am tell me the weather', CREATE);
    expect((await mine())[0]?.timezone).toBe('Asia/Kolkata');
    expect((await madeElsewhere({ text: 'every day at 8am remind me to call' })).timezone).toBe(
      'Asia/Kolkata',
    );
  });
});

describe('a zone that is told later', () => {
  it('moves what had only the zone of the machine, at the same clock times, and nothing else', async () => {
    await madeElsewhere({ text: 'every day at 9am summarize my inbox' });
    await madeElsewhere({ text: 'tomorrow at 18:00', instructions: 'pay rent' });
    await madeElsewhere({ text: 'in 3 hours', instructions: 'stretch' });
    await madeElsewhere({ text: 'every day at 9am read the yen rate', timezone: 'Asia/Tokyo' });
    await madeElsewhere({ text: 'every day at 9am UTC look at the logs' });
    expect(await talk.say(ann, 'my time zone is Europe/Berlin', ZONE)).toContain(
      'I have moved what I had read in the zone of my machine: ',
    );
    const byText = new Map((await mine()).map((one) => [one.instructions, one]));
    expect(byText.get('summarize my inbox')).toMatchObject({
      timezone: 'Europe/Berlin',
      timezoneSource: 'person',
      nextRunAtMs: Date.parse('2026-11-28T08:00:00Z'),
    });
    expect(byText.get('pay rent')?.scheduledAtIso).toBe('2026-11-28T17:00:00.000Z');
    expect(byText.get('stretch')?.scheduledAtIso).toBe('2026-11-27T11:00:00.000Z');
    expect(byText.get('read the yen rate')?.timezone).toBe('Asia/Tokyo');
    expect(byText.get('look at the logs')?.timezone).toBe('UTC');
    expect(await talk.say(ann, 'my time zone is Asia/Tokyo', ZONE)).toContain(
      'Triggers that exist already keep theirs.',
    );
  });

  it('leaves what would lie in the past there, and says so', async () => {
    await madeElsewhere({ text: 'today at 08:30', instructions: 'pay rent' });
    expect(await talk.say(ann, "I'm in Berlin", ZONE)).toContain('Not moved: "pay rent"');
    expect((await mine())[0]?.scheduledAtIso).toBe('2026-11-27T08:30:00.000Z');
  });
});

describe('a change of a trigger', () => {
  beforeEach(async () => {
    await madeElsewhere({ text: 'every 2 hours summarize my inbox' });
    await talk.agent.triggers.rememberTimezone(ann.entityId, 'Europe/Berlin');
  });

  it('is read in the zone of the person, where nobody has named one for the trigger', async () => {
    expect(
      await talk.say(ann, 'change the inbox summary to every weekday at 7:30', UPDATE),
    ).toContain('now runs every weekday at 07:30 (Europe/Berlin)');
    expect((await mine())[0]).toMatchObject({ timezoneSource: 'person' });
  });

  it('is read in the zone that was named for the trigger', async () => {
    await talk.say(ann, 'every day at 9am Tokyo time tell me the yen rate', CREATE);
    expect(await talk.say(ann, 'move the yen rate to 10am', UPDATE)).toContain(
      'now runs every day at 10:00 (Asia/Tokyo)',
    );
  });

  it.each([
    ['change the inbox summary to New York time', UPDATE],
    ['set the time zone of the inbox summary to America/New_York', UPDATE],
    ['set the time zone of the inbox summary to America/New_York', ZONE],
    ["change the inbox summary's time zone to New York", ZONE],
  ])('"%s" moves that trigger and not the person (%s)', async (text, action) => {
    await talk.say(ann, 'change the inbox summary to every day at 7:30', UPDATE);
    expect(await talk.say(ann, text, action)).toContain(
      'now runs every day at 07:30 (America/New_York)',
    );
    expect((await mine())[0]).toMatchObject({ timezoneSource: 'request' });
    expect(await talk.agent.triggers.toldTimezone(ann.entityId)).toBe('Europe/Berlin');
  });
});
