/**
 * From due tasks to ledger rows: reads what is due, plans it, inserts the rows in one statement,
 * then brings the tasks in line. Being told twice, by overlapping ticks or by two processes, is
 * harmless: the second insert finds the row there.
 */
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Ids, Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { yieldToLoop } from '../shared/yield.js';
import { originOf } from './access.js';
import type { Allowance, Budget } from './budget.js';
import { planDue, runsAgain, wakesWithCycle } from './due.js';
import type { Expectations } from './expectations.js';
import { type Ledger, type NewRun, runIdOf } from './ledger/index.js';
import { parseIso } from './plan.js';
import type { AutonomyPort } from './ports.js';
import { heatOf } from './projection.js';
import { runLine } from './run-text.js';
import { nextRunAfter } from './schedule.js';
import type { Schedule, TriggerConfig, TriggerRun } from './schema.js';
import type { Settler } from './settle.js';
import { decodeTrigger, INVALID_TAG, scheduleOf, type TriggerTaskRow } from './task-codec.js';
import { DUE_BATCH, rowAfter, type TaskStore, type TaskWrite } from './tasks/index.js';

export interface ClaimDeps {
  store: TaskStore;
  ledger: Ledger;
  budget: Budget;
  expectations: Expectations;
  settler: Settler;
  autonomy: AutonomyPort;
  clock: Clock;
  ids: Ids;
  log: Log;
  owner: string;
  /** Between the last beat of before and this start nobody was there. */
  away: { fromMs: number; untilMs: number };
  hotWindowMs: () => number;
}

/** A task the host has just called us for, with the time its snapshot says it was due. */
export interface Named {
  taskId: string;
  dueAtMs: number;
}

interface DueTrigger {
  row: TriggerTaskRow;
  trigger: TriggerConfig;
}

/**
 * Claims what is due and returns the runs that are now ours to carry out; `more` when not all of
 * what is due fitted into this pass.
 */
export async function claimDue(
  deps: ClaimDeps,
  named: Named[],
): Promise<{ runs: TriggerRun[]; more: boolean }> {
  const nowMs = deps.clock.now();
  const rows = await deps.store.dueOrNamed(
    nowMs,
    named.map((one) => one.taskId),
  );
  const hints = new Map(named.map((one) => [one.taskId, one.dueAtMs]));
  const triggers = await readable(deps, rows, hints, nowMs);
  const more = rows.length >= DUE_BATCH;
  const found = new Set(rows.map((row) => row.id));
  const missing = [...hints.keys()].filter((id) => !found.has(id));
  await moveOn(deps, await deps.store.strays(DUE_BATCH, missing));
  if (triggers.length === 0) return { runs: [], more };

  return await claimThese(deps, triggers, nowMs, more);
}

async function claimThese(
  deps: ClaimDeps,
  triggers: readonly DueTrigger[],
  nowMs: number,
  more: boolean,
): Promise<{ runs: TriggerRun[]; more: boolean }> {
  const open = await deps.ledger.openCounts(triggers.map(({ trigger }) => trigger.triggerId));
  const claimedUntil = await deps.ledger.claimedUntil(
    triggers.flatMap(({ trigger: { triggerId, nextRunAtMs } }) =>
      typeof nextRunAtMs === 'number' ? [{ triggerId, dueAtMs: nextRunAtMs }] : [],
    ),
    nowMs,
  );
  const blocked = await deps.autonomy.unavailable();
  const cycleReason = await deps.autonomy.cycleReason();
  const allowance = await deps.budget.allowance(nowMs);

  const rowsToInsert: NewRun[] = [];
  const writes: TaskWrite[] = [];
  const exhausted: TriggerTaskRow[] = [];
  for (const { row, trigger } of triggers) {
    const endedRuns =
      trigger.maxRuns === undefined ? 0 : await deps.ledger.endedCount(trigger.triggerId);
    const claimedUntilMs = claimedUntil.get(trigger.triggerId);
    const plan = planDue(trigger, nowMs, {
      openRuns: open.get(trigger.triggerId) ?? 0,
      endedRuns,
      away: deps.away,
      ...(claimedUntilMs === undefined ? {} : { claimedUntilMs }),
    });
    const base = (scheduledForMs: number): TriggerRun => ({
      version: 1,
      triggerRunId: runIdOf(trigger.triggerId, scheduledForMs),
      triggerId: trigger.triggerId,
      taskId: row.id,
      scheduledForMs,
      cause: row.tags.includes('immediate') ? 'immediate' : 'schedule',
      status: 'running',
      open: true,
      attempt: 1,
      startedAt: nowMs,
      ...originOf(trigger),
    });
    for (const one of plan.skip) {
      const run: TriggerRun = {
        ...base(one.scheduledForMs),
        status: 'skipped',
        open: false,
        finishedAt: nowMs,
        reason: one.reason,
        ...(one.missedCount === undefined ? {} : { missedCount: one.missedCount }),
        ...(one.missedUntilMs === undefined ? {} : { missedUntilMs: one.missedUntilMs }),
      };
      rowsToInsert.push({ run, text: runLine(trigger.displayName, 'skipped', one.reason) });
    }
    for (const one of plan.run) {
      const claimed = base(one.scheduledForMs);
      const waits = waiting(trigger, claimed, { blocked, cycleReason, allowance });
      const note = [one.reason, waits?.reason].filter((part) => part !== undefined).join('; ');
      const run: TriggerRun = {
        ...claimed,
        ...(note === '' ? {} : { reason: note }),
        ...(waits
          ? { status: 'deferred' as const, waitsFor: waits.waitsFor }
          : {
              leaseOwner: deps.owner,
              leaseToken: deps.ids.next(),
              leaseUntilMs: nowMs + deps.ledger.leaseMs,
            }),
      };
      rowsToInsert.push({ run, text: runLine(trigger.displayName, run.status, run.reason) });
    }
    const heat = heatOf(trigger, plan.nextRunAtMs, {
      nowMs,
      hotWindowMs: deps.hotWindowMs(),
      tags: row.tags,
    });
    const changed: Record<string, unknown> = { nextRunAtMs: plan.nextRunAtMs };
    if (trigger.anchorMs !== undefined) changed.anchorMs = trigger.anchorMs;
    writes.push({
      id: row.id,
      trigger: changed,
      schedule: heat.schedule,
      tags: heat.tags,
      seenRevision: trigger.revision ?? 0,
    });
    deps.expectations.amend(row.id, changed);
    if (plan.nextRunAtMs === null || (trigger.maxRuns ?? Infinity) <= endedRuns) {
      const runCount = Math.max(trigger.runCount, endedRuns);
      exhausted.push({
        ...row,
        tags: heat.tags,
        metadata: {
          ...row.metadata,
          trigger: { ...trigger, runCount, nextRunAtMs: plan.nextRunAtMs },
        },
      });
    }
  }

  const schedules = new Map(
    triggers.map(({ trigger }) => [trigger.triggerId, scheduleOf(trigger)] as const),
  );
  let runs: TriggerRun[] = [];
  try {
    runs = (await insertRows(deps.ledger, rowsToInsert, schedules)).filter(
      (run) => run.status === 'running',
    );
  } finally {
    const ours = new Set(runs.map((run) => run.triggerRunId));
    for (const { run } of rowsToInsert) {
      if (!ours.has(run.triggerRunId)) deps.budget.letGo(run.triggerRunId);
    }
  }
  try {
    await deps.store.write(writes);
    // A one-shot whose row was there already has been run by an earlier call: if that run has
    // ended, nothing else would come by to remove it.
    for (const row of exhausted) await deps.settler.finishIfExhausted(row);
  } catch (error) {
    // What is claimed must run; the next tick meets the rows and writes the tasks again.
    deps.log.error({ error: messageOf(error) }, 'claimed, but the tasks could not be updated');
    return { runs, more: false };
  }
  return { runs, more };
}

/**
 * Inserts the rows that are new and returns their runs, which are ours. An occurrence that runs again
 * after the clock was set back gets a row of its own beside that of before, whose id makes its id: every
 * process finds the same one.
 */
async function insertRows(
  ledger: Ledger,
  rows: readonly NewRun[],
  schedules: ReadonlyMap<string, Schedule>,
): Promise<TriggerRun[]> {
  const ours: TriggerRun[] = [];
  let tried = [...rows];
  while (tried.length > 0) {
    const inserted = await ledger.claim(tried);
    const isNew = ({ run }: NewRun) => inserted.has(run.triggerRunId as Uuid);
    ours.push(...tried.filter(isNew).map(({ run }) => run));
    const there = new Map(
      tried.filter((one) => !isNew(one)).map((one) => [one.run.triggerRunId, one]),
    );
    tried = [];
    for (const earlier of await ledger.getMany([...there.keys()])) {
      const { triggerRunId, triggerId, scheduledForMs } = earlier;
      const one = there.get(triggerRunId);
      const schedule = schedules.get(triggerId);
      if (!one || !schedule || !runsAgain(schedule, earlier)) continue;
      const id = runIdOf(triggerId, scheduledForMs, triggerRunId);
      tried.push({ ...one, run: { ...one.run, triggerRunId: id } });
    }
  }
  return ours;
}

/**
 * Brings tasks in line that have been claimed but carry the old time again: the host writes it back
 * on every task of a tick, also on those that an earlier one of the same tick, or another process,
 * has claimed meanwhile. The ledger knows; what it does not know stays as it is.
 */
export async function moveOn(deps: ClaimDeps, strays: TriggerTaskRow[]): Promise<void> {
  const nowMs = deps.clock.now();
  const claimedAs = new Map<string, { row: TriggerTaskRow; trigger: TriggerConfig }>();
  for (const row of strays) {
    const decoded = decodeTrigger(row.metadata);
    if (!decoded.ok || typeof decoded.trigger.nextRunAtMs !== 'number') continue;
    const { trigger } = decoded;
    claimedAs.set(runIdOf(trigger.triggerId, decoded.trigger.nextRunAtMs), { row, trigger });
  }
  for (const run of await deps.ledger.getMany([...claimedAs.keys()])) {
    const known = claimedAs.get(run.triggerRunId);
    if (!known) continue;
    const { row, trigger } = known;
    // What has come due since has no row yet: it is claimed, or counted as missed, when it is in line.
    const untilMs = Math.min(nowMs, run.missedUntilMs ?? run.scheduledForMs);
    const nextRunAtMs =
      trigger.triggerType === 'once' ? null : nextRunAfter(scheduleOf(trigger), untilMs);
    const heat = heatOf(trigger, nextRunAtMs, {
      nowMs,
      hotWindowMs: deps.hotWindowMs(),
      tags: row.tags,
    });
    const write: TaskWrite = { id: row.id, trigger: { nextRunAtMs }, ...heat };
    await deps.store.write([{ ...write, seenRevision: trigger.revision ?? 0 }]);
    if (nextRunAtMs === null)
      await deps.settler.finishIfExhausted(rowAfter(row, write.trigger ?? {}));
    await yieldToLoop();
  }
}

/** What a run that is due waits for, and why; `null`: nothing. */
function waiting(
  trigger: TriggerConfig,
  run: TriggerRun,
  now: { blocked: string | null; cycleReason: string; allowance: Allowance },
): { waitsFor: 'autonomy' | 'budget' | 'cycle'; reason: string } | null {
  if (now.blocked !== null) return { waitsFor: 'autonomy', reason: now.blocked };
  if (wakesWithCycle(trigger, run)) return { waitsFor: 'cycle', reason: now.cycleReason };
  const reason = now.allowance.hold(run.triggerRunId);
  return reason === null ? null : { waitsFor: 'budget', reason };
}

/** Decodes the rows, undoes what the host wrote back, sets damaged ones aside. */
async function readable(
  deps: ClaimDeps,
  rows: TriggerTaskRow[],
  hints: Map<string, number>,
  nowMs: number,
): Promise<DueTrigger[]> {
  const found: DueTrigger[] = [];
  const damaged: string[] = [];
  const cold: TaskWrite[] = [];
  for (const stored of rows) {
    const repair = deps.expectations.repair(stored);
    if (repair) await deps.store.write([repair]);
    const row = repair ? rowAfter(stored, repair.trigger ?? {}) : stored;
    const decoded = decodeTrigger(row.metadata);
    if (!decoded.ok) {
      damaged.push(row.id);
      deps.log.warn({ taskId: row.id, reason: decoded.reason }, 'trigger set aside');
      continue;
    }
    const { trigger } = decoded;
    if (!trigger.enabled) {
      const heat = heatOf(trigger, null, {
        nowMs,
        hotWindowMs: deps.hotWindowMs(),
        tags: row.tags,
      });
      cold.push({ id: row.id, tags: heat.tags, seenRevision: trigger.revision ?? 0 });
      continue;
    }
    found.push({ row, trigger: withNextRun(trigger, hints.get(row.id), nowMs) });
  }
  await deps.store.retag(damaged, { add: [INVALID_TAG], remove: ['queue', INVALID_TAG] });
  await deps.store.write(cold);
  return found;
}

/**
 * A task written by somebody else in the seed's form has no `nextRunAtMs` and no anchor. The host
 * has just called it due, and its snapshot says since when; every tick and process reads the same.
 */
function withNextRun(
  trigger: TriggerConfig,
  dueAtMs: number | undefined,
  nowMs: number,
): TriggerConfig {
  if (trigger.nextRunAtMs !== undefined) return trigger;
  if (trigger.triggerType === 'once' && trigger.scheduledAtIso !== undefined) {
    const atMs = parseIso(trigger.scheduledAtIso, trigger.timezone ?? 'UTC');
    return { ...trigger, nextRunAtMs: atMs ?? nowMs };
  }
  const nextRunAtMs =
    dueAtMs === undefined || dueAtMs > nowMs
      ? nextRunAfter(scheduleOf(trigger), nowMs)
      : Math.max(dueAtMs, 0);
  const anchored =
    trigger.triggerType === 'interval' && trigger.anchorMs === undefined && nextRunAtMs !== null
      ? { anchorMs: nextRunAtMs }
      : {};
  return { ...trigger, ...anchored, nextRunAtMs };
}
