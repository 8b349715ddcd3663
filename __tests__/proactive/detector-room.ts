/** Real work memory with the checks a detector works with; settings and time in the test's hands. */
import { type Caller, createMemoryChecks, type MemoryChecks } from '../../src/memory/index.js';
import { DEFAULT_CONFIG, type ProactiveConfig } from '../../src/proactive/config.js';
import type { DetectorContext } from '../../src/proactive/detectors/detection.js';
import type { Detection } from '../../src/proactive/types.js';
import { derivedId } from '../../src/shared/ids.js';
import type { OpenRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from '../memory/room.js';

export const OPERATOR: Caller = { kind: 'operator' };
export const DAY_MS = 86_400_000;

export interface DetectorRoom extends MemoryRoom {
  checks: MemoryChecks;
  context: DetectorContext;
  /** What the detectors read at each evaluation. */
  config: { current: ProactiveConfig };
  /** Replaces fields of one detector's settings. */
  set<Name extends keyof ProactiveConfig>(name: Name, fields: Partial<ProactiveConfig[Name]>): void;
  /** A second later each; answers the printed id. */
  store(goal: string, more?: Record<string, unknown>, caller?: Caller): Promise<string>;
}

let rooms = 0;
/** Each use has a project of its own in the one database. */
export async function withRoom(
  database: OpenRecordDatabase,
  work: (room: DetectorRoom) => Promise<void>,
  options: { loaded?: boolean } = {},
): Promise<void> {
  rooms += 1;
  const name = `detectors ${rooms}`;
  const room = await openRoom(database, name, options);
  const config = { current: DEFAULT_CONFIG };
  const clock = { now: () => room.clock.nowMs };
  const checks = createMemoryChecks({
    records: room.project.store,
    embedder: () => room.embedder.current,
    clock,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    agentId: room.agentId,
    agentName: 'Ada',
    project: 'shop',
  });
  try {
    await work({
      ...room,
      checks,
      config,
      context: { checks, clock, config: () => config.current, prefix: 'RUM' },
      set(field, fields) {
        config.current = {
          ...config.current,
          [field]: { ...config.current[field], ...fields },
        };
      },
      async store(goal, more = {}, caller = OPERATOR) {
        room.clock.nowMs += 1_000;
        return (await room.memory.store(draft(goal, more), caller)).memory_id;
      },
    });
  } finally {
    await room.memory.settled();
    await room.stop();
  }
}

/** A person who talks to the agent alone. */
export function dmWith(name: string, sessionId?: string): Caller {
  return {
    kind: 'entity',
    entityId: derivedId('person', name),
    roomId: derivedId('dm', name),
    private: true,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

export const idsOf = ({ memories }: Detection) => memories.map(({ memoryId }) => memoryId);
export const edits = (file: string) => ({ actions: [{ file, operation: 'edit' }] });
export const failed = (reason: string, more: Record<string, unknown> = {}) => ({
  outcome: { success: false, failure_reason: reason, ...more },
});
