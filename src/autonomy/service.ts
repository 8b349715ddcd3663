/** The Eliza service `AUTONOMY`: a thin host of the rooms, the queue and the loop (DESIGN §5). */

import { type IAgentRuntime, Service, type UUID } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { AutonomousInstruction, RunDescriptor } from '../host/index.js';
import { databaseOf, rowsOf } from '../records/index.js';
import { type Clock, DAY_MS, SECOND_MS, systemClock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { parsed } from '../shared/findings.js';
import type { Log } from '../shared/log.js';
import { confirm, type InjectDeps, inject, notRun, storedAnswer } from './inject.js';
import { createRunWatch, type RunWatch } from './outcome.js';
import { autonomousRoom, createRoomQueue, type RoomQueue } from './rooms.js';

export const AUTONOMY_SERVICE = 'AUTONOMY';
export const AUTONOMY_LOOP_TASK = 'AUTONOMY_THINK';
const MIN_LOOP_INTERVAL_MS = 5 * SECOND_MS;

/** A change of the autonomy settings; what is absent stays. */
export const autonomyChangeSchema = z.strictObject({
  enabled: z.boolean().optional(),
  loop: z.boolean().optional(),
  intervalMs: z.int().min(MIN_LOOP_INTERVAL_MS).max(DAY_MS).optional(),
});
export type AutonomyChange = z.infer<typeof autonomyChangeSchema>;

/**
 * What has been changed by hand of the autonomy settings. It lies in the database and is read there each
 * time, because every process of the agent must follow it; the host's own cache answers "nothing kept"
 * when the database cannot be asked, which would switch on what somebody has switched off.
 */
const KEY = 'cue:autonomy';

async function keptChange(runtime: IAgentRuntime): Promise<AutonomyChange> {
  const [row] = await rowsOf<{ value: unknown }>(
    databaseOf(runtime),
    sql`select value from cache where key = ${KEY} and agent_id = ${runtime.agentId}`,
  );
  const kept = autonomyChangeSchema.safeParse(row?.value ?? {});
  return kept.success ? kept.data : {};
}

/** In one statement: what another process changes at the same moment stays. */
async function keepChange(runtime: IAgentRuntime, change: AutonomyChange): Promise<void> {
  await databaseOf(runtime).execute(
    sql`insert into cache (key, agent_id, value)
      values (${KEY}, ${runtime.agentId}, ${JSON.stringify(change)}::jsonb)
      on conflict (key, agent_id) do update set value = cache.value || excluded.value`,
  );
}

export interface AutonomySettings {
  enabled: boolean;
  loop: boolean;
  intervalMs: number;
}

export interface AutonomyStatus extends AutonomySettings {
  /** Why nothing runs although it is switched on, and what to do; `null`: it runs. */
  blocked: string | null;
  /** Another plugin's AUTONOMY service is used instead of ours. */
  delegated: boolean;
  busyRooms: number;
  /** A cycle is under way. */
  cycling: boolean;
  lastCycleAtMs: number | null;
  lastCycleError: string | null;
}

/** What the composition root hands in. */
export interface AutonomyDeps {
  settings: AutonomySettings;
  clock: Clock;
  /** Why nothing runs in this process, and what to do; absent: it does. */
  resting?: string;
  /** Why no instruction can be carried out for want of a language model; absent: there is one. */
  missingModel?: () => string | null;
  onStep?: InjectDeps['onStep'];
}

/** Rooms in which a run may be under way at once; each run is one or more model calls. */
const MAX_CONCURRENT_ROOMS = 8;

const THINK_PROMPT =
  'This is a quiet moment of your own: nobody has asked you anything. Look at what is open, ' +
  'decide whether something needs doing now, and do it. If nothing does, answer with the action ' +
  'IGNORE.';

/** A foreign AUTONOMY service that can take our instructions. */
interface ForeignAutonomy {
  injectAutonomousInstruction(payload: AutonomousInstruction): Promise<RunDescriptor>;
}

export class AutonomyService extends Service {
  static override serviceType: string = AUTONOMY_SERVICE;
  override capabilityDescription =
    'Wakes the agent on its own: runs instructions in autonomous rooms and hands back the answers';

  private static readonly provided = new WeakMap<IAgentRuntime, AutonomyDeps>();

  /** Hands in what the host cannot: called by the plugin's `init`, before services start. */
  static provide(runtime: IAgentRuntime, deps: AutonomyDeps): void {
    AutonomyService.provided.set(runtime, deps);
  }

  readonly queue: RoomQueue = createRoomQueue({ maxConcurrent: MAX_CONCURRENT_ROOMS });
  readonly watch: RunWatch = createRunWatch();
  private settings: AutonomySettings = { enabled: true, loop: false, intervalMs: 300_000 };
  private clock: Clock = systemClock;
  /** Why nothing runs in this process, and what to do; `null`: it does. */
  resting: string | null = null;
  private missingModel: () => string | null = () => null;
  private cycling = false;
  private lastCycleAtMs: number | null = null;
  private lastCycleError: string | null = null;
  private cycleHooks: (() => Promise<number>)[] = [];
  private log: Log | null = null;
  private onStep: InjectDeps['onStep'];

  static override async start(runtime: IAgentRuntime): Promise<AutonomyService> {
    const service = new AutonomyService(runtime);
    service.log = runtime.logger;
    const deps = AutonomyService.provided.get(runtime);
    if (deps) {
      service.settings = deps.settings;
      service.clock = deps.clock;
      service.resting = deps.resting ?? null;
      service.missingModel = deps.missingModel ?? service.missingModel;
      service.onStep = deps.onStep;
    }
    await service.syncLoopTask(await service.current());
    return service;
  }

  override async stop(): Promise<void> {
    this.cycleHooks = [];
  }

  /** What holds now, in every process of the agent: what has been changed by hand outweighs the settings. */
  private async current(): Promise<AutonomySettings> {
    return { ...this.settings, ...(await keptChange(this.runtime)) };
  }

  /** Why an instruction cannot run now, in words for the run's reason; `null` when it can. */
  async unavailable(): Promise<string | null> {
    if (this.resting !== null) return this.resting;
    if (!(await this.current()).enabled) return 'autonomy is switched off (CUE_AUTONOMY)';
    return this.missingModel();
  }

  /** What a `next_autonomy_cycle` instruction waits for, in words. */
  async cycleReason(): Promise<string> {
    return (await this.current()).loop
      ? 'waits for the next autonomy cycle'
      : 'waits for the next autonomy cycle; the loop is off (CUE_AUTONOMY_LOOP)';
  }

  /**
   * The seed's safe injection point: ensures the room, stores the instruction as a message with
   * the trigger metadata, takes it through the standard pipeline, stores the answer. One run at a
   * time per room. Never throws; `error` in the descriptor says what went wrong.
   */
  async injectAutonomousInstruction(payload: AutonomousInstruction): Promise<RunDescriptor> {
    const foreign = this.foreign();
    if (foreign) {
      // It does not know the question, and when it begins is its own affair.
      const confirmed = await confirm(payload);
      if ('text' in confirmed) {
        return foreign.injectAutonomousInstruction({ ...payload, text: confirmed.text });
      }
      const { roomId } = autonomousRoom(this.runtime, payload.originRoomId);
      return notRun(payload, roomId, confirmed.error);
    }
    const missing = this.missingModel();
    if (missing !== null) {
      return notRun(payload, autonomousRoom(this.runtime, payload.originRoomId).roomId, missing);
    }
    return inject(
      {
        runtime: this.runtime,
        queue: this.queue,
        watch: this.watch,
        ...(this.onStep ? { onStep: this.onStep } : {}),
      },
      payload,
    );
  }

  /** An answer that an earlier process stored for this run before it died. */
  storedAnswer(triggerRunId: string): Promise<{ text: string; responseId: UUID } | null> {
    return storedAnswer(this.runtime, triggerRunId);
  }

  async status(): Promise<AutonomyStatus> {
    return {
      ...(await this.current()),
      blocked: this.resting ?? this.missingModel(),
      delegated: this.foreign() !== null,
      busyRooms: this.queue.busyRooms(),
      cycling: this.cycling,
      lastCycleAtMs: this.lastCycleAtMs,
      lastCycleError: this.lastCycleError,
    };
  }

  /**
   * Changes what is given and keeps it across restarts; the rest still follows the settings.
   * @throws InvalidInputError
   */
  async configure(change: AutonomyChange): Promise<AutonomyStatus> {
    const given = parsed(autonomyChangeSchema, change);
    await keepChange(this.runtime, given);
    const now = await this.current();
    await this.syncLoopTask(now);
    this.log?.info({ src: 'plugin:cue:autonomy', ...now }, 'autonomy configured');
    return this.status();
  }

  /** Called at every cycle; says how many waiting instructions it took into this turn. */
  onCycle(hook: () => Promise<number>): void {
    this.cycleHooks.push(hook);
  }

  /**
   * One cycle of the loop: all waiting instructions, or a thought of its own when none wait and
   * the loop is on. Cycles never overlap.
   */
  async runCycle(nowMs = this.clock.now()): Promise<{ instructions: number }> {
    if (this.cycling) return { instructions: 0 };
    this.cycling = true;
    try {
      return await this.cycle(nowMs);
    } catch (error) {
      this.lastCycleError = messageOf(error);
      this.log?.error({ src: 'plugin:cue:autonomy', error: messageOf(error) }, 'cycle failed');
      return { instructions: 0 };
    } finally {
      this.cycling = false;
    }
  }

  private async cycle(nowMs: number): Promise<{ instructions: number }> {
    if ((await this.unavailable()) !== null) return { instructions: 0 };
    this.lastCycleAtMs = nowMs;
    let instructions = 0;
    for (const hook of this.cycleHooks) instructions += await hook();
    if (instructions === 0 && (await this.current()).loop) {
      const thought = await this.injectAutonomousInstruction({
        text: THINK_PROMPT,
        source: 'loop',
        triggerId: AUTONOMY_LOOP_TASK,
        triggerRunId: `${this.runtime.agentId}:${nowMs}`,
        wakeMode: 'next_autonomy_cycle',
        confirm: async () => ((await this.unavailable()) === null ? THINK_PROMPT : null),
      });
      this.lastCycleError = thought.error ?? null;
    }
    return { instructions };
  }

  /** The next turn of the loop must not wait for a time of before. */
  async clockSetBack(): Promise<void> {
    await this.syncLoopTask(await this.current());
  }

  /** The repeating task of the loop exists exactly while the loop is on. */
  private async syncLoopTask({ enabled, loop, intervalMs }: AutonomySettings): Promise<void> {
    const tasks = await this.runtime.getTasksByName(AUTONOMY_LOOP_TASK);
    const mine = tasks.filter((task) => task.tags?.includes('cue_autonomy'));
    const wanted = enabled && loop;
    const nowMs = this.clock.now();
    const fits = mine.find(
      ({ metadata }) =>
        metadata?.updateInterval === intervalMs && Number(metadata.updatedAt ?? 0) <= nowMs,
    );
    for (const task of mine) {
      if (task.id && (!wanted || task !== fits)) await this.runtime.deleteTask(task.id);
    }
    if (wanted && !fits) {
      await this.runtime.createTask({
        name: AUTONOMY_LOOP_TASK,
        description: 'One turn of the autonomy loop',
        worldId: this.runtime.agentId,
        tags: ['queue', 'repeat', 'cue_autonomy'],
        metadata: { updatedAt: nowMs, updateInterval: intervalMs },
      });
    }
  }

  private foreign(): ForeignAutonomy | null {
    for (const service of this.runtime.getServicesByType(AUTONOMY_SERVICE)) {
      if (service === this) continue;
      if ('injectAutonomousInstruction' in service) return service as unknown as ForeignAutonomy;
    }
    return null;
  }
}
