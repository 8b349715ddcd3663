/** Hints of a real agent on a real database: what is there after a restart. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IAgentRuntime, Plugin, ServiceTypeName } from '@elizaos/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HINTS, HintService, hintType } from '../../src/hints/index.js';
import { createHintRows } from '../../src/hints/persist.js';
import { provideHints } from '../../src/plugin/wire-hints.js';
import { parseSettings } from '../../src/settings.js';
import { derivedId, randomIds } from '../../src/shared/ids.js';
import { type Agent, boot } from '../helpers/boot.js';
import { memoryOf } from '../helpers/memory.js';
import { CLIENT, errorOf, OPERATOR, person } from './hint-room.js';

const BUILD = { component: 'http-proxy', key: 'build' };
const DURABLE = { ttl: 'P7D' };
const settingsOf = (values: Record<string, string>) => parseSettings((key) => values[key]);

let nowMs = Date.UTC(2026, 5, 1);
const options = { clock: { now: () => nowMs }, ids: randomIds, isAdmin: async () => false };
const plugin: Plugin = {
  name: 'hints-under-test',
  description: 'the service with a clock of its own',
  init: async (_config, runtime) => provideHints(runtime, settingsOf({}), options),
  services: [HintService],
};

async function hintsOf(runtime: IAgentRuntime): Promise<HintService> {
  const service = await runtime.getServiceLoadPromise(HINTS as ServiceTypeName);
  return service as HintService;
}

describe('the hint service', () => {
  const directory = mkdtempSync(join(tmpdir(), 'cue-hints-'));
  let agent: Agent;
  let hints: HintService;
  const textsOf = async () => {
    const { checks } = await memoryOf(agent.runtime);
    const { records } = await checks.store.list(hintType, OPERATOR, { limit: 50 });
    return records.map(({ text }) => text).toSorted();
  };
  /** The process ends and starts again: everything but the database is gone. */
  const restart = async () => {
    await hints.stop();
    hints = await HintService.start(agent.runtime);
  };

  beforeAll(async () => {
    agent = await boot({ dataDir: directory, plugins: [plugin], slim: true });
    hints = await hintsOf(agent.runtime);
  });
  afterAll(async () => {
    await hints.stop();
    await agent.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('keeps durable hints over a restart, whole and with their uses; session hints end', async () => {
    const data = { z: 1, a: ['\u0001', '\u{1f680}', 1e300], '': null };
    const meta = { ...DURABLE, scope: { os: ['linux' as const] }, tags: ['build'] };
    await hints.setHint({ ...BUILD, value: 'old', meta }, OPERATOR);
    await hints.setHint({ ...BUILD, value: { type: 'json', data }, meta }, OPERATOR);
    await hints.setHint({ ...BUILD, key: 'mine', value: 'x', meta: DURABLE }, person('ann'));
    await hints.setHint({ ...BUILD, key: 'now', value: 'x' }, OPERATOR);
    nowMs += 1_000;
    await hints.bump({ ...BUILD, delta: 2 }, CLIENT);
    const before = (await hints.getHint({ ...BUILD, context: { os: 'linux' } }, CLIENT)).hint;
    expect(before).toMatchObject({ version: 2, use_count: 2 });
    await restart();
    const after = (await hints.getHint({ ...BUILD, context: { os: 'linux' } }, CLIENT)).hint;
    expect(after).toEqual(before);
    // Byte for byte: the database's own JSON would sort the fields.
    expect(JSON.stringify(after?.value)).toBe(JSON.stringify(before?.value));
    const gone = await errorOf(hints.getHint({ ...BUILD, key: 'now' }, OPERATOR));
    expect(gone.code).toBe('NOT_FOUND');
    const mine = await hints.getHint({ ...BUILD, key: 'mine' }, person('ann'));
    expect(mine.hint?.value).toBe('x');
    const others = await errorOf(hints.getHint({ ...BUILD, key: 'mine' }, person('bob')));
    expect(others.code).toBe('NOT_FOUND');
    await hints.deleteHint(BUILD, OPERATOR);
    await hints.deleteHint({ ...BUILD, key: 'mine' }, OPERATOR);
    expect(await textsOf()).toEqual([]);
  });

  it('counts on after a restart, and sets anew what was deleted', async () => {
    const set = (value: string) => hints.setHint({ ...BUILD, value, meta: DURABLE }, OPERATOR);
    await set('a');
    await restart();
    expect((await set('b')).hint.version).toBe(2);
    await hints.deleteHint(BUILD, OPERATOR);
    await restart();
    expect((await set('c')).hint.version).toBe(1);
    await restart();
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('c');
    await hints.deleteHint(BUILD, OPERATOR);
  });

  it('removes at the start what has expired meanwhile', async () => {
    await hints.setHint({ ...BUILD, value: 'x', meta: { ttl: 'PT1H' } }, OPERATOR);
    nowMs += 3_600_000;
    await restart();
    expect(await textsOf()).toEqual([]);
  });

  it('shows no secret in the text of a row, and has it after a restart', async () => {
    const meta = { ...DURABLE, sensitivity: 'secret' as const };
    await hints.setHint({ ...BUILD, value: 'hunter2', meta }, OPERATOR);
    await hints.setHint({ ...BUILD, key: 'run', value: 'make run', meta: DURABLE }, OPERATOR);
    expect(await textsOf()).toEqual(['http-proxy/build: [redacted]', 'http-proxy/run: make run']);
    await restart();
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('hunter2');
    await hints.import(
      { payload: { schema_version: '1.0', components: {} }, mode: 'replace' },
      OPERATOR,
    );
    expect(await textsOf()).toEqual([]);
  });

  it('takes what another process has written for what it is', async () => {
    await hints.setHint({ ...BUILD, value: 'mine', meta: DURABLE }, OPERATOR);
    const other = await HintService.start(agent.runtime);
    await other.setHint({ ...BUILD, value: 'theirs', meta: DURABLE }, OPERATOR);
    const guarded = { ...BUILD, value: 'new', meta: DURABLE, if_match_version: 1 };
    expect(await errorOf(hints.setHint(guarded, OPERATOR))).toEqual({
      code: 'CONFLICT',
      details: { ...BUILD, version: 2 },
    });
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('theirs');
    await other.setHint({ ...BUILD, value: 'theirs again', meta: DURABLE }, OPERATOR);
    const { hint } = await hints.setHint({ ...BUILD, value: 'new', meta: DURABLE }, OPERATOR);
    expect(hint).toMatchObject({ value: 'new', version: 4 });
    await other.stop();
    await hints.deleteHint(BUILD, OPERATOR);
  });

  describe('when another process writes to the same database', () => {
    const at = (key: string) => ({ component: 'shared', key });
    const set = (service: HintService, key: string, value: string, more: object = {}) =>
      service.setHint({ ...at(key), value, meta: DURABLE, ...more }, CLIENT);
    /** A process that has read the rows as they are now. */
    let other: HintService;
    beforeEach(async () => {
      other = await HintService.start(agent.runtime);
    });
    afterEach(async () => {
      await other.stop();
      await hints.deleteHint({ component: 'shared', key: 'k' }, OPERATOR).catch(() => undefined);
    });
    const stored = async (key: string) => {
      await restart();
      return (await hints.getHint(at(key), CLIENT)).hint;
    };
    const join = async () => {
      await other.stop();
      other = await HintService.start(agent.runtime);
    };

    it('removes nothing as expired that the other has renewed', async () => {
      await set(hints, 'k', 'old', { meta: { ttl: 'PT1H' } });
      await join();
      nowMs += 59 * 60_000;
      await set(other, 'k', 'renewed', { meta: { ttl: 'PT1H' } });
      nowMs += 61_000;
      expect(await hints.sweep()).toBe(1);
      expect((await stored('k'))?.value).toBe('renewed');
    });

    it('writes nothing at a version that the other has deleted', async () => {
      await set(hints, 'k', 'a1');
      await set(hints, 'k', 'a2');
      await join();
      await other.deleteHint(at('k'), CLIENT);
      expect(await errorOf(set(hints, 'k', 'a3', { if_match_version: 2 }))).toEqual({
        code: 'CONFLICT',
        details: { ...at('k'), version: 0 },
      });
      const { hint } = await set(hints, 'k', 'a3');
      expect(hint).toMatchObject({ value: 'a3', version: 1 });
    });

    it('takes one that the other has deleted and made anew for another hint', async () => {
      await set(hints, 'k', 'a1');
      await join();
      await other.deleteHint(at('k'), CLIENT);
      await set(other, 'k', 'b1', { if_match_version: 0 });
      const { code } = await errorOf(set(hints, 'k', 'a2', { if_match_version: 1 }));
      expect(code).toBe('CONFLICT');
      expect((await stored('k'))?.value).toBe('b1');
    });

    it('keeps the uses that the other has counted', async () => {
      await set(hints, 'k', 'a1');
      await join();
      await other.bump({ ...at('k'), delta: 5 }, CLIENT);
      await set(hints, 'k', 'a2');
      expect(await stored('k')).toMatchObject({ value: 'a2', version: 2, use_count: 5 });
      await hints.import(
        {
          payload: {
            schema_version: '1.0',
            components: { shared: { hints: { k: { value: 'a3', meta: DURABLE, use_count: 2 } } } },
          },
          mode: 'replace',
        },
        OPERATOR,
      );
      expect(await stored('k')).toMatchObject({ value: 'a3', use_count: 2 });
    });

    it('sets what must not exist where the other has removed what had ended', async () => {
      await set(hints, 'k', 'old', { meta: { ttl: 'PT1H' } });
      await join();
      nowMs += 3_600_000;
      expect(await other.sweep()).toBe(1);
      const { hint } = await set(hints, 'k', 'new', { if_match_version: 0 });
      expect(hint).toMatchObject({ value: 'new', version: 1 });
      await join();
      const { code } = await errorOf(set(other, 'k', 'newer', { if_match_version: 0 }));
      expect(code).toBe('CONFLICT');
    });

    it('begins to count anew where a hint had ended that is still stored', async () => {
      await set(hints, 'k', 'old', { meta: { ttl: 'PT1H' } });
      await hints.bump({ ...at('k'), delta: 5 }, CLIENT);
      nowMs += 3_600_000;
      await set(hints, 'k', 'new');
      expect(await stored('k')).toMatchObject({ value: 'new', version: 1, use_count: 0 });
    });
  });

  it('sets anew what cannot be read any more', async () => {
    await hints.setHint({ ...BUILD, value: 'x', meta: DURABLE }, OPERATOR);
    const { checks } = await memoryOf(agent.runtime);
    const { records } = await checks.store.list(hintType, OPERATOR, { limit: 1 });
    const [record] = records;
    const data = { ...record!.data, hint: '{"value":' };
    await checks.store.replace(hintType, record!.id, record!.revision, { data });
    await restart();
    expect((await errorOf(hints.getHint(BUILD, OPERATOR))).code).toBe('NOT_FOUND');
    await hints.setHint({ ...BUILD, value: 'y', meta: DURABLE }, OPERATOR);
    await restart();
    expect((await hints.getHint(BUILD, OPERATOR)).hint?.value).toBe('y');
  });

  it('lets others have a turn while it makes many hints ready to be written', async () => {
    const { checks } = await memoryOf(agent.runtime);
    const { projectId } = checks.store;
    let turns = 0;
    let isBusy = true;
    const turn = () => {
      turns += 1;
      if (isBusy) setImmediate(turn);
    };
    const atInsert: number[] = [];
    const insert: typeof checks.store.insert = (...sent) => {
      atInsert.push(turns);
      return checks.store.insert(...sent);
    };
    const rows = createHintRows({
      records: { ...checks.store, insert },
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const at = new Date(nowMs).toISOString();
    const many = Array.from({ length: 200 }, (_, index) => ({
      id: derivedId('many', String(index)),
      ...{ component: 'many', key: `k${index}` },
      hint: { value: 'make', meta: DURABLE, version: 1, created_at: at, updated_at: at },
      audience: {
        projectId,
        visibility: 'project' as const,
        ...{ entityId: null, roomId: null, authorId: agent.runtime.agentId },
      },
    }));
    setImmediate(turn);
    await rows.put(many);
    isBusy = false;
    expect(atInsert[0]).toBeGreaterThanOrEqual(4);
    await rows.remove(many.map(({ id }) => id));
  });

  it('is not there without the plugin, nor after its end', async () => {
    const stranger = { ...agent.runtime, agentId: derivedId('nobody') } as IAgentRuntime;
    expect((await errorOf(HintService.start(stranger))).code).toBe('UNAVAILABLE');
    const other = await HintService.start(agent.runtime);
    await other.stop();
    expect(() => other.listComponents({}, { kind: 'operator' })).toThrow(
      'the hint service is not running',
    );
  });

  it('names a setting that is wrong', () => {
    const provide = (values: Record<string, string>) =>
      provideHints(agent.runtime, settingsOf(values), options);
    expect(() => provide({ NUDGE_DEFAULT_TTL: '2h' })).toThrow(
      'cue: wrong setting: NUDGE_DEFAULT_TTL is neither "session" nor a duration like PT2H or P1D',
    );
    expect(() => provide({ NUDGE_SECRET_GUARD: 'maybe' })).toThrow('NUDGE_SECRET_GUARD');
    expect(() => provide({ NUDGE_MAX_HINTS: '0' })).toThrow('NUDGE_MAX_HINTS');
    expect(() => provide({ NUDGE_LOG_LEVEL: 'loud' })).toThrow('NUDGE_LOG_LEVEL');
  });
});
