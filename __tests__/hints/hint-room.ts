/** A hint room with a clock and rows of its own; the rows can fail as a database does. */

import type { Guard } from '../../src/hints/guard.js';
import {
  createHints,
  DEFAULT_QUOTAS,
  type HintObserver,
  type HintRoom,
  type HintRows,
  type HintSettings,
} from '../../src/hints/index.js';
import type { HowPut, Row } from '../../src/hints/persist.js';
import type { Caller } from '../../src/records/index.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import type { Log } from '../../src/shared/log.js';

export const START = Date.UTC(2026, 0, 31, 12);
export const OPERATOR: Caller = { kind: 'operator' };
export const CLIENT: Caller = { kind: 'agent' };
export const PROJECT = derivedId('test', 'project');
export const AGENT = derivedId('test', 'agent');
const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A person in a conversation with the agent. */
export function person(name: string): Extract<Caller, { kind: 'entity' }> {
  const entityId = derivedId('test', name);
  return { kind: 'entity', entityId, roomId: derivedId('test', 'room'), private: true };
}

export class FakeRows implements HintRows {
  readonly rows = new Map<Uuid, Row>();
  /** How many of the next writes fail, and whether they were written all the same. */
  failing = 0;
  failsAfterWriting = false;
  /** Each write waits for it. */
  gate: Promise<void> = Promise.resolve();
  /** Ids that another process has changed unseen. */
  readonly stale = new Set<Uuid>();

  async load() {
    return [...this.rows.values()];
  }
  async read(id: Uuid) {
    this.stale.delete(id);
    return this.rows.get(id) ?? null;
  }
  async put(rows: readonly Row[], { force = false, onWritten }: HowPut = {}) {
    if (rows.length === 0) return;
    const conflicting = rows.find(({ id }) => this.stale.has(id));
    if (conflicting && !force) {
      const { AppError } = await import('../../src/shared/errors.js');
      throw new AppError('CONFLICT', 'changed meanwhile', { version: 9 });
    }
    await this.write(() => {
      for (const { id, component, key, hint, audience } of rows) {
        this.rows.set(id, { id, component, key, hint, audience });
        onWritten?.();
      }
    });
  }
  async remove(ids: readonly Uuid[]) {
    if (ids.length === 0) return;
    await this.write(() => {
      for (const id of ids) this.rows.delete(id);
    });
  }
  async change(put: readonly Row[], remove: readonly Uuid[], how?: HowPut) {
    const before = new Map(this.rows);
    try {
      await this.put(put, how);
      await this.remove(remove);
    } catch (error) {
      if (!this.failsAfterWriting) {
        this.rows.clear();
        for (const [id, row] of before) this.rows.set(id, row);
      }
      throw error;
    }
  }
  async touch(id: Uuid, { delta, at }: { delta: number; at: string }) {
    await this.write(() => {
      const row = this.rows.get(id);
      if (!row) return;
      const use_count = (row.hint.use_count ?? 0) + delta;
      this.rows.set(id, { ...row, hint: { ...row.hint, use_count, last_used_at: at } });
    });
  }

  private async write(work: () => void): Promise<void> {
    await this.gate;
    if (this.failing > 0) {
      this.failing -= 1;
      if (this.failsAfterWriting) work();
      throw new Error('connection lost');
    }
    work();
  }
}

export interface TestRoom {
  hints: HintRoom;
  rows: FakeRows;
  /** Moves the clock. */
  pass(ms: number): void;
  now(): number;
}

export function testRoom(
  settings: Partial<HintSettings> = {},
  rows: FakeRows = new FakeRows(),
  {
    startMs = START,
    secretGuard,
    observer,
    isSessionOpen,
  }: {
    startMs?: number;
    secretGuard?: Guard;
    observer?: HintObserver;
    isSessionOpen?: (sessionId: string) => boolean;
  } = {},
): TestRoom {
  let nowMs = startMs;
  const admin = person('admin');
  const hints = createHints({
    clock: { now: () => nowMs },
    log: silent,
    settings: { ...DEFAULT_QUOTAS, defaultTtl: 'session', guard: true, ...settings },
    rows,
    projectId: PROJECT,
    agentId: AGENT,
    sessionId: 'session-1',
    isAdmin: async (entityId) => entityId === admin.entityId,
    observer,
    ...(isSessionOpen ? { isSessionOpen } : {}),
    ...(secretGuard ? { secretGuard } : {}),
  });
  return {
    hints,
    rows,
    pass: (ms) => {
      nowMs += ms;
    },
    now: () => nowMs,
  };
}

/** What an error is made of, to be compared as one value. */
export async function errorOf(work: Promise<unknown>): Promise<{ code: string; details: object }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'details' in error) {
      return { code: String(error.code), details: error.details as object };
    }
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** For tests that store thousands: lets everything in. */
export const noGuard: Guard = {
  check: async () => ({ ok: true, secret: false, found: [] }),
};
