/** The proactive room on real work memory; detectors of other rooms, settings and time in the test's hands. */
import type { Caller } from '../../src/memory/index.js';
import {
  createProactive,
  type DetectorContext,
  type SlotDetectors,
  type TurnMessage,
} from '../../src/proactive/index.js';
import { derivedId, randomIds } from '../../src/shared/ids.js';
import type { OpenRecordDatabase } from '../contract/record-database.js';
import { type DetectorRoom, dmWith, withRoom } from './detector-room.js';

export interface Options {
  slots?: SlotDetectors | ((context: DetectorContext) => SlotDetectors);
  enabled?: { current: boolean };
  loaded?: boolean;
  detectorTimeoutMs?: number;
  /** How long a turn, and a late start, waits. */
  turnBudgetMs?: number;
}

export type ProactiveRoom = DetectorRoom & { proactive: ReturnType<typeof createProactive> };

export function withProactive(
  database: OpenRecordDatabase,
  work: (room: ProactiveRoom) => Promise<void>,
  {
    slots = {},
    enabled = { current: true },
    detectorTimeoutMs,
    turnBudgetMs,
    ...options
  }: Options = {},
): Promise<void> {
  return withRoom(
    database,
    async (room) => {
      const proactive = open(room, {
        slots,
        enabled,
        ...(detectorTimeoutMs === undefined ? {} : { detectorTimeoutMs }),
        ...(turnBudgetMs === undefined ? {} : { turnBudgetMs }),
      });
      try {
        await work({ ...room, proactive });
      } finally {
        await proactive.stop();
      }
    },
    options,
  );
}

export function open(
  { checks, clock, config, context }: DetectorRoom,
  {
    slots = {},
    enabled = { current: true },
    detectorTimeoutMs = 60_000,
    turnBudgetMs,
  }: Options = {},
) {
  const counts: Record<string, number> = {};
  return createProactive({
    checks,
    clock: { now: () => clock.nowMs },
    ids: randomIds,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    config: () => config.current,
    enabled: () => enabled.current,
    prefix: 'RUM',
    turnCounts: {
      read: async () => counts,
      add: async (turns) => {
        for (const [day, count] of Object.entries(turns)) counts[day] = (counts[day] ?? 0) + count;
      },
    },
    slots: typeof slots === 'function' ? slots(context) : slots,
    turnBudgetMs,
    detectorTimeoutMs,
  });
}

export const ada = dmWith('ada', 'ada-1') as Extract<Caller, { kind: 'entity' }>;

export function messageOf(caller: typeof ada, text: string, id: string): TurnMessage {
  const { roomId, sessionId } = caller;
  return { messageId: derivedId('message', id), roomId, caller, sessionId, text, attachments: [] };
}
export const long = 5_000;
