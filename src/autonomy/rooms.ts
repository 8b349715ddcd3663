/**
 * The autonomous world: one shared SELF room for the loop and system triggers, one SELF room per
 * conversation that has triggers, and an entity of our own (the pipeline ignores messages whose
 * entity is the agent itself, ELIZA_GUIDE §0.5).
 */
import { ChannelType, createUniqueUuid, type IAgentRuntime, type UUID } from '@elizaos/core';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, databaseOf, rowsOf } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { DAY_MS } from '../shared/clock.js';

export interface AutonomousRoom {
  worldId: UUID;
  roomId: UUID;
  entityId: UUID;
}

export function autonomousRoom(runtime: IAgentRuntime, originRoomId?: string): AutonomousRoom {
  return {
    worldId: createUniqueUuid(runtime, 'autonomy-world'),
    roomId: createUniqueUuid(
      runtime,
      originRoomId === undefined ? 'autonomy-room' : `autonomy-room:${originRoomId}`,
    ),
    entityId: createUniqueUuid(runtime, 'autonomy-entity'),
  };
}

/** Makes world, entity, room and participants when they are missing; safe to repeat. */
export async function ensureAutonomousRoom(
  runtime: IAgentRuntime,
  originRoomId?: string,
): Promise<AutonomousRoom> {
  const ids = autonomousRoom(runtime, originRoomId);
  await runtime.ensureWorldExists({
    id: ids.worldId,
    name: 'Autonomy',
    agentId: runtime.agentId,
    messageServerId: runtime.agentId,
    metadata: {},
  });
  if (!(await runtime.getEntityById(ids.entityId))) {
    await runtime.createEntity({
      id: ids.entityId,
      names: ['Schedule'],
      metadata: {},
      agentId: runtime.agentId,
    });
  }
  await runtime.ensureRoomExists({
    id: ids.roomId,
    name: originRoomId === undefined ? 'Autonomy' : `Autonomy for ${originRoomId}`,
    source: 'autonomy',
    type: ChannelType.SELF,
    channelId: ids.roomId,
    messageServerId: runtime.agentId,
    worldId: ids.worldId,
  });
  const present = await runtime.getParticipantsForRoom(ids.roomId);
  for (const entityId of [runtime.agentId, ids.entityId]) {
    if (!present.includes(entityId)) await join(runtime, entityId, ids.roomId);
  }
  return ids;
}

/**
 * The host's `addParticipant` inserts a row more each time it is asked (ELIZA_GUIDE §4), and two processes
 * may both have looked before: with an id of its own the row is there once.
 */
async function join(runtime: IAgentRuntime, entityId: UUID, roomId: UUID): Promise<void> {
  const id = createUniqueUuid(runtime, `participant:${roomId}:${entityId}`);
  await databaseOf(runtime).execute(
    sql`insert into participants (id, entity_id, room_id, agent_id)
      values (${id}, ${entityId}, ${roomId}, ${runtime.agentId}) on conflict (id) do nothing`,
  );
}

/*
 * What autonomous runs leave in the host's tables. The host logs the whole state of every model
 * call and action, 50–260 KB a run (ELIZA_GUIDE §0.10), and never removes any of it; an agent that
 * wakes itself every few minutes would fill its disk. Only rows of our own rooms are touched.
 */

/** Logs of autonomous rooms are kept this long. */
const KEEP_LOGS_MS = DAY_MS;
/** Instructions and answers in autonomous rooms are kept as long as the ledger keeps runs. */
const KEEP_MESSAGES_MS = 30 * DAY_MS;
const BATCH = 200;
/** An hour's work at most; what is left goes with the next call. */
const MAX_BATCHES = 100;

/** Removes what is old, in small statements; returns how many rows went. */
export async function tidyAutonomousRooms(
  runtime: IAgentRuntime,
  db: Database,
  nowMs: number,
): Promise<{ logs: number; messages: number }> {
  const { worldId } = autonomousRoom(runtime);
  const ours = sql`select id from rooms where world_id = ${worldId}`;
  const before = (ms: number) => new Date(nowMs - ms).toISOString();
  return {
    logs: await inBatches(
      db,
      sql`delete from logs where ctid in (select ctid from logs where room_id in (${ours})
        and created_at < ${before(KEEP_LOGS_MS)}::timestamptz limit ${BATCH}) returning 1 as gone`,
    ),
    messages: await inBatches(
      db,
      sql`delete from memories where id in (select id from memories where type = 'messages'
        and room_id in (${ours}) and created_at < ${before(KEEP_MESSAGES_MS)}::timestamp
        limit ${BATCH}) returning 1 as gone`,
    ),
  };
}

async function inBatches(db: Database, statement: SQL): Promise<number> {
  let removed = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const gone = (await rowsOf(db, statement)).length;
    removed += gone;
    if (gone < BATCH) break;
    await yieldToLoop();
  }
  return removed;
}

/**
 * One run at a time per room, a bounded number of rooms at once. Two `handleMessage` calls in one
 * room silently lose the first answer (ELIZA_GUIDE §0.6), so a lane stays taken until the host has
 * really ended the run, even if our caller stopped waiting for it.
 */

export interface RoomQueue {
  /**
   * Runs `job` when the lane of `roomId` is free. The lane is held until `hold` settles (returned
   * by the job next to its value); the value is handed back at once.
   */
  run<T>(roomId: string, job: () => Promise<{ value: T; hold?: Promise<unknown> }>): Promise<T>;
  /** Rooms with a job running or waiting. */
  busyRooms(): number;
  /** Resolves when every lane is free. */
  idle(): Promise<void>;
}

export function createRoomQueue({ maxConcurrent }: { maxConcurrent: number }): RoomQueue {
  const lanes = new Map<string, Promise<void>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function takeSlot(): Promise<void> {
    if (running < maxConcurrent) {
      running += 1;
      return;
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function freeSlot(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  return {
    run(roomId, job) {
      const previous = lanes.get(roomId) ?? Promise.resolve();
      let release = () => {};
      const lane = new Promise<void>((resolve) => {
        release = resolve;
      });
      lanes.set(roomId, lane);
      const work = async () => {
        await previous;
        await takeSlot();
        // With an instant model on PGlite a turn never leaves the microtask queue: without this, 50
        // turns in a row would hold timers, HTTP and the host's tick for seconds.
        await yieldToLoop();
        let hold: Promise<unknown> | undefined;
        try {
          const outcome = await job();
          hold = outcome.hold;
          return outcome.value;
        } finally {
          freeSlot();
          const free = () => {
            if (lanes.get(roomId) === lane) lanes.delete(roomId);
            release();
          };
          if (hold) hold.then(free, free);
          else free();
        }
      };
      return work();
    },
    busyRooms: () => lanes.size,
    async idle() {
      while (lanes.size > 0) await Promise.all(lanes.values());
    },
  };
}
