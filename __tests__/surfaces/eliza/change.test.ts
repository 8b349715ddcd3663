import { EventType } from '@elizaos/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TriggerSummary } from '../../../src/index.js';
import { FRIDAY_9, type Seat, startTalk, type Talk } from './talk.js';

const UPDATE = 'UPDATE_TRIGGER';
const DELETE = 'DELETE_TRIGGER';

let talk: Talk;
let people = 0;
let ann: Seat;

beforeAll(async () => {
  talk = await startTalk({ slim: true });
});
afterAll(() => talk.agent.stop());
beforeEach(async () => {
  people += 1;
  talk.clock.ms = FRIDAY_9;
  ann = await talk.alone(`ann-${people}`);
});

async function make(...requests: string[]): Promise<void> {
  for (const request of requests) {
    expect(await talk.say(ann, request, 'CREATE_TRIGGER')).toMatch(/^Done/);
  }
}
async function mine(): Promise<TriggerSummary[]> {
  const requester = { kind: 'entity', ...ann } as const;
  return (await talk.agent.triggers.list({}, { limit: 50 }, requester)).triggers;
}
async function only(): Promise<TriggerSummary> {
  const all = await mine();
  expect(all).toHaveLength(1);
  return all[0]!;
}
const STANDUP = 'every weekday at 9:30 remind me of the standup';
const WATER = 'every 20 minutes remind me to drink water';
const MAIL = 'every day at 18:00 summarize my inbox';

describe('pause and resume', () => {
  it('stops one and lets it go on', async () => {
    await make(STANDUP, WATER);
    expect(await talk.say(ann, 'pause the standup', UPDATE)).toBe(
      'Paused "remind me of the standup", every weekday at 09:30 (Europe/Berlin). Say "resume" when it shall go on.',
    );
    expect(await talk.say(ann, 'resume it', UPDATE)).toBe(
      'Resumed "remind me of the standup", every weekday at 09:30 (Europe/Berlin). The next run is Fri 27 Nov 2026, 09:30 Europe/Berlin, in 30 minutes.',
    );
  });

  it("of all of one's own is one sentence", async () => {
    await make(STANDUP, WATER, MAIL);
    expect(await talk.say(ann, 'pause all my reminders', UPDATE)).toBe('Paused 3 triggers.');
    expect((await mine()).every((one) => one.state === 'paused')).toBe(true);
    expect(await talk.say(ann, 'what is paused?', 'LIST_TRIGGERS')).toMatch(
      /^There are 3 paused triggers:\n/,
    );
    expect(await talk.say(ann, 'resume everything', UPDATE)).toBe('Resumed 3 triggers.');
  });

  it('until a day starts a repeating one again after it', async () => {
    await make(STANDUP);
    expect(await talk.say(ann, 'pause the standup until Wednesday', UPDATE)).toBe(
      '"remind me of the standup" now runs every weekday at 09:30 (Europe/Berlin), starting 2 Dec 2026. The next run is Wed 2 Dec 2026, 09:30 Europe/Berlin, in 5 days.',
    );
  });
});

describe('snooze and skip', () => {
  it('puts off the next run and keeps the pattern', async () => {
    await make(STANDUP);
    expect(await talk.say(ann, 'snooze it for 10 minutes', UPDATE)).toBe(
      'The next run of "remind me of the standup" is Fri 27 Nov 2026, 09:40 Europe/Berlin, in 40 minutes. After that it goes on every weekday at 09:30 (Europe/Berlin).',
    );
    expect((await only()).cronExpression).toBe('30 9 * * 1-5');
    expect(await talk.say(ann, 'snooze the standup until tomorrow 9am', UPDATE)).toContain(
      'is Sat 28 Nov 2026, 09:00 Europe/Berlin, in 1 day.',
    );
  });

  it('lets what has just spoken speak again that long from now', async () => {
    await make(STANDUP, WATER);
    talk.clock.ms = FRIDAY_9 + 31 * 60_000;
    await talk.agent.triggers.heartbeat();
    await talk.agent.triggers.settle();
    expect(await talk.say(ann, 'skip the next water reminder', UPDATE)).toContain('leaves out');
    expect(await talk.say(ann, 'snooze the standup for 10 minutes', UPDATE)).toContain(
      'is Fri 27 Nov 2026, 09:41 Europe/Berlin, in 10 minutes.',
    );
  });

  it('puts off what is due before the snooze ends to its end', async () => {
    await make(WATER);
    expect(await talk.say(ann, 'snooze it for an hour', UPDATE)).toContain('in 1 hour.');
  });

  it('asks until when, if nothing is said', async () => {
    await make(STANDUP);
    expect(await talk.say(ann, 'snooze the standup', UPDATE)).toMatch(
      /^Until when shall I put off/,
    );
  });

  it('leaves out the next run', async () => {
    await make(STANDUP);
    expect(await talk.say(ann, 'skip the next standup', UPDATE)).toBe(
      '"remind me of the standup" leaves out the run of Fri 27 Nov 2026, 09:30 Europe/Berlin, in 30 minutes. The next run is Mon 30 Nov 2026, 09:30 Europe/Berlin, in 3 days.',
    );
  });

  it("does not skip another day's run than the one that was named", async () => {
    await make(STANDUP);
    expect(await talk.say(ann, "skip tomorrow's standup", UPDATE)).toContain(
      'so not tomorrow. I skipped nothing',
    );
    expect((await only()).nextRunAtMs).toBe(Date.parse('2026-11-27T08:30:00Z'));
  });

  it('says that a one-off has nothing to skip to', async () => {
    await make('in 20 minutes tell me to stretch');
    expect(await talk.say(ann, 'skip it', UPDATE)).toBe(
      'A one-time trigger has no run after the next: delete it.',
    );
  });
});

describe('another name, text or time', () => {
  it('renames, and knows the new name', async () => {
    await make(MAIL, WATER);
    expect(await talk.say(ann, 'rename the inbox summary to "Morning mail"', UPDATE)).toBe(
      'Renamed "summarize my inbox" to "Morning mail".',
    );
    expect(await talk.say(ann, 'pause morning mail', UPDATE)).toMatch(/^Paused "Morning mail"/);
  });

  it.each(['rename it to ""', "rename it to '  '", 'rename it to "\u200b"', 'call it ""'])(
    'takes no empty name: %s',
    async (text) => {
      await make(STANDUP);
      expect(await talk.say(ann, text, UPDATE)).toBe('The name must not be empty.');
      expect((await only()).displayName).toBe('remind me of the standup');
    },
  );

  it('changes what it does, and a name that came from the old text', async () => {
    await make(MAIL);
    await talk.say(
      ann,
      'change the text of the inbox summary to summarize my inbox and my calendar',
      UPDATE,
    );
    expect(await only()).toMatchObject({
      instructions: 'summarize my inbox and my calendar',
      displayName: 'summarize my inbox and my calendar',
    });
    await talk.say(ann, 'make it say "hello"', UPDATE);
    expect((await only()).instructions).toBe('say "hello"');
  });

  it('moves the clock time and keeps the days', async () => {
    await make(STANDUP);
    expect(await talk.say(ann, 'move the standup to 10am', UPDATE)).toBe(
      '"remind me of the standup" now runs every weekday at 10:00 (Europe/Berlin). The next run is Fri 27 Nov 2026, 10:00 Europe/Berlin, in 1 hour.',
    );
    expect((await only()).cronExpression).toBe('0 10 * * 1-5');
  });

  it('moves a one-off to another time of its day, or the next day when that is past', async () => {
    await make('today at 17:00 remind me to call mom');
    expect(await talk.say(ann, 'move it to 7pm', UPDATE)).toContain(
      'once on Fri 27 Nov 2026 at 19:00 (Europe/Berlin)',
    );
    expect(await talk.say(ann, 'move it to 8am', UPDATE)).toContain(
      'once on Sat 28 Nov 2026 at 08:00 (Europe/Berlin)',
    );
  });

  it('takes a whole new schedule', async () => {
    await make(STANDUP);
    expect(await talk.say(ann, 'change the standup to every Friday at 9', UPDATE)).toContain(
      'now runs every Friday at 09:00 (Europe/Berlin). The next run is Fri 4 Dec 2026',
    );
  });

  it('takes a single day as being about the next run only', async () => {
    await make(STANDUP);
    expect(await talk.say(ann, 'move the standup to Saturday', UPDATE)).toBe(
      'The next run of "remind me of the standup" is Sat 28 Nov 2026, 09:30 Europe/Berlin, in 1 day. After that it goes on every weekday at 09:30 (Europe/Berlin).',
    );
  });

  it('needs a yes below five minutes', async () => {
    await make(WATER);
    expect(await talk.say(ann, 'change it to every 2 minutes', UPDATE)).toBe(
      'That is every 2 minutes, up to 30 runs an hour. Shall I change "remind me to drink water" to that? Say yes or no.',
    );
    expect((await only()).intervalMs).toBe(20 * 60_000);
    await talk.say(ann, 'sure', UPDATE);
    expect((await only()).intervalMs).toBe(2 * 60_000);
  });

  it('says what is wrong with the new one', async () => {
    await make(WATER);
    expect(await talk.say(ann, 'change it to every 20 seconds', UPDATE)).toBe(
      'The interval is 20 seconds, below the floor of 1 minute. I changed nothing.',
    );
    expect(await talk.say(ann, `rename it to ${'x'.repeat(200)}`, UPDATE)).toMatch(
      /^The name .*120/,
    );
  });
});

describe('which one is meant', () => {
  it('is asked when two fit, and the answer is taken', async () => {
    await make(
      'every day at 9 send me the sales report',
      'every Monday at 9 send me the traffic report',
    );
    const question = await talk.say(ann, 'pause the report', UPDATE);
    expect(question).toMatch(/^Which one do you mean\? That fits 2 triggers:\n1\. .*\n2\. /);
    const second = question.includes('2. "send me the sales report"') ? 'sales' : 'traffic';
    expect(await talk.say(ann, 'the second one', UPDATE)).toMatch(
      `Paused "send me the ${second} report"`,
    );
  });

  it.each([
    ['delete the report', 'delete 1', DELETE, /^Deleted "(.*)",/],
    ['cancel the report', 'cancel the first one', DELETE, /^Deleted "(.*)",/],
    ['run the report now', 'run number 1', 'RUN_TRIGGER', /^I have started "(.*)"\. /],
  ])(
    '%s, %s: the place in the list may come with the verb',
    async (request, answer, action, done) => {
      await make(
        'every day at 9 send me the sales report',
        'every Monday at 9 send me the traffic report',
        WATER,
      );
      const question = await talk.say(ann, request, action);
      const first = /^1\. "(.*?)"/m.exec(question)?.[1];
      expect(first).toContain('report');
      expect(done.exec(await talk.say(ann, answer, action))?.[1]).toBe(first);
    },
  );

  it('is another one when the answer names it', async () => {
    await make(
      'every day at 9 send me the sales report',
      'every Monday at 9 send me the traffic report',
      WATER,
    );
    expect(await talk.say(ann, 'delete the report', DELETE)).toMatch(/^Which one/);
    expect(await talk.say(ann, 'delete the water', DELETE)).toContain('drink water');
  });

  it('can be said by id', async () => {
    await make(STANDUP, WATER);
    const [first] = await mine();
    expect(await talk.say(ann, `pause ${first!.id.slice(0, 8)}`, UPDATE)).toContain(
      first!.displayName,
    );
  });

  it('is said to be none, with what there is', async () => {
    await make(STANDUP);
    expect(await talk.say(ann, 'delete the unicorn feeding', DELETE)).toMatch(
      /^I know no trigger called "the unicorn feeding"\. There is:\n1\. "remind me of the standup"/,
    );
  });

  it('"it" is the one that was spoken about last', async () => {
    await make(STANDUP, WATER);
    await talk.say(ann, 'why did the standup not fire?', 'EXPLAIN_TRIGGER');
    expect(await talk.say(ann, 'delete it', DELETE)).toContain(
      'Deleted "remind me of the standup"',
    );
  });
});

describe('delete', () => {
  it('takes one away at once', async () => {
    await make(WATER);
    expect(await talk.say(ann, 'stop reminding me to drink water', DELETE)).toBe(
      'Deleted "remind me to drink water", every 20 minutes. It will not run again.',
    );
    expect(await mine()).toEqual([]);
  });

  it('of all needs a yes, and no keeps them', async () => {
    await make(STANDUP, WATER);
    const question = 'That deletes 2 triggers for good: ';
    expect(await talk.say(ann, 'cancel all my reminders', DELETE)).toContain(question);
    expect(await talk.say(ann, 'no, keep them', DELETE)).toBe('All right, I deleted nothing.');
    expect(await mine()).toHaveLength(2);
    await talk.say(ann, 'delete everything', DELETE);
    expect(await talk.say(ann, 'yes', DELETE)).toBe('Deleted 2 triggers.');
    expect(await mine()).toEqual([]);
  });

  it('does not take a yes that was said to something else', async () => {
    await make(STANDUP, WATER);
    await talk.say(ann, 'cancel all my reminders', DELETE);
    talk.clock.ms += 10 * 60_000;
    await talk.say(ann, 'yes', DELETE);
    expect(await mine()).toHaveLength(2);
  });
});

describe('run and explain', () => {
  it('runs one now and leaves its schedule alone', async () => {
    await make(MAIL);
    const { nextRunAtMs } = await only();
    expect(await talk.say(ann, 'run the inbox summary now', 'RUN_TRIGGER')).toBe(
      'I have started "summarize my inbox". The answer comes here. Its schedule stays as it is.',
    );
    await talk.agent.triggers.settle();
    expect((await only()).nextRunAtMs).toBe(nextRunAtMs);
  });

  it('begins only when it has been said that it was started', async () => {
    await make(MAIL);
    const order: string[] = [];
    talk.runtime.registerEvent(EventType.RUN_ENDED, async ({ roomId }) => {
      if (roomId === ann.roomId) order.push('said');
    });
    const { autonomy } = talk.agent;
    const inject = autonomy.injectAutonomousInstruction.bind(autonomy);
    const watched = vi.spyOn(autonomy, 'injectAutonomousInstruction');
    watched.mockImplementation((payload) => {
      order.push('begun');
      return inject(payload);
    });
    await talk.say(ann, 'run the inbox summary now', 'RUN_TRIGGER');
    await talk.agent.triggers.settle();
    watched.mockRestore();
    expect(order).toEqual(['said', 'begun']);
  });

  it('tells how a one-shot went after it has done its work and is gone, to those it concerns', async () => {
    await make('in 10 minutes remind me to call Ana');
    talk.clock.ms += 10 * 60_000;
    await talk.agent.triggers.heartbeat();
    await talk.agent.triggers.settle();
    expect(await mine()).toEqual([]);
    expect(await talk.say(ann, 'did my Ana reminder fire?', 'EXPLAIN_TRIGGER')).toMatch(
      /^About "remind me to call Ana", which has done its work: The run due Fri 27 Nov 2026, 09:10 Europe\/Berlin succeeded/,
    );
    const eve = await talk.alone(`eve-${people}`);
    expect(await talk.say(eve, 'did the Ana reminder fire?', 'EXPLAIN_TRIGGER')).toMatch(
      /^There are no triggers here/,
    );
  });

  it('says why one does not fire', async () => {
    await make(STANDUP);
    await talk.say(ann, 'pause it', UPDATE);
    expect(await talk.say(ann, 'why did my standup reminder not fire?', 'EXPLAIN_TRIGGER')).toBe(
      'About "remind me of the standup": It is paused: paused on request. It has not run yet.',
    );
  });
});

describe('more than a yes or no', () => {
  const three = ['one', 'two', 'three'].map((name, at) => `every ${at + 2} hours tell me ${name}`);

  it.each([
    ['no, keep them all, especially three', /^All right, I deleted nothing\.$/],
    ['nope not three', /^All right, I deleted nothing\.$/],
    ['stop, keep two', /^All right, I deleted nothing\.$/],
    ['yes, but keep two', /^I deleted nothing\. Say yes to delete 3 triggers, or name one/],
    ['yes, except two', /^I deleted nothing\. Say yes/],
    ['yes, all but the first', /^I deleted nothing\. Say yes/],
    ["don't delete two", /^I deleted nothing\. Say yes/],
    ['keep two', /^I deleted nothing\. Say yes/],
    ['delete all but two', /^I deleted nothing\. Say yes/],
    ['delete them all, but keep two', /^I deleted nothing\. Say yes/],
  ])('%s deletes nothing of all', async (answer, said) => {
    await make(...three);
    expect(await talk.say(ann, 'delete all my reminders', DELETE)).toMatch(/^That deletes 3/);
    expect(await talk.say(ann, answer, DELETE)).toMatch(said);
    expect(await mine()).toHaveLength(3);
  });

  it('leaves the question open, until one is named', async () => {
    await make(...three);
    await talk.say(ann, 'delete all my reminders', DELETE);
    await talk.say(ann, 'yes, except two', DELETE);
    expect(await talk.say(ann, 'delete three', DELETE)).toMatch(/^Deleted "tell me three"/);
    await talk.say(ann, 'yes', DELETE);
    expect(await mine()).toHaveLength(2);
    await talk.say(ann, 'delete all my reminders', DELETE);
    await talk.say(ann, 'yes, but keep one', DELETE);
    expect(await talk.say(ann, 'yes', DELETE)).toBe('Deleted 2 triggers.');
  });

  it('deletes nothing by what is to stay, unasked too', async () => {
    await make(...three);
    expect(await talk.say(ann, 'delete all my reminders except two', DELETE)).toMatch(
      /^I deleted nothing\. Name one to delete/,
    );
    expect(await mine()).toHaveLength(3);
  });
});

describe('a new command while "which one" is open', () => {
  const ROME = 'every day at 9 tell me the weather in Rome';
  const BERN = 'every day at 10 tell me the weather in Bern';
  beforeEach(() => make(ROME, BERN));

  it.each([
    [
      'rename the weather to "Foo"',
      UPDATE,
      'delete the weather in Rome',
      /^Deleted "tell me the weather in Rome"/,
    ],
    [
      'pause the weather',
      UPDATE,
      'delete the weather in Bern',
      /^Deleted "tell me the weather in Bern"/,
    ],
    [
      'pause the weather',
      UPDATE,
      'run the weather in Bern',
      /^I have started "tell me the weather in Bern"/,
    ],
    ['pause the weather', UPDATE, 'list my reminders', /^There are 2 triggers/],
    ['pause the weather', UPDATE, 'remind me to eat in 20 minutes', /^Done: once/],
    [
      'delete the weather',
      DELETE,
      'pause the weather in Rome',
      /^Paused "tell me the weather in Rome"/,
    ],
    [
      'delete the weather',
      DELETE,
      'rename the weather in Rome to Foo',
      /^Renamed "tell me the weather in Rome" to "Foo"/,
    ],
    [
      'run the weather',
      'RUN_TRIGGER',
      'delete the weather in Rome',
      /^Deleted "tell me the weather in Rome"/,
    ],
    [
      'run the weather',
      'RUN_TRIGGER',
      'stop the weather in Rome',
      /^Paused "tell me the weather in Rome"/,
    ],
  ])('%s (%s): %s', async (first, action, then, said) => {
    expect(await talk.say(ann, first, action)).toMatch(/^Which one/);
    const reply = await talk.say(ann, then, action);
    const left = `I left "${first.replaceAll('"', "'")}" undone. `;
    expect(reply.startsWith(left)).toBe(true);
    expect(reply.slice(left.length)).toMatch(said);
    expect(await talk.say(ann, 'the first one', action)).not.toMatch(
      /^(?:Renamed|Deleted|Paused|I have)/,
    );
  });

  it('is no answer when it begins with a no', async () => {
    for (const [first, action] of [
      ['pause the weather', UPDATE],
      ['delete the weather', DELETE],
      ['run the weather', 'RUN_TRIGGER'],
    ] as const) {
      await talk.say(ann, first, action);
      expect(await talk.say(ann, 'no, not the first one', action)).toMatch(
        /^All right, I (?:changed|deleted|started) nothing\.$/,
      );
    }
    await talk.say(ann, 'delete the weather', DELETE);
    expect(await talk.say(ann, 'not the first one', DELETE)).toMatch(/^I deleted nothing/);
    expect(await mine()).toHaveLength(2);
  });

  it('a name that begins with a verb is an answer', async () => {
    await make(
      'every day at 11 run the weather check',
      'every day at 12 run the weather check of Oslo',
    );
    await talk.say(ann, 'pause the weather check', UPDATE);
    expect(await talk.say(ann, 'run the weather check', UPDATE)).toMatch(
      /^Paused "run the weather check"/,
    );
  });
});
