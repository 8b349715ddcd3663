/** Changes to a stored trigger, by compare-and-set and defended against the host's write-back. */
import { AppError, InvalidInputError, isAppError, wrongField } from '../shared/errors.js';
import { parsed } from '../shared/findings.js';
import { defined } from '../shared/json.js';
import { type Access, mustSpeakForItself, readableTrigger, type TriggersDeps } from './access.js';
import { countedCreator, requireCapacity } from './create.js';
import { formatInstant } from './describe.js';
import { SPOKE_LATELY_MS } from './match.js';
import type { TriggerSettings } from './parts.js';
import { newRun } from './plan.js';
import { inZone } from './retime.js';
import { runIdOf } from './run-history.js';
import { mustBeHourly, nextRunAfter, parseIso } from './schedule.js';
import {
  type Requester,
  SCHEDULE_FIELDS,
  type Schedule,
  type TriggerConfig,
  type TriggerPatch,
  type TriggerSummary,
  triggerPatchSchema,
} from './schema.js';
import {
  anchored,
  dedupeKeyOf,
  displayNameOf,
  PAUSED_ON_REQUEST,
  readableRows,
  scheduleFindings,
  scheduleOf,
  summaryOf,
  type TriggerTaskRow,
} from './task-codec.js';

export function createEditing(deps: TriggersDeps, access: Access, mustBeOn: () => TriggerSettings) {
  const { store, ledger, dispatcher, reconciler, clock, log, records } = deps;
  const { changeable } = access;

  async function save(
    row: TriggerTaskRow,
    before: TriggerConfig,
    after: TriggerConfig,
  ): Promise<TriggerSummary> {
    const saved = await reconciler.edit(row, before, after);
    if (saved) return summaryOf(saved);
    throw new AppError('CONFLICT', 'the trigger was changed by someone else at the same moment');
  }

  function timeAfterResume(trigger: TriggerConfig, nowMs: number): number | null {
    const schedule = scheduleOf(trigger);
    if (trigger.triggerType === 'once') {
      const atMs = parseIso(trigger.scheduledAtIso ?? '', trigger.timezone ?? 'UTC');
      return atMs === null ? nowMs : Math.max(atMs, nowMs);
    }
    return nextRunAfter(schedule, nowMs);
  }

  async function update(
    id: string,
    input: TriggerPatch,
    requester: Requester,
  ): Promise<TriggerSummary> {
    const settings = mustBeOn();
    const patch = parsed(triggerPatchSchema, input);
    mustSpeakForItself(requester, patch);
    const row = await changeable(id, requester);
    const before = readableTrigger(row);
    const nowMs = clock.now();
    const { schedule, enabled, revision, ...fields } = patch;
    const { revision: current = 0 } = before;
    if (revision !== undefined && revision !== current) {
      const message = `the trigger is at revision ${current}, not ${revision}`;
      throw new AppError('CONFLICT', message, { revision: current });
    }
    let after = withFields(before, fields);
    if (
      fields.instructions !== undefined &&
      fields.displayName === undefined &&
      before.displayName === displayNameOf(before.instructions)
    ) {
      // A name that was made of the instructions follows them.
      after.displayName = displayNameOf(fields.instructions);
    }

    if (schedule !== undefined) {
      const { minIntervalMs, allowSeconds } = settings;
      const findings = scheduleFindings(schedule, { nowMs, minIntervalMs, allowSeconds });
      if (findings.length > 0) throw new InvalidInputError(findings);
      const viaRun = requester.kind === 'entity' && requester.viaRunOfTriggerId !== undefined;
      if (viaRun) mustBeHourly(schedule, nowMs);
      after = withSchedule(after, schedule, nowMs);
      if (fields.timezoneSource === undefined && after.timezone !== before.timezone) {
        after.timezoneSource = 'request';
      }
      after.nextRunAtMs = nextRunAfter(scheduleOf(after), nowMs);
    }
    if (enabled === true && !before.enabled) {
      await requireCapacity(store, settings, countedCreator(requester.kind, before));
      after.enabled = true;
      delete after.pausedReason;
      after.failuresFromMs = nowMs;
      after.failureCount = 0;
      if (schedule === undefined) after.nextRunAtMs = timeAfterResume(after, nowMs);
      if (after.nextRunAtMs === null) {
        throw wrongField('enabled', 'its schedule has nothing left to run: give it a new one');
      }
    } else if (enabled === false) {
      after.enabled = false;
      delete after.pausedReason;
    }
    after.dedupeKey = dedupeKeyOf(records.home.agentId, after, scheduleOf(after));
    if (after.dedupeKey !== before.dedupeKey) {
      const twin = (await store.byDedupeKeys([after.dedupeKey])).get(after.dedupeKey);
      if (twin && twin.id !== row.id) {
        throw new AppError('DUPLICATE', 'another trigger does exactly this already', {
          existingId: summaryOf(twin).triggerId,
        });
      }
    }
    const saved = await save(row, before, after);
    if (saved.nextRunAtMs !== null && saved.nextRunAtMs <= nowMs) void dispatcher.drain();
    return saved;
  }

  /** Stops it until it is resumed; `reason` is shown wherever the trigger is. */
  async function pause(id: string, requester: Requester, reason = PAUSED_ON_REQUEST) {
    mustBeOn();
    const row = await changeable(id, requester);
    const before = readableTrigger(row);
    return save(row, before, { ...before, enabled: false, pausedReason: reason });
  }

  function resume(id: string, requester: Requester) {
    return update(id, { enabled: true }, requester);
  }

  /** Leaves out the next run; the ledger says that it was asked for. */
  async function skipNext(id: string, requester: Requester): Promise<TriggerSummary> {
    return moveNext(id, requester, (trigger, nextMs) => {
      if (trigger.triggerType === 'once') {
        throw wrongField('skipNext', 'a one-time trigger has no run after the next: delete it');
      }
      return { toMs: nextRunAfter(scheduleOf(trigger), nextMs), reason: 'skipped on request' };
    });
  }

  /** Puts off the next run to `untilMs`; a repeating trigger then goes on as before. */
  async function snooze(id: string, untilMs: number, requester: Requester) {
    const nowMs = clock.now();
    if (untilMs <= nowMs) {
      throw wrongField('untilMs', 'lies in the past');
    }
    return moveNext(id, requester, (trigger) => ({
      toMs: untilMs,
      reason: `put off to ${formatInstant(untilMs, trigger.timezone ?? 'UTC')} on request`,
    }));
  }

  /**
   * Puts off the next run by a length of time. What has spoken lately, or is about to, speaks again that
   * long from now; what is due only later is put off by as much, as `later` asks for in any case: to be
   * snoozed never brings anything forward.
   */
  async function snoozeFor(
    id: string,
    lengthMs: number,
    requester: Requester,
    { later = false } = {},
  ): Promise<TriggerSummary> {
    const nowMs = clock.now();
    const { nextRunAtMs, lastRunAtIso } = readableTrigger(await changeable(id, requester));
    const nextMs = nextRunAtMs ?? nowMs;
    const fromNowMs = nowMs + lengthMs;
    const spoke = nowMs - (Date.parse(lastRunAtIso ?? '') || 0) <= SPOKE_LATELY_MS;
    const isSoon = !later && (spoke || nextMs <= fromNowMs);
    return snooze(id, isSoon ? fromNowMs : nextMs + lengthMs, requester);
  }

  /**
   * Stops it until a moment. What runs by the clock goes on with its own first time after that, everything
   * else runs at that moment.
   */
  async function pauseUntil(
    id: string,
    untilMs: number,
    requester: Requester,
  ): Promise<TriggerSummary> {
    const trigger = readableTrigger(await changeable(id, requester));
    if (trigger.triggerType !== 'cron') return snooze(id, untilMs, requester);
    const schedule = { ...scheduleOf(trigger), startAtIso: new Date(untilMs).toISOString() };
    return update(id, { schedule }, requester);
  }

  async function moveNext(
    id: string,
    requester: Requester,
    move: (trigger: TriggerConfig, nextMs: number) => { toMs: number | null; reason: string },
  ): Promise<TriggerSummary> {
    mustBeOn();
    const row = await changeable(id, requester);
    const before = readableTrigger(row);
    const nextMs = before.nextRunAtMs ?? null;
    if (!before.enabled || nextMs === null) {
      throw new AppError('CONFLICT', 'the trigger is not waiting for a run: resume it first');
    }
    const { toMs, reason } = move(before, nextMs);
    const after: TriggerConfig = { ...before, nextRunAtMs: toMs };
    if (before.triggerType === 'once' && toMs !== null) {
      after.scheduledAtIso = new Date(toMs).toISOString();
      return save(row, before, after);
    }
    const saved = await save(row, before, after);
    const nowMs = clock.now();
    const skipped = newRun(before, {
      triggerRunId: runIdOf(before.triggerId, nextMs),
      taskId: row.id,
      scheduledForMs: nextMs,
      cause: 'schedule',
      status: 'skipped',
      open: false,
      startedAt: nowMs,
      finishedAt: nowMs,
      reason,
    });
    await ledger.claim([skipped]);
    return saved;
  }

  /**
   * Moves what a person has made and that had only the zone of the machine to the one they have told,
   * at the same clock times. `left`: those that could not be moved, as when the time is past there.
   */
  async function followZone(
    entityId: string,
    timezone: string,
  ): Promise<{ moved: TriggerSummary[]; left: TriggerSummary[] }> {
    const moved: TriggerSummary[] = [];
    const left: TriggerSummary[] = [];
    for (const { row, trigger } of readableRows(await store.ofHostZone(entityId))) {
      const { triggerId } = trigger;
      const schedule = inZone(scheduleOf(trigger), timezone);
      try {
        const patch = { schedule, timezoneSource: 'person' } as const;
        moved.push(await update(triggerId, patch, { kind: 'entity', entityId }));
      } catch (error) {
        if (!isAppError(error)) throw error;
        log.warn({ triggerId, error: error.message }, 'zone not changed');
        left.push(summaryOf(row));
      }
    }
    return { moved, left };
  }

  async function remove(id: string, requester: Requester): Promise<TriggerSummary> {
    mustBeOn();
    const row = await changeable(id, requester);
    const summary = summaryOf(row);
    await store.remove(row.id);
    deps.guard.drop(row.id);
    for (const { run } of await ledger.openRunsOf(summary.triggerId)) {
      await ledger.endIfOpen(run.triggerRunId, {
        status: run.status === 'failed' ? 'failed' : 'skipped',
        open: false,
        finishedAt: clock.now(),
        reason: 'the trigger was deleted',
        retryAtMs: null,
      });
    }
    log.info({ triggerId: summary.triggerId }, 'trigger deleted');
    return summary;
  }

  return { update, pause, resume, skipNext, snooze, snoozeFor, pauseUntil, remove, followZone };
}

/** A field that is null is taken away, one that is absent stays. */
function withFields(trigger: TriggerConfig, fields: object): TriggerConfig {
  const next: TriggerConfig = { ...trigger, ...defined(fields) };
  for (const name of Object.keys(next)) if (next[name] === null) delete next[name];
  return next;
}

function withSchedule(trigger: TriggerConfig, schedule: Schedule, nowMs: number): TriggerConfig {
  const rest = { ...trigger };
  for (const field of SCHEDULE_FIELDS) delete (rest as Partial<TriggerConfig>)[field];
  return { ...rest, ...anchored(schedule, nowMs) };
}
