/** Rows of hints over a record store that fails, and one that another process writes to. */
import { describe, expect, it } from 'vitest';
import { createHints, DEFAULT_QUOTAS, type Hint } from '../../src/hints/index.js';
import { createHintRows, decodeHint, encodeHint, type HintData } from '../../src/hints/persist.js';
import type { NewTypedRecord, RecordStore } from '../../src/records/index.js';
import type { Uuid } from '../../src/shared/ids.js';
import { AGENT, noGuard, OPERATOR, PROJECT, START } from './hint-room.js';

const BUILD = { component: 'api', key: 'build' };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Just what rows need of a store: one database, which may be away. */
function database() {
  const records = new Map<Uuid, NewTypedRecord<HintData> & { revision: number }>();
  const state = { isAway: false };
  const store = {
    async insert(
      _type: unknown,
      sent: NewTypedRecord<HintData>[],
      options: { onInserted: (id: Uuid, revision: number) => void },
    ) {
      const fresh = sent.filter(({ id }) => !records.has(id));
      for (const record of fresh) {
        records.set(record.id, { ...record, revision: 1 });
        options.onInserted(record.id, 1);
      }
      return new Set(fresh.map(({ id }) => id));
    },
    async get(_type: unknown, ids: Uuid[]) {
      return ids.flatMap((id) => records.get(id) ?? []);
    },
    async replace(_type: unknown, id: Uuid, revision: number, change: { data: HintData }) {
      const record = records.get(id);
      if (record?.revision !== revision) throw new Error('not at this revision');
      const next = { ...record, data: change.data, revision: revision + 1 };
      records.set(id, next);
      return next;
    },
    async *scan() {
      yield [];
      if (state.isAway) throw new Error('connection lost');
      yield [...records.values()];
    },
  };
  return { state, store: store as Partial<Record<keyof RecordStore, unknown>> as RecordStore };
}

describe('rows', () => {
  it('are known as before when they could not be read again', async () => {
    const { state, store } = database();
    const hints = createHints({
      ...{ clock: { now: () => START }, log: silent, secretGuard: noGuard },
      settings: { ...DEFAULT_QUOTAS, defaultTtl: 'P7D', guard: true },
      rows: createHintRows({ records: store, log: silent }),
      ...{ projectId: PROJECT, agentId: AGENT, sessionId: 'session-1' },
    });
    await hints.setHint({ ...BUILD, value: '1' }, OPERATOR);
    state.isAway = true;
    await expect(hints.refresh()).rejects.toThrow('connection lost');
    state.isAway = false;
    const { hint } = await hints.setHint({ ...BUILD, value: '2', if_match_version: 1 }, OPERATOR);
    expect(hint.version).toBe(2);
  });

  it('are read though they have counted to the end of numbers', () => {
    const at = new Date(START).toISOString();
    const hint: Hint = { value: 'x', meta: {}, version: 1, created_at: at, updated_at: at };
    const data = { ...encodeHint('api', 'build', hint), use_count: 2 ** 53 };
    expect(decodeHint(data)).toMatchObject({ use_count: Number.MAX_SAFE_INTEGER });
  });
});
