/** Hints as offers: the detector alone, and what becomes of what it finds, on the real store of hints. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NudgeContext, SetHintParams } from '../../src/hints/index.js';
import { createHintMatch, type HintPort } from '../../src/proactive/index.js';
import { block, promptBlock } from '../../src/proactive/text/block.js';
import type { Caller } from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { countTokens } from '../../src/shared/tokens.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { ATTACKS } from '../fixtures/attacks.js';
import { HARDER_MOMENTS, KNOWN, MOMENTS, UNSEEN_MOMENTS } from '../fixtures/hint-moments.js';
import { noGuard, testRoom } from '../hints/hint-room.js';
import { type DetectorRoom, dmWith, OPERATOR, withRoom } from './detector-room.js';
import { ada, long, messageOf, type ProactiveRoom, withProactive } from './proactive-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const LINUX: NudgeContext = { os: 'linux', cwd: '/srv/minerva', branch: 'dev' };
const BUILD = 'docker compose build router';
const OFFER =
  '[RUM] Hint for "Build http-proxy":\n' +
  '  • http-proxy/build: `docker compose build router` (cwd matched **/http-proxy*; key build fits; http-proxy is named)';

/** A store of hints, and the port that a detector has to it. */
function shelf(place: NudgeContext = LINUX, folders: readonly string[] = []) {
  const room = testRoom({}, undefined, { secretGuard: noGuard });
  const state = { place };
  const port: HintPort = {
    offering: room.hints.offering,
    place: () => state.place,
    folderOf: (name) => (folders.includes(name) ? `/srv/minerva/${name}` : null),
  };
  const set = (
    component: string,
    key: string,
    value: SetHintParams['value'],
    meta: NonNullable<SetHintParams['meta']> = {},
    caller: Caller = OPERATOR,
  ) => room.hints.setHint({ component, key, value, meta }, caller);
  const uses = async (component: string, key: string) => {
    const { hint } = await room.hints.getHint({ component, key }, OPERATOR);
    return hint?.use_count;
  };
  return { ...room, port, set, uses, state };
}
type Shelf = ReturnType<typeof shelf>;

const withDetector = (
  store: Shelf,
  work: (
    evaluate: ReturnType<typeof createHintMatch>['evaluate'],
    room: DetectorRoom,
  ) => Promise<void>,
) =>
  withRoom(database, (room) =>
    work(createHintMatch(room.context, () => store.port).evaluate, room),
  );

const withHints = (store: Shelf, work: (room: ProactiveRoom) => Promise<void>) =>
  withProactive(database, work, {
    slots: (context) => ({ hintMatch: createHintMatch(context, () => store.port) }),
  });

describe('the messages that bring hints, and those that bring none', () => {
  it('are mostly told apart', async () => {
    const stores = { many: shelf(), one: shelf() };
    for (const [component, keys] of Object.entries(KNOWN)) {
      for (const [key, [value = '', ...tags]] of Object.entries(keys)) {
        await stores.many.set(component, key, value, { tags });
        if (component === 'http-proxy') await stores.one.set(component, key, value, { tags });
      }
    }
    let right = 0;
    const wrong: string[] = [];
    await withRoom(database, async ({ context }) => {
      for (const { text, store, hints } of [...MOMENTS, ...HARDER_MOMENTS, ...UNSEEN_MOMENTS]) {
        const { evaluate } = createHintMatch(context, () => stores[store].port);
        const { memories } = await evaluate({ text, files: [] });
        for (const { memoryId } of memories) {
          if (hints.includes(memoryId)) right += 1;
          else wrong.push(text);
        }
      }
    });
    expect(right).toBeGreaterThanOrEqual(25);
    expect(wrong.length).toBeLessThanOrEqual(right / 4);
  });

  it('are looked at beside the nearest hints alone, where there are hundreds', async () => {
    const store = shelf();
    for (let index = 0; index < 300; index += 1) {
      await store.set(`part-${index}`, 'lint', `npm run lint:${index}`);
    }
    await store.set('http-proxy', 'build', BUILD);
    const looked: string[] = [];
    const { offering } = store.port;
    const port: HintPort = {
      ...store.port,
      offering: {
        ...offering,
        eligible: (component, ...more) => {
          looked.push(component);
          return offering.eligible(component, ...more);
        },
      },
    };
    await withRoom(database, async ({ context }) => {
      const { evaluate } = createHintMatch(context, () => port);
      const { memories } = await evaluate({ text: 'Build http-proxy', files: [] });
      expect(memories.map(({ memoryId }) => memoryId)).toEqual(['http-proxy/build']);
    });
    expect(looked).toContain('http-proxy');
    expect(looked.length).toBeLessThanOrEqual(80);
  });

  it.each([
    'thanks, that was all',
    'good morning, how was your weekend?',
    'The test was positive, I stay at home',
    'do not build http-proxy',
    'We shipped it yesterday',
  ])('bring none for %j', (text) => {
    const store = shelf();
    return withDetector(store, async (evaluate) => {
      await store.set('http-proxy', 'build', BUILD);
      await store.set('http-proxy', 'test', 'npm test');
      await store.set('http-proxy', 'ship', 'npm run release');
      expect((await evaluate({ text, files: [], roomId: ada.roomId })).memories).toEqual([]);
    });
  });
});

describe('the detector of hints', () => {
  it('shows the command of the component that is named, and why it fits here', async () => {
    const store = shelf(LINUX, ['http-proxy']);
    await store.set('http-proxy', 'build', BUILD, { scope: { cwd_glob: ['**/http-proxy*'] } });
    await withDetector(store, async (evaluate) => {
      const found = await evaluate({ text: 'Build http-proxy', files: [], roomId: ada.roomId });
      expect(found).toMatchObject({
        shouldNotify: true,
        text: OFFER,
        tokenEstimate: countTokens(OFFER),
        cue: {
          kind: 'hintMatch',
          subject: 'Build http-proxy',
          evidence: ['cwd matched **/http-proxy*', 'key build fits', 'http-proxy is named'],
        },
        suppressed: [],
      });
    });
  });

  it('knows what a happening says of its place, and of a client nothing else but the system', async () => {
    const store = shelf();
    await store.set('api', 'test', 'npm test', { scope: { branch: ['dev'] } });
    await store.set('api', 'build', 'make api', { scope: { cwd_glob: ['/srv/api'] } });
    await store.set('api', 'lint', 'make lint', { scope: { os: ['linux'] } });
    await withDetector(store, async (evaluate) => {
      const shown = async (text: string, more: object) =>
        (await evaluate({ text, files: [], ...more })).memories.map(({ memoryId }) => memoryId);
      expect(await shown('run the tests', { roomId: ada.roomId })).toEqual(['api/test']);
      expect(await shown('run the tests', {})).toEqual([]);
      expect(await shown('run the tests', { cwd: '/srv/api' })).toEqual([]);
      expect(await shown('run the tests', { cwd: '/srv/api', branch: 'dev' })).toEqual([
        'api/test',
      ]);
      expect(await shown('build it', { cwd: '/srv/api' })).toEqual(['api/build']);
      expect(await shown('build it', { roomId: ada.roomId })).toEqual([]);
      expect(await shown('run the linter', {})).toEqual(['api/lint']);
      store.state.place = {};
      expect(await shown('run the linter', {})).toEqual([]);
    });
  });

  it('means the component of a path, then the folder one is in, then the only one', async () => {
    const store = shelf();
    await store.set('api', 'test', 'npm test');
    const why = async (evaluate: ReturnType<typeof createHintMatch>['evaluate'], more: object) =>
      (await evaluate({ text: 'run the tests', files: [], ...more })).cue.evidence.at(-1);
    await withDetector(store, async (evaluate) => {
      expect(await why(evaluate, {})).toBe('api is the only component');
      await store.set('web', 'test', 'yarn test');
      expect(await why(evaluate, {})).toBe('no hint for it');
      expect(await why(evaluate, { cwd: '/srv/web/src' })).toBe('web is the folder one is in');
      expect(await why(evaluate, { cwd: '/srv/web', files: ['api/src/a.ts'] })).toBe(
        'api is the folder of a file',
      );
    });
  });

  it('reads a planned action as a command, and is silent where it is the hint itself', async () => {
    const store = shelf();
    await store.set('web', 'test', 'npx vitest run --pool forks');
    await withDetector(store, async (evaluate) => {
      const planned = (text: string) => evaluate({ text, files: [], kind: 'planned' });
      expect((await planned('npm test')).memories).toHaveLength(1);
      expect((await planned('cd web && npx vitest run --pool forks')).suppressed).toEqual([
        { memoryId: 'web/test', detector: 'hintMatch', reason: 'it is what is said' },
      ]);
    });
  });

  it('never shows a secret, said to be one or not, what is not for the reader, or another project', async () => {
    const store = shelf();
    await store.set('api', 'deploy', 'deploy --as root', { sensitivity: 'secret' });
    await store.set('api', 'deploy.fast', `deploy --key AKIA${'Q7'.repeat(8)}`);
    await store.set('api', 'deploy.all', 'make deploy', {}, ada);
    await withDetector(store, async (evaluate) => {
      const asked = { text: 'deploy api', files: [] };
      const anybody = await evaluate(asked);
      expect(anybody.shouldNotify).toBe(false);
      expect(anybody.suppressed).toEqual([
        {
          memoryId: 'api/deploy.fast',
          detector: 'hintMatch',
          reason: 'it holds what looks like a secret',
        },
      ]);
      const hers = await evaluate({ ...asked, caller: ada });
      expect(hers.memories.map(({ memoryId }) => memoryId)).toEqual(['api/deploy.all']);
      const his = await evaluate({ ...asked, caller: dmWith('bob', 'bob-1') });
      expect(his.shouldNotify).toBe(false);
      const elsewhere = await evaluate({ ...asked, projectId: 'another' });
      expect(elsewhere.cue.evidence).toEqual(['another project: another']);
    });
  });

  it('keeps to its settings, and says one value once', async () => {
    const store = shelf();
    await store.set('api', 'build', 'make api');
    await store.set('api', 'test', 'make tests');
    await store.set('api', 'start', 'make tests');
    await withDetector(store, async (evaluate, { set }) => {
      const shown = async () =>
        (await evaluate({ text: 'start, build and test api', files: [] })).memories.length;
      expect(await shown()).toBe(2);
      set('hintMatch', { max_results: 1 });
      expect(await shown()).toBe(1);
      set('hintMatch', { enabled: false });
      expect(await shown()).toBe(0);
    });
  });

  it('means the longest name, and nobody where several could be meant', async () => {
    const store = shelf();
    await store.set('proxy', 'build', 'make proxy');
    await store.set('HttpProxy', 'build', 'make http');
    await store.set('build-tools', 'build', 'make tools');
    await withDetector(store, async (evaluate) => {
      const shown = async (text: string) =>
        (await evaluate({ text, files: [] })).memories.map(({ memoryId }) => memoryId);
      expect(await shown('build the http proxy')).toEqual(['HttpProxy/build']);
      expect(await shown('build the proxy')).toEqual(['proxy/build']);
      expect(await shown('build build-tools')).toEqual(['build-tools/build']);
      expect(await shown('start a build')).toEqual([]);
    });
  });

  it('says nothing while there are no hints', () =>
    withRoom(database, async ({ context }) => {
      const { evaluate, revisions, succeeded } = createHintMatch(context, () => null);
      expect((await evaluate({ text: 'run the tests', files: [] })).cue.evidence).toEqual([
        'no hints',
      ]);
      expect(await revisions?.([])).toBeNull();
      const id = derivedId('test', 'hint');
      expect(await succeeded?.(id, { action: 'x', caller: OPERATOR })).toBe(false);
    }));

  it('counts a success for the hints alone that its caller may read', async () => {
    const store = shelf();
    const named = { component: 'api', key: 'build' };
    const idFor = async (caller: Caller) => {
      const { hint } = await store.set('api', 'build', 'make api', {}, caller);
      return store.hints.offering.idOf({ ...named, hint }, caller);
    };
    const [mine, ours] = [await idFor(ada), await idFor(OPERATOR)];
    const ids = [mine, ours].flatMap((id) => id ?? []);
    await withRoom(database, async ({ context }) => {
      const { succeeded } = createHintMatch(context, () => store.port);
      const done = { action: 'make api', caller: { kind: 'agent' } } as const;
      const helped: (boolean | undefined)[] = [];
      for (const id of ids) helped.push(await succeeded?.(id, done));
      expect(helped).toEqual([false, true]);
    });
    const uses = store.hints.offering.current(ids).map(({ hint }) => hint.use_count);
    expect(uses).toEqual([0, 1]);
  });

  it('counts nothing for a hint that goes at the same time', async () => {
    const store = shelf();
    const { offering } = store.hints;
    await store.set('api', 'build', 'make api', { ttl: 'P7D' });
    const [id] = offering.eligible('api', {}, OPERATOR).map((one) => one.id);
    if (id === undefined) throw new Error('no id');
    let release = () => {};
    store.rows.gate = new Promise((resolve) => {
      release = resolve;
    });
    const gone = offering.delete(id, OPERATOR);
    await nextTurn();
    await withRoom(database, async ({ context }) => {
      const { succeeded } = createHintMatch(context, () => store.port);
      const helped = succeeded?.(id, { action: 'make api', caller: OPERATOR });
      expect(offering.current([id])).toHaveLength(1);
      release();
      await gone;
      expect(await helped).toBe(false);
    });
  });
});

describe('what the detector of hints prints', () => {
  it('is never markup: what cannot stand as it is has to be asked for, or is left out', async () => {
    const harmed: [string, string][] = [];
    let taken = 0;
    await withRoom(database, async ({ context }) => {
      for (const { name, text, mustNotAppear } of ATTACKS) {
        const store = shelf();
        const oneLine = text
          .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
          .trim()
          .slice(0, 190);
        // The door takes no NUL, and not every text as a name.
        await store.set('api', 'build', text.replaceAll('\0', ' '));
        const names = await Promise.allSettled([
          store.set('api', `compile ${oneLine}`, 'make it'),
          store.set(oneLine, 'build', 'make that', { tags: [oneLine.slice(0, 100)] }),
        ]);
        taken += names.filter(({ status }) => status === 'fulfilled').length;
        const { evaluate } = createHintMatch(context, () => store.port);
        for (const words of ['build api', `build api\n${text}`, `build ${oneLine}`]) {
          const found = await evaluate({ text: words, files: [] });
          const part = {
            kind: 'hintMatch',
            text: found.text,
            tokens: found.tokenEstimate,
          } as const;
          const whole = promptBlock(block([part]).text).text;
          const bad = mustNotAppear.filter((pattern) => pattern.test(whole)).map(String);
          if (found.text !== '' && whole.match(/```/g)?.length !== 2) bad.push('a fence');
          if (found.text.split('\n').length > 1 + found.memories.length)
            bad.push('a line too many');
          if (found.tokenEstimate >= 60) bad.push('too long');
          harmed.push(...bad.map((what): [string, string] => [name, what]));
        }
      }
    });
    expect(taken).toBeGreaterThan(ATTACKS.length);
    expect(harmed).toEqual([]);
  });

  it('stays below sixty tokens, with every command whole', () =>
    withRoom(database, async ({ context, set }) => {
      set('hintMatch', { max_results: 4 });
      const word = fc.stringMatching(/^[a-z][a-z-]{0,18}[a-z]$/);
      const values = fc.array(fc.array(word, { minLength: 1, maxLength: 30 }), {
        minLength: 1,
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(word, values, async (component, commands) => {
          const store = shelf();
          for (const [at, parts] of commands.entries()) {
            await store.set(component, `build.${at}`, parts.join(' '), { tags: parts.slice(0, 9) });
          }
          const { evaluate } = createHintMatch(context, () => store.port);
          const found = await evaluate({ text: 'build it', files: [] });
          expect(found.tokenEstimate).toBe(countTokens(found.text));
          expect(found.tokenEstimate).toBeLessThan(60);
          const lines = found.text.split('\n').slice(1);
          expect(lines.filter((line) => line !== '')).toHaveLength(found.memories.length);
          for (const [at, { memoryId }] of found.memories.entries()) {
            const value = commands[Number(memoryId.split('.').at(-1))]?.join(' ');
            const start = `  • ${memoryId}: `;
            expect([`${start}\`${value}\``, `${start}ask for it`]).toContain(
              lines[at]?.replace(/ \([^`]*\)$/, ''),
            );
          }
        }),
        { numRuns: 40, seed: 6 },
      );
    }));

  it('names a value that cannot be printed as it stands, and does not print half of it', async () => {
    const store = shelf();
    await store.set('api', 'test', `npm test -- --name "a b"`);
    await store.set('api', 'build', { type: 'template', format: 'mustache', body: 'x {{y}}' });
    await withDetector(store, async (evaluate) => {
      for (const key of ['test', 'build']) {
        const { text } = await evaluate({ text: `${key} api`, files: [] });
        const [, line = ''] = text.split('\n');
        expect(line.replace(/ \(.*/, '')).toBe(`  • api/${key}: ask for it`);
      }
    });
  });
});

describe('an offer of a hint', () => {
  const proxy = async () => {
    const store = shelf();
    await store.set('http-proxy', 'build', BUILD);
    await store.set('http-proxy', 'test', 'npm test');
    await store.set('http-proxy', 'start', 'docker compose up router');
    await store.set('http-proxy', 'lint', 'make lint');
    return store;
  };
  const clientDid = (action: string, more: object = {}) => ({
    action,
    success: true,
    sessionId: 's1',
    ...more,
  });

  it('comes when a build fails, and counts as used once it helped (seed: scenario B)', async () => {
    const store = await proxy();
    await withHints(store, async ({ proactive, clock }) => {
      const failed = await proactive.onActionCompleted(
        clientDid('npm run build', { success: false, error: 'service router not found' }),
      );
      const [offer] = failed.offers;
      expect(offer).toMatchObject({ kind: 'hintMatch', state: 'shown', subject: 'npm run build' });
      expect(failed.text).toContain(`http-proxy/build: \`${BUILD}\``);
      clock.nowMs += 29 * 60_000;
      await proactive.onActionCompleted(clientDid(BUILD, { success: false }));
      expect(await store.uses('http-proxy', 'build')).toBe(0);
      await proactive.onActionCompleted(clientDid(`cd http-proxy && ${BUILD}`));
      expect(await store.uses('http-proxy', 'build')).toBe(1);
      expect(await proactive.get(offer?.id ?? '', OPERATOR)).toMatchObject({
        state: 'used',
        usedHow: 'acted upon',
      });
      await proactive.onActionCompleted(clientDid(BUILD));
      expect(await store.uses('http-proxy', 'build')).toBe(1);
    });
  });

  it('helps nobody elsewhere, later, by half, or twice at one time', async () => {
    const store = await proxy();
    await withHints(store, async ({ proactive, clock }) => {
      const ask = () => proactive.onIntentStated({ intent: 'Build http-proxy', sessionId: 's1' });
      expect((await ask()).offers).toHaveLength(1);
      await proactive.onActionCompleted(clientDid(BUILD, { sessionId: 's2' }));
      await proactive.onActionCompleted(clientDid(`${BUILD}er`));
      clock.nowMs += 30 * 60_000;
      await proactive.onActionCompleted(clientDid(BUILD));
      expect(await store.uses('http-proxy', 'build')).toBe(0);
      expect((await ask()).offers).toHaveLength(1);
      await Promise.all([1, 2].map(() => proactive.onActionCompleted(clientDid(BUILD))));
      expect(await store.uses('http-proxy', 'build')).toBe(1);
    });
  });

  it('helps in the very turn that shows it, and what was given by an answer helps, too', async () => {
    const store = await proxy();
    await withHints(store, async ({ proactive }) => {
      const { roomId } = ada;
      const done = (action: string) =>
        proactive.onActionCompleted({ action, success: true, roomId, caller: ada });
      const message = messageOf(ada, 'Please build http-proxy', 'in turn');
      const { offers } = await proactive.offersForTurn(message, long);
      expect(offers.map(({ kind }) => kind)).toEqual(['hintMatch']);
      await done(BUILD);
      expect(await store.uses('http-proxy', 'build')).toBe(1);
      expect((await proactive.get(offers[0]?.id ?? '', ada)).state).toBe('used');

      const answered = await store.hints.getHint({ component: 'http-proxy', key: 'lint' }, ada);
      if (answered.hint === null) throw new Error('no hint');
      const shown = { component: 'http-proxy', key: 'lint', hint: answered.hint };
      const id = store.hints.offering.idOf(shown, ada);
      if (id === null) throw new Error('no id');
      proactive.gave({ roomId, ids: [id] });
      await done('make lint');
      await done('make lint');
      expect(await store.uses('http-proxy', 'lint')).toBe(1);
    });
  });

  it('counts each success once, though that of another could not be counted', async () => {
    const store = shelf();
    const { roomId } = ada;
    await store.set('api', 'build', 'make all');
    await store.set('web', 'build', 'make all', { ttl: 'P7D' });
    await withHints(store, async ({ proactive }) => {
      const done = () =>
        proactive.onActionCompleted({ action: 'make all', success: true, roomId, caller: ada });
      const ids = ['api', 'web'].flatMap((name) =>
        store.hints.offering.eligible(name, {}, ada).map(({ id }) => id),
      );
      proactive.gave({ roomId, ids });
      store.rows.failing = 1;
      await done();
      expect([await store.uses('api', 'build'), await store.uses('web', 'build')]).toEqual([1, 0]);
      await done();
      expect([await store.uses('api', 'build'), await store.uses('web', 'build')]).toEqual([1, 1]);
    });
  });

  it('counts for the hint that was given, and not for a better one of its name', async () => {
    const store = shelf();
    const { roomId } = ada;
    await store.set('api', 'build', 'make theirs', { priority: 9 });
    await store.set('api', 'build', 'make mine', {}, ada);
    await withHints(store, async ({ proactive }) => {
      const all = store.hints.offering.eligible('api', {}, ada);
      const ids = all.map(({ id }) => id);
      expect(all.map(({ hint }) => hint.value)).toEqual(['make theirs', 'make mine']);
      proactive.gave({ roomId, ids });
      await proactive.onActionCompleted({
        ...{ action: 'make mine', success: true, roomId, caller: ada },
      });
      const uses = store.hints.offering.current(ids).map(({ hint }) => hint.use_count);
      expect(uses).toEqual([0, 1]);
    });
  });

  it('comes at once with a planned action, behind its warning', async () => {
    const store = await proxy();
    await withHints(store, async ({ proactive, store: remember, clock }) => {
      await remember('Build the http-proxy image', {
        actions: [{ command: 'npm run build' }],
        outcome: { success: false, failure_reason: 'service router not found' },
      });
      clock.nowMs += 86_400_000;
      const { offers, text } = await proactive.onActionPlanned({
        action: 'Build the http-proxy image',
      });
      expect(offers.map(({ kind }) => kind)).toEqual(['conflictWarning', 'hintMatch']);
      expect(text).toContain(BUILD);
    });
  });

  it('is made at most three times in ten minutes, and not again for the same hint', async () => {
    const store = await proxy();
    await withHints(store, async ({ proactive, clock }) => {
      const say = async (intent: string) => {
        clock.nowMs += 60_000;
        const { offers, suppressed } = await proactive.onIntentStated({ intent, sessionId: 's1' });
        return offers[0]?.sources[0]?.memoryId ?? suppressed[0]?.reason;
      };
      expect(await say('Build http-proxy')).toBe('http-proxy/build');
      expect(await say('Build http-proxy once more')).toBe('offered before: again in 540 s');
      expect(await say('Test http-proxy')).toBe('http-proxy/test');
      expect(await say('Start http-proxy')).toBe('http-proxy/start');
      expect(await say('Lint http-proxy')).toBe('3 hints within ten minutes: again in 360 s');
      clock.nowMs += 300_000;
      expect(await say('Lint http-proxy')).toBe('http-proxy/lint');
    });
  });

  it('that waits is not shown once its hint has changed, expired or gone; its use is no change', async () => {
    const store = shelf();
    await store.set('api', 'build', 'make api');
    await store.set('api', 'test', 'make test');
    await store.set('api', 'lint', 'make lint');
    await withHints(store, async ({ proactive, clock, set }) => {
      set('cooldown', { rate_limit_per_minute: 100 });
      const caller = ada;
      const turn = async (name: string) => {
        clock.nowMs += 2_000;
        const { offers } = await proactive.offersForTurn(messageOf(ada, 'go on', name), long);
        return offers.map(({ sources }) => sources[0]?.memoryId);
      };
      for (const intent of ['build api', 'test api', 'lint api']) {
        await proactive.onIntentStated({ intent, caller });
      }
      await store.hints.bump({ component: 'api', key: 'build' }, OPERATOR);
      await store.set('api', 'test', 'make tests');
      await store.hints.deleteHint({ component: 'api', key: 'lint' }, OPERATOR);
      expect(await turn('first')).toEqual(['api/build']);
      const { offers } = await proactive.list({ state: 'expired' }, ada);
      expect(offers.map(({ subject }) => subject).sort()).toEqual(['lint api', 'test api']);
    });
  });

  it('is for one person where the hint is', async () => {
    const store = shelf();
    await store.set('api', 'build', 'make api', {}, ada);
    await withHints(store, async ({ proactive }) => {
      const bob = dmWith('bob', 'bob-1') as typeof ada;
      const said = (caller: typeof ada) =>
        proactive.offersForTurn(
          messageOf(caller, 'build api', derivedId('of', caller.roomId)),
          long,
        );
      expect((await said(bob)).offers).toEqual([]);
      expect((await said(ada)).offers).toHaveLength(1);
      expect((await proactive.list({}, bob)).offers).toEqual([]);
    });
  });

  it('comes with what the agent says that it will do', async () => {
    const store = await proxy();
    await withHints(store, async ({ proactive }) => {
      const { roomId } = ada;
      proactive.onAgentActivity({
        roomId,
        caller: ada,
        text: "I'll build http-proxy now.",
        files: [],
      });
      await proactive.settled();
      const { offers } = await proactive.list({ kind: 'hintMatch' }, ada);
      expect(offers.map(({ sources }) => sources[0]?.memoryId)).toEqual(['http-proxy/build']);
    });
  });
});
