/** Several questions to one person at once: none is lost, and no answer goes to one of them silently. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TriggerSummary } from '../../../src/index.js';
import { hintActions, openQuestionProvider } from '../../../src/surfaces/eliza/index.js';
import { hintsOf } from '../../helpers/hints.js';
import { FRIDAY_9, type Seat, startTalk, type Talk } from './talk.js';

const CREATE = 'CREATE_TRIGGER';
const DELETE = 'DELETE_TRIGGER';
const UPDATE = 'UPDATE_TRIGGER';
const MOM = 'remind me to call mom';
const MILK = 'remind me to buy milk';
const WHEN = 'When shall I do that?';

let talk: Talk;
let people = 0;
let ann: Seat;

beforeAll(async () => {
  talk = await startTalk();
  await hintsOf(talk.runtime);
  for (const action of hintActions) {
    if (!talk.runtime.actions.includes(action)) talk.runtime.registerAction(action);
  }
});
afterAll(() => talk.agent.stop());
beforeEach(async () => {
  people += 1;
  talk.clock.ms = FRIDAY_9;
  talk.agent.brain.onSmall = () => '{"kind":"none"}';
  ann = await talk.alone(`asked-${people}`);
});

async function mine(): Promise<TriggerSummary[]> {
  const requester = { kind: 'entity', ...ann } as const;
  const { triggers } = await talk.agent.triggers.list({}, { limit: 50 }, requester);
  return triggers.reverse();
}
const instructions = async () => (await mine()).map((one) => one.instructions);
const create = (text: string) => talk.say(ann, text, CREATE);

describe('two requests that wait for a time', () => {
  beforeEach(async () => {
    expect(await create(MOM)).toBe(WHEN);
    expect(await create(MILK)).toBe(`"${MILK}": ${WHEN}`);
  });

  it('are both kept, and an answer that fits both is asked about', async () => {
    expect(await create('tomorrow at 17:00')).toBe(
      `Which one is "tomorrow at 17:00" for?\n1. "${MILK}"\n2. "${MOM}"`,
    );
    expect(await mine()).toEqual([]);
    const first = await create('the second one');
    expect(first).toContain(`What I will do: "${MOM}".`);
    expect(first).toContain(`Still open, "${MILK}": ${WHEN}`);
    expect(await create('tomorrow at 18:00')).toContain(`What I will do: "${MILK}".`);
    expect(await mine()).toMatchObject([
      { instructions: MOM, scheduledAtIso: '2026-11-28T16:00:00.000Z' },
      { instructions: MILK, scheduledAtIso: '2026-11-28T17:00:00.000Z' },
    ]);
  });

  it.each([
    ['mom', [MOM]],
    ['the milk one', [MILK]],
    ['both', [MILK, MOM]],
  ])('are told apart by "%s"', async (answer, made) => {
    await create('tomorrow at 17:00');
    await create(answer);
    expect(await instructions()).toEqual(made);
  });

  it('are told apart by their words beside the time', async () => {
    const reply = await create('milk at 17:00');
    expect(reply).toContain('at 17:00');
    expect(reply).toContain(`Still open, "${MOM}": ${WHEN}`);
    expect(await create('call mom tomorrow at 5')).toMatch(/mom/);
    await create('in the evening');
    expect((await instructions()).sort()).toEqual([MILK, MOM].sort());
  });

  it('keep the choice open when the answer to it names neither', async () => {
    await create('tomorrow at 17:00');
    expect(await create('never mind')).toContain(`"${MILK}"`);
    expect(await mine()).toEqual([]);
    expect(await create('mom tomorrow at 18:00')).toContain('Done: ');
  });

  it('are dropped one by one, by name', async () => {
    expect(await create('never mind')).toBe(
      `All right, I leave "${MILK}". Still open, "${MOM}": ${WHEN}`,
    );
    expect(await create('never mind')).toBe('All right, I leave it.');
  });

  it('are named when a time is not clear yet', async () => {
    await create('the milk at 5');
    const reply = await create('mom at 9');
    expect(reply).toMatch(/^"remind me to call mom at 9": .*\?$/);
  });

  it('are all in the prompt, the last one first', async () => {
    const message = { ...ann, content: { text: 'x' } };
    const nothing = { values: {}, data: {}, text: '' };
    const { text } = await openQuestionProvider.get(talk.runtime, message, nothing);
    expect(text).toBe(
      [
        '# Open question',
        `The user has an open question from you. "${MILK}": ${WHEN} The answer goes to CREATE_TRIGGER.`,
        `Asked before that, and open as well: "${MOM}": ${WHEN} The answer goes to CREATE_TRIGGER.`,
      ].join('\n'),
    );
  });
});

it('a third request waits, too, however it asks', async () => {
  await create(MOM);
  await create('remember to buy eggs at the shop');
  expect(await create('set a reminder to water the plants')).toContain(WHEN);
  await create('tomorrow at 10:00');
  await create('all');
  expect((await instructions()).sort()).toEqual([
    'remind me to buy eggs at the shop',
    MOM,
    'remind me to water the plants',
  ]);
});

it('a request beside one whose time is not clear waits, too, and no other language is taken for its time', async () => {
  await create('remind me to call mom at 9');
  expect(await create('morgen um neun')).toContain('I read English');
  expect(await create('remind me to water the plants')).toBe(
    `"remind me to water the plants": ${WHEN}`,
  );
  await create('plants tomorrow at 10:00');
  await create('tomorrow morning');
  expect((await instructions()).sort()).toEqual([MOM, 'remind me to water the plants']);
});

it('words that could be a request or nothing are asked about', async () => {
  await create(MOM);
  const reply = await create('buy milk');
  expect(reply).toContain('"buy milk"');
  expect(reply).toContain(`Still open, "${MOM}": ${WHEN}`);
});

describe('an answer in another language', () => {
  it.each(['morgen um neun', 'übermorgen', 'jeden Freitag um 9 Uhr', 'mañana por la mañana'])(
    '%s is told which are read, and the question stays open',
    async (answer) => {
      await create(MOM);
      const reply = await create(answer);
      expect(reply).toContain('I read English');
      expect(reply).toContain(`Still open, "${MOM}": ${WHEN}`);
      await create('tomorrow at 9am');
      expect(await instructions()).toEqual([MOM]);
    },
  );

  it('is the time of the request where it is a single date', async () => {
    await create(MOM);
    expect(await create('am Freitag um 9 Uhr')).toContain('Fri 4 Dec 2026 at 09:00');
    expect(await instructions()).toEqual([MOM]);
  });

  it('is read by the model together with what it answers', async () => {
    await create(MOM);
    talk.agent.brain.onSmall = (prompt) =>
      prompt.includes(`<message>\n${MOM} morgen um neun\n`)
        ? '{"kind":"once","instructions":"remind me to call mom","at":"2026-11-28T09:00:00"}'
        : '{"kind":"none"}';
    expect(await create('morgen um neun')).toContain('Sat 28 Nov 2026 at 09:00');
    expect(await create('yes')).toContain('nothing that waits');
  });
});

describe('questions of several kinds', () => {
  it('a deletion that waits for a yes is still there behind a reminder, and says so', async () => {
    await create('every day at 9am tell me the news');
    await talk.say(ann, 'delete all my reminders', DELETE);
    await create(MOM);
    const done = await create('tomorrow at 17:00');
    expect(done).toMatch(/^Done: .*I still wait for your yes or no: Delete one trigger\?$/);
    expect(await talk.say(ann, 'no', DELETE)).toBe('All right, I deleted nothing.');
  });

  it('a yes goes to the last question that takes one', async () => {
    await create('every day at 9am tell me the news');
    await talk.say(ann, 'delete all my reminders', DELETE);
    await create('every minute tell me to breathe');
    await talk.say(ann, 'yes', DELETE);
    expect(await mine()).toHaveLength(1);
    expect(await create('yes')).toContain('Done: every minute.');
  });

  it('"which one?" is not answered by a reminder in between, and not lost by it', async () => {
    await create('every day at 9am tell me the weather in Rome');
    await create('every day at 10am tell me the weather in Bern');
    await talk.say(ann, 'pause the weather', UPDATE);
    await create(MOM);
    expect(await create('tomorrow at 17:00')).toContain(
      'Still open, "pause the weather": Which of 2 triggers is meant?',
    );
    expect(await talk.say(ann, 'the first one', UPDATE)).toMatch(/^Paused /);
  });

  it('one zone answers all that ask for it', async () => {
    const unknown = await startTalk({ slim: true, settings: { CUE_TIMEZONE: '' } });
    try {
      const eve = await unknown.alone('eve');
      await unknown.say(eve, 'every day at 9am tell me the news', CREATE);
      await unknown.say(eve, 'every day at 10am tell me the weather', CREATE);
      const reply = await unknown.say(eve, 'Berlin', CREATE);
      expect(reply.match(/Done: /g)).toHaveLength(2);
      expect(reply).not.toContain('Still open');
    } finally {
      await unknown.agent.stop();
    }
  });
});

it('are refused beyond a number that nobody keeps in mind', async () => {
  for (let number = 1; number <= 20; number += 1)
    await create(`remind me to do thing ${'x'.repeat(number)}`);
  expect(await create('remind me to do one more')).toContain('20 questions');
});
