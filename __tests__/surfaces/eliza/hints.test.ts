/** Hints in real turns: told, asked for, used, forgotten, and shown unasked. */
import { type IAgentRuntime, type Memory, stringToUuid } from '@elizaos/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { autonomousRoom, INSTRUCTION_TYPE } from '../../../src/autonomy/index.js';
import { type HintScope, type HintService, printedValue } from '../../../src/hints/index.js';
import type { Caller } from '../../../src/records/index.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/clock.js';
import { isUuid, type Uuid } from '../../../src/shared/ids.js';
import {
  createHintsProvider,
  hintActions,
  memoryActions,
  offerActions,
  openQuestionProvider,
  triggerActions,
  whenActions,
} from '../../../src/surfaces/eliza/index.js';
import { hintsOf } from '../../helpers/hints.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { FRIDAY_9, makeAdmin, type Seat, startTalk, type Talk } from './talk.js';

const NO_STATE = { values: {}, data: {}, text: '' };
const OPERATOR: Caller = { kind: 'operator' };
/** As the process runs on, and another one. */
const OWN = ({ linux: 'linux', darwin: 'darwin', win32: 'windows' } as const)[
  process.platform as 'linux' | 'darwin' | 'win32'
];
const OTHER = OWN === 'windows' ? 'linux' : 'windows';
const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

let talk: Talk;
let hints: HintService;
let round = 0;
let ada: Seat;

beforeAll(async () => {
  // What offers show, HINTS does not repeat.
  talk = await startTalk({ slim: true, settings: { CUE_OFFERS_ENABLED: 'false' } });
  for (const action of hintActions) {
    if (!talk.runtime.actions.includes(action)) talk.runtime.registerAction(action);
  }
  await memoryOf(talk.runtime);
  hints = await hintsOf(talk.runtime);
});
afterAll(() => talk.agent.stop());
beforeEach(async () => {
  round += 1;
  talk.clock.ms = FRIDAY_9 + round * DAY_MS;
  ada = await talk.alone(`ada-${round}`);
});

let count = 0;
function messageFrom(seat: Seat, text: string): Memory {
  count += 1;
  return { id: stringToUuid(`hints-${count}`), ...seat, content: { text, source: 'test' } };
}

/** What the action answers to a message. */
async function actOn(name: string, message: Memory, runtime = talk.runtime) {
  const action = [...hintActions, ...triggerActions].find((one) => one.name === name);
  const said: string[] = [];
  const result = await action!.handler(runtime, message, NO_STATE, {}, async ({ text }) => {
    said.push(text ?? '');
    return [];
  });
  expect(said).toEqual([result?.text]);
  return { success: result!.success, data: result!.data, text: result!.text ?? '' };
}
const act = (name: string, seat: Seat, text: string, runtime = talk.runtime) =>
  actOn(name, messageFrom(seat, text), runtime);
const set = async (text: string, seat = ada) => (await act('SET_HINT', seat, text)).text;
/** As Ada keeps it, with what limits it. */
const keep = (component: string, key: string, value: string, scope: HintScope = {}) =>
  hints.setHint({ component, key, value, meta: { scope } }, callerOf(ada));
const get = async (text: string, seat = ada) => (await act('GET_HINT', seat, text)).text;
const bump = async (text: string, seat = ada) => (await act('BUMP_HINT', seat, text)).text;
const drop = async (text: string, seat = ada) => (await act('FORGET_HINT', seat, text)).text;

/** What HINTS puts into the prompts of a message. */
async function shown(seat: Seat, text: string, message = messageFrom(seat, text)): Promise<string> {
  return (await createHintsProvider(10_000).get(talk.runtime, message, NO_STATE)).text ?? '';
}
/** Its lines. */
async function lines(seat: Seat, text: string): Promise<string[]> {
  return (await shown(seat, text)).split('\n').filter((line) => line.startsWith('- '));
}
/** Of every variant of a component that Ada may read: how often it helped, by its value. */
async function countedIn(component: string): Promise<Record<string, number | undefined>> {
  const { hints: all } = await hints.query({ component, limit: 100 }, callerOf(ada));
  return Object.fromEntries(all.map(({ hint }) => [printedValue(hint.value), hint.use_count]));
}
/** Names are of this round alone: what all share stays. */
const named = (name: string) => `${name}${round}`;

describe('through the pipeline of the host', () => {
  it('a hint is told, asked for, used and forgotten', async () => {
    expect(
      await talk.say(ada, 'set hint http-proxy/build = docker compose build router', 'SET_HINT'),
    ).toBe(
      'I will remember the hint http-proxy/build: `docker compose build router`. It is kept for good. Only you are given it.',
    );
    expect(await talk.say(ada, 'how do I build the HTTP proxy?', 'GET_HINT')).toBe(
      'http-proxy/build: `docker compose build router`. Why: fits everywhere. It is kept for good.',
    );
    expect(await talk.say(ada, 'that worked, thanks', 'BUMP_HINT')).toBe(
      'Good: http-proxy/build has helped once now.',
    );
    expect(await talk.say(ada, 'forget it', 'FORGET_HINT')).toBe('Forgotten: http-proxy/build.');
    expect(await talk.say(ada, 'how do I build http-proxy?', 'GET_HINT')).toBe(
      'I know no hints yet.',
    );
  });
});

/** What the small model fills in while `work` runs. */
async function withForm<T>(form: object, work: () => Promise<T>): Promise<T> {
  const { brain } = talk.agent;
  const before = brain.onSmall;
  brain.onSmall = () => JSON.stringify(form);
  try {
    return await work();
  } finally {
    brain.onSmall = before;
  }
}

describe('SET_HINT', () => {
  it('keeps for good, and says so; said anew it is a change', async () => {
    expect(await set('set hint api/build = make')).toMatch(/ It is kept for good\./);
    expect(await set('set hint api/build = make all')).toMatch(
      /^I changed the hint api\/build: `make all`\. It is kept for good\./,
    );
  });

  it('takes the component that is known by that name', async () => {
    await set('set hint http-proxy/port = 80');
    expect(await set('set hint httpProxy/build = make')).toContain('http-proxy/build');
  });

  it('asks whether it understood what the small model read, and takes yes and no', async () => {
    const text =
      'remember: test api with npm test on branch dev for two hours, tagged ci, priority 8, because it is fast';
    const form = {
      ...{ component: 'api', key: 'test', value: 'npm test', isCommand: true, branch: ['dev'] },
      ...{ ttl: 'PT2H', tags: ['ci'], priority: 8, reason: 'it is fast', everybody: false },
    };
    const hint =
      'api/test: `npm test`. It counts only on branch dev. It lives for 2 hours. Only you are given it.';
    await withForm(form, async () => {
      expect(await set(text)).toBe(`Did you mean the hint ${hint} Say yes or no.`);
      const open = await openQuestionProvider.get(talk.runtime, messageFrom(ada, ''), NO_STATE);
      expect(open.text).toContain('Keep the hint "api/test"? A yes or no goes to SET_HINT.');
      expect(await set('no')).toBe('All right, I kept nothing.');
      expect(await set(text)).toMatch(/^Did you mean /);
      expect(await set('yes, but on main')).toMatch(/^I still wait for your yes or no: /);
      expect(await set('yes')).toBe(`I will remember the hint ${hint}`);
    });
    const found = await hints.getHint(
      { component: 'api', key: 'test', context: { branch: 'dev' } },
      callerOf(ada),
    );
    expect(found.hint).toMatchObject({
      value: { type: 'command', cmd: 'npm test' },
      meta: {
        ...{ ttl: 'PT2H', tags: ['ci'], priority: 8, reason: 'it is fast', source: 'user' },
        ...{ scope: { branch: ['dev'] }, added_by: 'chat' },
      },
    });
    talk.clock.ms += 2 * HOUR_MS + 1;
    expect(await get('how do I test api on branch dev?')).toBe('I know no hints yet.');
  });

  it('keeps nothing with a condition that it does not understand', async () => {
    const form = { component: 'api', key: 'build', value: 'make', other: 'until friday' };
    const said = await withForm(form, () => set('set hint api/build = make until friday'));
    expect(said).toMatch(/^I kept nothing, because I do not understand `until friday`\. /);
    expect(await get('list hints')).toBe('I know no hints yet.');
  });

  it.each([
    'remember that the login bug came from an expired refresh token',
    'build api with `make`',
    'set hint api/port = 80 on branch dev',
  ])('keeps nothing that no form is filled in of: %s', async (text) => {
    const { text: said, data } = await act('SET_HINT', ada, text);
    expect(said).toMatch(/^I see no hint in that, and kept nothing\. /);
    expect(data).toMatchObject({ asked: true });
    expect(await get('list hints')).toBe('I know no hints yet.');
  });

  it('and a hint is no schedule', async () => {
    const said = await act('CREATE_TRIGGER', ada, 'set hint api/build = make');
    expect(said.text).toBe('When shall I do that?');
  });

  it('refuses a secret, naming rule and place, never the value', async () => {
    const said = await set(`set hint api token = ${TOKEN}`);
    expect(said).toMatch(/^I did not keep that: it looks like a secret \(value: [a-z_]+\)\. /);
    expect(said).not.toContain('a1B2c3');
    const form = { component: 'api', key: 'token', value: TOKEN };
    const asked = await withForm(form, () => set(`remember: the token of api is ${TOKEN}`));
    expect(asked).toMatch(/^I did not keep that: it looks like a secret\. /);
    const { runtime } = talk;
    const kept = await runtime.getCache(`cue:pending:${ada.roomId}:${ada.entityId}`);
    expect(kept).toBeUndefined();
    expect(await get('list hints')).toBe('I know no hints yet.');
  });

  it('says what is wrong with a field', async () => {
    expect(await set('set hint __proto__ port = 80')).toMatch(/^The component must not be /);
    const keep = (more: object) =>
      withForm({ component: 'api', key: 'port', value: '80', ...more }, async () => {
        await set('the port of api is 80 in /a/../b');
        return set('yes');
      });
    expect(await keep({ priority: 80 })).toMatch(/^The priority /);
    expect(await keep({ folder: ['/a/../b'] })).toMatch(/cwd_glob/);
    expect(await keep({ ttl: 'two hours' })).toMatch(/^The time it is to be kept /);
  });

  it('is told inside a scheduled run, for its creator; a question there is a failure', async () => {
    const place = autonomousRoom(talk.runtime, uuidOf(ada.roomId));
    const inRun = (text: string) =>
      actOn('SET_HINT', {
        ...messageFrom({ entityId: place.entityId, roomId: place.roomId }, text),
        metadata: {
          ...{ type: INSTRUCTION_TYPE, originRoomId: ada.roomId, creatorEntityId: ada.entityId },
        },
      } as Memory);
    expect(await inRun('set hint api port = 81')).toMatchObject({ success: true });
    expect(await get('what is the port of api?')).toContain('api/port: `81`');
    expect(await inRun('add a hint for api')).toMatchObject({ success: false });
  });
});

function uuidOf(id: string): Uuid {
  if (!isUuid(id)) throw new Error(id);
  return id;
}

function callerOf(seat: Seat): Caller {
  const { entityId, roomId } = seat;
  return { kind: 'entity', entityId, roomId, private: true } as Caller;
}

describe('GET_HINT', () => {
  it('gives what counts here, and says why the rest does not', async () => {
    await keep('api', 'start', 'run-here', { os: [OWN] });
    await keep('api', 'start', 'run-there', { os: [OTHER] });
    await keep('api', 'debug', 'dbg', { branch: ['dev'] });
    expect(await get('how do I start api?')).toContain(`api/start: \`run-here\`. Why: os=${OWN}`);
    expect(await get(`how do I start api on ${OTHER}?`)).toContain('`run-there`');
    expect(await get('how do I debug api?')).toBe(
      'I know that, but not for here:\n- api/debug: branch unknown\nSay where you are, like "on branch dev" or "on windows".',
    );
    expect(await get('how do I debug api on branch main?')).toContain('branch=main not in dev');
    expect(await get('how do I debug api on the dev branch?')).toContain('api/debug: `dbg`');
  });

  it('lists', async () => {
    await set('set hint api port = 8080');
    await keep('api', 'start', 'x', { os: [OTHER] });
    await set('set hint web port = 80');
    expect(await get('list hints of api')).toBe(
      'Hints of api:\n- api/port: `8080`\n(1 more counts elsewhere: say "on windows" or "on branch dev".)',
    );
    expect(await get('which hints do you have?')).toBe(
      'I have hints of:\n- api: port, start\n- web: port',
    );
  });

  it('asks which component is meant, and takes place or name', async () => {
    await set('set hint web build = vite build');
    await set('set hint api build = make');
    const question = 'Of which component?\n1. api/build\n2. web/build';
    expect(await get('how do I build?')).toBe(question);
    expect(await get('the second')).toContain('web/build: `vite build`');
    expect(await get('how do I build?')).toBe(question);
    expect(await get('api')).toContain('api/build: `make`');
  });

  it('says what there is when there is no such hint', async () => {
    await set('set hint api build = make');
    expect(await get('how do I deploy api?')).toBe('I know no such hint of api. There are: build.');
    expect(await get('how do I deploy billing?')).toBe(
      'I know no hint for that. There are hints of: api.',
    );
  });

  it('never shows a secret', async () => {
    const component = named('vault');
    await hints.setHint({ component, key: 'token', value: TOKEN, allow_secret: true }, OPERATOR);
    for (const text of [
      await get(`what is the token of ${component}?`),
      await get(`list hints of ${component}`),
      await shown(ada, `the token of ${component}`),
    ]) {
      expect(text).not.toContain('a1B2c3');
    }
    expect(await lines(ada, `the token of ${component}`)).toEqual([]);
    await hints.deleteHint({ component, key: 'token' }, OPERATOR);
  });
});

describe('what GET_HINT gave', () => {
  const done = async (action: string, seat: Seat, success = true) => {
    const offers = await offersOf(talk.runtime);
    const roomId = uuidOf(seat.roomId);
    await offers.onActionCompleted({ action, success, roomId, caller: callerOf(seat) });
  };
  const usesOf = async (component: string, key: string) =>
    (await hints.getHint({ component, key }, callerOf(ada))).hint?.use_count;

  it('has helped when it is done with success in that room within half an hour', async () => {
    talk.runtime.setSetting('CUE_OFFERS_ENABLED', 'true');
    try {
      await set('set hint http-proxy/build = docker compose build router');
      await set('set hint http-proxy/test = docker compose run tests');
      const command = 'docker compose build router';
      await done(command, ada);
      expect(await usesOf('http-proxy', 'build')).toBe(0);
      await get('how do I build http-proxy?');
      const elsewhere = await talk.alone(`elsewhere-${round}`);
      await done(command, elsewhere);
      await done(command, ada, false);
      await (await offersOf(talk.runtime)).onActionCompleted({
        ...{ action: command, success: true, roomId: uuidOf(ada.roomId) },
      });
      await done('docker compose run tests', ada);
      expect(await usesOf('http-proxy', 'build')).toBe(0);
      await done(command, ada);
      await done(command, ada);
      expect(await usesOf('http-proxy', 'build')).toBe(1);
      expect(await usesOf('http-proxy', 'test')).toBe(0);
      await get('list hints of http-proxy');
      talk.clock.ms += 29 * MINUTE_MS;
      await done('docker compose run tests', ada);
      expect(await usesOf('http-proxy', 'test')).toBe(1);
      talk.clock.ms += 2 * MINUTE_MS;
      await done(command, ada);
      expect(await usesOf('http-proxy', 'build')).toBe(1);
    } finally {
      talk.runtime.setSetting('CUE_OFFERS_ENABLED', 'false');
    }
  });
});

describe('BUMP_HINT', () => {
  it('counts what is named', async () => {
    await set('set hint api port = 80');
    expect(await bump('bump api port')).toBe('Good: api/port has helped once now.');
    expect(await bump('the port of api worked')).toBe('Good: api/port has helped 2 times now.');
  });

  it('counts the variant that was given', async () => {
    await keep('api', 'start', 'a', { branch: ['dev'] });
    await set('set hint api start = b');
    await get('how do I start api on branch dev?');
    await bump('that worked');
    const of = async (branch: string) =>
      (
        await hints.getHint(
          { component: 'api', key: 'start', context: { branch }, limit: 5 },
          callerOf(ada),
        )
      ).hints?.map(({ hint }) => [hint.value, hint.use_count]);
    expect(await of('dev')).toEqual([
      ['a', 1],
      ['b', 0],
    ]);
  });

  it('counts what was just kept for oneself, and not what all share by its name', async () => {
    const component = named('mine');
    await hints.setHint(
      { component, key: 'build', value: 'team build', meta: { priority: 9 } },
      OPERATOR,
    );
    await set(`set hint ${component}/build = my build`);
    expect(await bump('that worked')).toBe(`Good: ${component}/build has helped once now.`);
    expect(await countedIn(component)).toEqual({ 'my build': 1, 'team build': 0 });
    await hints.deleteHint({ component, key: 'build' }, OPERATOR);
  });

  it.each(['that did not work', "it didn't help", 'the build failed', 'it broke'])(
    'never counts a failure: %s',
    async (text) => {
      await set('set hint api build = make');
      expect(await bump(text)).toBe('Then I count no use of it.');
    },
  );

  it('asks which of several, and when none was given lately', async () => {
    await set('set hint api build = make');
    await set('set hint api port = 80');
    await get('list hints of api');
    expect(await bump('that worked')).toBe('Which one helped?\n1. api/build\n2. api/port');
    expect(await bump('2')).toBe('Good: api/port has helped once now.');
    talk.clock.ms += 31 * MINUTE_MS;
    const none = 'Which hint helped? Name component and key, like "bump http-proxy build".';
    expect(await bump('that worked')).toBe(none);
    expect(await bump('did that work?')).toBe(none);
    expect(await bump('hello')).toBe(none);
  });
});

describe('FORGET_HINT', () => {
  it('forgets one at once, and of several asks which', async () => {
    await set('set hint api build = make');
    await set('set hint api port = 80');
    await keep('api', 'port', '81', { branch: ['dev'] });
    expect(await drop('forget the build hint of api')).toBe('Forgotten: api/build.');
    const question =
      'Which hint do you mean?\n1. api/port: `80`\n2. api/port: `81` (on branch dev)';
    expect(await drop('forget the port of api')).toBe(question);
    expect(await drop('no')).toBe('All right, I forgot nothing.');
    expect(await drop('delete all hints of api')).toBe(question);
    expect(await drop('the second')).toBe('Forgotten: api/port.');
    expect(await get('port of api?')).toContain('`80`');
    expect(await drop('forget the port of api')).toBe('Forgotten: api/port.');
    expect(await get('list hints')).toBe('I know no hints yet.');
  });

  it('forgets the variant of a place', async () => {
    await set('set hint api port = 80');
    await keep('web', 'port', '81', { branch: ['dev'] });
    expect(await drop('forget the port of web on branch dev')).toBe('Forgotten: web/port.');
    expect(await get('list hints')).toBe('I have hints of:\n- api: port');
  });

  it('leaves what all share when an admin forgets what was just kept for oneself', async () => {
    const component = named('mine');
    await makeAdmin(talk.runtime, ada);
    await hints.setHint({ component, key: 'build', value: 'team build' }, OPERATOR);
    await set(`set hint ${component}/build = my build`);
    expect(await drop('forget it')).toBe(`Forgotten: ${component}/build.`);
    expect(await countedIn(component)).toEqual({ 'team build': 0 });
    expect(await drop('forget that hint')).toBe('That is gone already.');
    expect(await countedIn(component)).toEqual({ 'team build': 0 });
    await hints.deleteHint({ component, key: 'build' }, OPERATOR);
  });

  it('asks an admin whether the own one is meant or what all share', async () => {
    const component = named('both');
    await makeAdmin(talk.runtime, ada);
    await hints.setHint({ component, key: 'build', value: 'team build' }, OPERATOR);
    await set(`set hint ${component}/build = my build`);
    const question = await drop(`forget the build hint of ${component}`);
    for (const value of ['my build', 'team build']) expect(question).toContain(`\`${value}\``);
    expect(await drop('the first')).toBe(`Forgotten: ${component}/build.`);
    expect(Object.keys(await countedIn(component))).toHaveLength(1);
    await drop(`forget the build hint of ${component}`);
  });

  it.each([
    'forget what I told you about the login bug',
    'delete my reminders',
    'forget it',
    'do not forget the port of api',
    'yes',
    'hello',
  ])('forgets nothing of: %s', async (text) => {
    await set('set hint api port = 80');
    talk.clock.ms += HOUR_MS;
    expect(await drop(text)).toBe(
      'Which hint shall I forget? Name component and key, like "forget the build hint of http-proxy".',
    );
    expect(await get('port of api?')).toContain('`80`');
  });
});

describe('privacy', () => {
  it('what one person tells is neither given nor shown to another', async () => {
    const bob = await talk.alone(`bob-${round}`);
    await set('set hint api/build = make');
    expect(await get('how do I build api?', bob)).toBe('I know no hints yet.');
    expect(await get('list hints', bob)).toBe('I know no hints yet.');
    expect(await shown(bob, 'the build of api fails')).toBe('');
    expect(await drop('forget the build hint of api', bob)).toMatch(/^Which hint shall I forget/);
    expect(await bump('bump api build', bob)).toMatch(/^Which hint helped/);
    await set('set hint api/build = other', bob);
    expect(await get('how do I build api?')).toContain('`make`');
  });

  it('in company it is given to who asks, and not brought up unasked', async () => {
    const [here, alone] = [
      await talk.inGroup(`eve-${round}`, `guild-${round}`),
      await talk.alone(`eve-${round}`),
    ];
    await set('set hint api/build = make', alone);
    expect(await get('how do I build api?', here)).toContain('`make`');
    expect(await shown(here, 'the build of api fails')).toBe('');
    expect(await shown(alone, 'the build of api fails')).toContain('- api/build: make');
  });

  it('only owner and admins share, and take away what is shared', async () => {
    const component = named('shared');
    const bob = await talk.alone(`bob-${round}`);
    const form = { component, key: 'port', value: '80', everybody: true };
    const share = () =>
      withForm(form, async () => {
        await set(`the port of ${component} is 80, for everybody`);
        return set('yes');
      });
    expect(await share()).toBe(
      'I may not do that for you: only owner and admins may share a hint with everybody.',
    );
    expect(await get(`port of ${component}?`)).toBe('I know no hints yet.');
    await makeAdmin(talk.runtime, ada);
    expect(await share()).toMatch(/ Everybody is given it\.$/);
    expect(await get(`what is the port of ${component}?`, bob)).toContain('`80`');
    expect(await shown(bob, `the port of ${component}`)).toContain(`- ${component}/port: 80`);
    expect(await drop(`forget the port of ${component}`, bob)).toBe(
      'I may not do that for you: only owner and admins may delete what all share.',
    );
    expect(await drop(`forget the port of ${component}`)).toBe(`Forgotten: ${component}/port.`);
  });
});

describe('HINTS', () => {
  it('shows what fits the component that the message is about, the key asked for first', async () => {
    for (const key of ['port', 'test', 'lint', 'start', 'build']) {
      await set(`set hint http-proxy ${key} = x-${key}`);
    }
    await set('set hint web build = vite');
    expect(await shown(ada, 'the build of the http proxy fails')).toMatch(
      /^# Hints \(Cue\)\nStored facts [^\n]*\n```text\n- http-proxy\/build: x-build\n(?:- http-proxy\/\w+: x-\w+\n){3}```$/,
    );
    expect((await lines(ada, 'open services/http-proxy/main.go'))[0]).toMatch(/^- http-proxy\//);
    for (const text of ['hello there', 'open src/web.ts', 'the proxy of http']) {
      expect([text, await shown(ada, text)]).toEqual([text, '']);
    }
  });

  it('shows only what counts in the place that is known', async () => {
    await keep('api', 'own', '1', { os: [OWN] });
    await keep('api', 'other', '1', { os: [OTHER] });
    await keep('api', 'dev', '1', { branch: ['dev'] });
    expect(await lines(ada, 'the api is slow')).toEqual(['- api/own: 1']);
    expect((await lines(ada, 'the api is slow on branch dev')).sort()).toEqual([
      '- api/dev: 1',
      '- api/own: 1',
    ]);
  });

  it('is in the prompt, and the same for all calls of one message until an action changes it', async () => {
    await set('set hint api port = 80');
    const message = messageFrom(ada, 'the api is slow');
    const first = await shown(ada, '', message);
    await hints.setHint({ component: 'api', key: 'port', value: '81' }, callerOf(ada));
    expect(await shown(ada, '', message)).toBe(first);
    expect(first).toContain('- api/port: 80');
    await get('port of api?');
    expect(await shown(ada, '', message)).toContain('- api/port: 81');
  });

  it('does not repeat what an offer of the same turn shows', async () => {
    await set('set hint api port = 80');
    await set('set hint api test = npm test');
    const offers = await offersOf(talk.runtime);
    const id = hints.offering
      .eligible('api', {}, callerOf(ada))
      .find(({ key }) => key === 'port')?.id;
    talk.runtime.setSetting('CUE_OFFERS_ENABLED', 'true');
    const shownThere = { text: '', offers: [{ kind: 'hintMatch', sources: [{ id }] }] };
    Object.defineProperty(offers, 'offersForTurn', {
      value: async () => shownThere,
      configurable: true,
    });
    try {
      expect(await lines(ada, 'the api is slow')).toEqual(['- api/test: npm test']);
    } finally {
      Reflect.deleteProperty(offers, 'offersForTurn');
      talk.runtime.setSetting('CUE_OFFERS_ENABLED', 'false');
    }
  });

  it('is nothing about what the agent says itself', async () => {
    await set('set hint api port = 80');
    const own = { entityId: talk.runtime.agentId, roomId: ada.roomId };
    expect(await shown(own, 'the api is slow')).toBe('');
  });
});

describe('names', () => {
  const bare = (name: string) => name.toLowerCase().replace(/_/g, '');
  const others = [...triggerActions, ...memoryActions, ...offerActions, ...whenActions];

  it('of actions hold no other one, and are in none', () => {
    for (const { name, similes = [] } of hintActions) {
      for (const other of others) {
        for (const theirs of [other.name, ...(other.similes ?? [])].map(bare)) {
          for (const ours of [name, ...similes].map(bare)) {
            expect([ours, theirs, ours.includes(theirs) || theirs.includes(ours)]).toEqual([
              ours,
              theirs,
              false,
            ]);
          }
        }
      }
    }
  });

  it.each([
    ['FORGET_HINTS', 'FORGET_HINT'],
    ['GET_HINTS', 'GET_HINT'],
    ['SET_HINTS', 'SET_HINT'],
    ['HINT', 'SET_HINT'],
  ])('%s finds %s, as the host looks for it', (asked, expected) => {
    const found = hintActions.find(
      ({ name }) => bare(name).includes(bare(asked)) || bare(asked).includes(bare(name)),
    );
    expect(found?.name).toBe(expected);
  });
});

describe('without the service', () => {
  const stage = {
    agentId: stringToUuid('nobody'),
    logger: { error: () => undefined, warn: () => undefined },
    getServicesByType: () => [],
  } as unknown as IAgentRuntime;

  it.each(hintActions)('$name says so, and is not offered', async (action) => {
    expect(await action.validate(stage, messageFrom(ada, 'x'), NO_STATE)).toBe(false);
    const { success, data, text } = await act(action.name, ada, 'x', stage);
    expect([success, text]).toEqual([
      false,
      'I cannot look into the hints right now: their service is not running.',
    ]);
    expect(data).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('nothing is shown, also when the host breaks', async () => {
    expect(await createHintsProvider().get(stage, messageFrom(ada, 'x'), NO_STATE)).toEqual(
      NO_STATE,
    );
    const broken = {
      ...stage,
      getServicesByType: () => {
        throw new Error('nobody home');
      },
    } as unknown as IAgentRuntime;
    expect(await createHintsProvider().get(broken, messageFrom(ada, 'x'), NO_STATE)).toEqual(
      NO_STATE,
    );
    for (const { name } of hintActions) {
      const { success, text } = await act(name, ada, 'x', broken);
      expect([success, text]).toEqual([
        false,
        'Something went wrong on my side while doing that. Please try again in a moment.',
      ]);
    }
  });
});
