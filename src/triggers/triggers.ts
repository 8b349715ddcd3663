/** The operations on triggers, and reading them and their runs in pages with the rights of the requester. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { MINUTE_MS } from '../shared/clock.js';
import { newestPlace, readCursor, writeCursor } from '../shared/cursor.js';
import { AppError, NotFoundError, wrongField } from '../shared/errors.js';
import { isUuid } from '../shared/ids.js';
import {
  type Access,
  createAccess,
  readableTrigger,
  type TriggersDeps,
  visibleTo,
} from './access.js';
import { createCreation } from './create.js';
import { createEditing } from './edit.js';
import type { RunFilter } from './ledger.js';
import type { TriggerSettings } from './parts.js';
import { askedOf, newRun, resultsWrite } from './plan.js';
import type { RunRow } from './run-history.js';
import { nextRuns } from './schedule.js';
import type { Requester, TriggerRun, TriggerSummary } from './schema.js';
import { applied } from './store.js';
import { scheduleOf, summaryOf, type TriggerTaskRow } from './task-codec.js';
import type { ListFilter } from './task-table.js';

export type Triggers = ReturnType<typeof createTriggers>;

export function createTriggers(deps: TriggersDeps) {
  const { store, ledger, clock } = deps;
  const access = createAccess(deps);

  function mustBeOn(): TriggerSettings {
    const settings = deps.settings();
    if (!settings.enabled) {
      throw new AppError('DISABLED', 'triggers are switched off (CUE_TRIGGERS_ENABLED)');
    }
    return settings;
  }

  /**
   * Runs it now, whatever its schedule says; the schedule is not changed. With `waitMs` waits that
   * long for the end; with `startAfter` it is recorded at once and begins only then.
   */
  async function run(
    id: string,
    requester: Requester,
    options: { waitMs?: number; startAfter?: Promise<void> | undefined } = {},
  ): Promise<{ runId: string; run: TriggerRun | null; trigger: TriggerSummary | null }> {
    const settings = mustBeOn();
    if (requester.kind === 'entity' && requester.viaRunOfTriggerId !== undefined) {
      // Two triggers that start each other would never end.
      throw new AppError('PERMISSION_DENIED', 'a scheduled run may not start another run');
    }
    const row = await access.changeable(id, requester);
    const trigger = readableTrigger(row);
    if (settings.paused !== null) {
      throw new AppError('DISABLED', `no trigger runs now: ${settings.paused}`);
    }
    const nowMs = clock.now();
    const blocked = await deps.autonomy.unavailable();
    const runId = deps.ids.next();
    const manual = newRun(trigger, {
      triggerRunId: runId,
      taskId: row.id,
      scheduledForMs: nowMs,
      cause: 'manual',
      open: true,
      startedAt: nowMs,
      ...(blocked === null
        ? { status: 'running', ...ledger.lease(deps.owner, deps.ids.next(), nowMs) }
        : { status: 'deferred', waitsFor: 'autonomy', reason: blocked }),
    });
    await ledger.claim([manual]);
    const begin = options.startAfter ?? Promise.resolve();
    const work =
      blocked === null ? begin.then(() => deps.runs.start([{ run: manual.run, trigger }])) : begin;
    if (options.waitMs !== undefined && options.waitMs > 0) {
      await Promise.race([work, sleep(options.waitMs, undefined, { ref: false })]);
    }
    const now = await ledger.get(runId);
    const current = await store.byId(row.id);
    return {
      runId,
      run: now ? publicRun(now) : null,
      // Gone when this run was the last one it had.
      trigger: current ? summaryOf(current) : null,
    };
  }

  return {
    ...createCreation(deps, mustBeOn),
    ...createEditing(deps, access, mustBeOn),
    ...createReading(deps, access),
    run,
    rowOf: access.rowOf,
    mayChange: access.mayChange,
    mustBeOn,
  };
}

/** What stands in every prompt about the triggers of one asker. */
export interface PromptSummary {
  /** All that the asker may see here. */
  total: number;
  /** Failed last time, paused with a reason, or set aside. */
  troubled: TriggerSummary[];
  /** The next ones, soonest first; those that are switched off come last. */
  coming: TriggerSummary[];
}

export interface Page {
  limit: number;
  cursor?: string;
}

export interface TriggerListPage extends Page {
  /** `newest` (by creation) when absent; `soonest`: by next run, those that do not run last. */
  order?: 'newest' | 'soonest';
}

/** Askers whose summaries are kept. */
const MOST_TOLD = 500;

export function createReading(deps: TriggersDeps, access: Access) {
  const { store, ledger, clock } = deps;
  const { rowOf, maySee } = access;

  async function get(id: string, requester: Requester): Promise<TriggerSummary> {
    const row = await rowOf(id, requester);
    const summary = summaryOf(row);
    // The ledger is the truth; what stands on the task may be a copy the host has written back.
    const results = (await ledger.resultsOf([askedOf(summary)])).get(summary.triggerId);
    return results ? applied(summary, resultsWrite(summary, results)) : summary;
  }

  /** What the requester may see, newest first unless the page says otherwise. */
  async function list(
    filter: Omit<ListFilter, 'visibleTo'>,
    page: TriggerListPage,
    requester: Requester,
  ): Promise<{ triggers: TriggerSummary[]; total: number; nextCursor: string | null }> {
    const own: ListFilter = { ...filter };
    if (requester.kind === 'entity') {
      const seen = visibleTo(requester);
      const isAdmin = await deps.isAdmin(requester.entityId, requester.roomId);
      own.visibleTo = isAdmin ? { ...seen, wholeWorld: true } : seen;
    } else if (requester.kind === 'agent') {
      own.visibleTo = visibleTo(requester);
    }
    const limit = page.limit + 1;
    const { cursor } = page;
    const isSoonest = page.order === 'soonest';
    const { rows, total } = isSoonest
      ? await store.soonest(own, {
          limit,
          ...(cursor ? { after: readCursor(cursor, soonestPlace) } : {}),
        })
      : await store.list(own, {
          limit,
          ...(cursor ? { after: readCursor(cursor, newestPlace) } : {}),
        });
    const { shown, nextCursor } = paged(rows, page, isSoonest ? soonestOf : rowPlace);
    return { triggers: shown.map(summaryOf), total, nextCursor };
  }

  const told = new Map<string, { summary: PromptSummary; changes: number; atMs: number }>();

  /**
   * The few lines that stand in every prompt: what is coming and what is wrong, of the requester and
   * of the room. One statement; a world's owner is shown no more than anybody else here. Where no other process
   * has the database, it is read again when a trigger was written, or a minute is over: another plugin may
   * have written one.
   */
  async function promptSummary(requester: Requester, each: number): Promise<PromptSummary> {
    const visible = requester.kind === 'operator' ? null : visibleTo(requester);
    const key = JSON.stringify([visible, each]);
    const [changes, atMs] = [store.changes(), clock.now()];
    const known = told.get(key);
    if (known?.changes === changes && Math.abs(atMs - known.atMs) < MINUTE_MS) return known.summary;
    const rows = await store.promptSummary(visible, each);
    const summary = {
      total: rows[0]?.total ?? 0,
      troubled: rows.filter((one) => one.troubled).map((one) => summaryOf(one.row)),
      coming: rows.filter((one) => !one.troubled).map((one) => summaryOf(one.row)),
    };
    if (told.size >= MOST_TOLD) told.clear();
    if (!store.isShared) told.set(key, { summary, changes, atMs });
    return summary;
  }

  async function runs(
    id: string,
    page: Page,
    requester: Requester,
  ): Promise<{ runs: TriggerRun[]; total: number; nextCursor: string | null }> {
    let triggerId = id.toLowerCase();
    const row = isUuid(id) ? await store.byId(triggerId) : await rowOf(id, requester);
    if (row) {
      const summary = summaryOf(row);
      if (!(await maySee(requester, summary))) throw new NotFoundError('trigger', id);
      triggerId = summary.triggerId;
    } else if (requester.kind !== 'operator') {
      throw new NotFoundError('trigger', id);
    }
    const after = page.cursor === undefined ? undefined : readCursor(page.cursor, newestPlace);
    const found = await ledger.list(triggerId, {
      limit: page.limit + 1,
      ...(after ? { after } : {}),
    });
    // A finished trigger is gone, its history is not.
    if (!row && found.total === 0) throw new NotFoundError('trigger', id);
    const { shown, nextCursor } = paged(found.rows, page, runPlace);
    return { runs: shown.map(({ run }) => publicRun(run)), total: found.total, nextCursor };
  }

  /** Of every trigger, also of those that are gone, newest first: for the operator. */
  async function allRuns(
    filter: RunFilter,
    page: Page,
  ): Promise<{ runs: NamedRun[]; total: number; nextCursor: string | null }> {
    const after = page.cursor === undefined ? undefined : readCursor(page.cursor, newestPlace);
    const { rows, total } = await ledger.listAll(filter, {
      limit: page.limit + 1,
      ...(after ? { after } : {}),
    });
    const { shown, nextCursor } = paged(rows, page, runPlace);
    return { runs: shown.map(({ run }) => namedRun(run)), total, nextCursor };
  }

  /**
   * One run, by its id or the beginning of it, and its trigger while there is one: for the operator.
   * @throws NotFoundError, InvalidInputError where several begin so
   */
  async function runOf(id: string): Promise<{ run: NamedRun; trigger: TriggerSummary | null }> {
    const digits = id.toLowerCase().replaceAll('-', '');
    const found = RUN_ID.test(digits) ? await ledger.beginningWith(digits) : [];
    const [run] = found;
    if (!run) throw new NotFoundError('run', id);
    if (found.length > 1) {
      throw wrongField('id', 'begins the ids of several runs');
    }
    const row = await store.byId(run.triggerId);
    return { run: namedRun(run), trigger: row && summaryOf(row) };
  }

  /**
   * When triggers run until then, soonest first: for the operator. One that runs often is cut at MOST_EACH, the
   * list at `limit`.
   */
  async function upcoming(untilMs: number, limit: number): Promise<Upcoming> {
    const { triggers, nextCursor } = await list(
      {},
      { limit, order: 'soonest' },
      { kind: 'operator' },
    );
    const coming = triggers.filter(
      ({ state, nextRunAtMs }) =>
        (state === 'active' || state === 'resting') &&
        nextRunAtMs !== null &&
        nextRunAtMs <= untilMs,
    );
    let truncated = nextCursor !== null && coming.length === triggers.length;
    const occurrences = coming.flatMap((trigger) => {
      const { triggerId, displayName, scheduleText } = trigger;
      const times = comingRuns(trigger, untilMs);
      if (times.length > MOST_EACH) truncated = true;
      return times.slice(0, MOST_EACH).map((atMs) => ({
        ...{ triggerId, displayName, atMs, scheduleText },
      }));
    });
    occurrences.sort((a, b) => a.atMs - b.atMs || a.triggerId.localeCompare(b.triggerId));
    return {
      occurrences: occurrences.slice(0, limit),
      truncated: truncated || occurrences.length > limit,
    };
  }

  /** The newest runs the requester may know of, also of triggers that are gone. */
  async function recentRuns(
    requester: Extract<Requester, { kind: 'entity' }>,
    limit: number,
  ): Promise<TriggerRun[]> {
    const rows = await ledger.recent(visibleTo(requester), limit);
    return rows.map(({ run }) => publicRun(run));
  }

  return { get, list, promptSummary, runs, allRuns, runOf, upcoming, recentRuns };
}

/** Of a run: all of its digits, or as many of the first as tables show. */
const RUN_ID = /^[0-9a-f]{8,32}$/;

/** A run as it stands among those of other triggers. */
export type NamedRun = TriggerRun & { displayName: string };

/** Runs of an early version kept no name. */
export function namedRun(run: TriggerRun): NamedRun {
  return { ...publicRun(run), displayName: run.displayName ?? `trigger ${run.triggerId}` };
}

export interface Upcoming {
  occurrences: { triggerId: string; displayName: string; atMs: number; scheduleText: string }[];
  /** There are more than are listed. */
  truncated: boolean;
}

/** Occurrences of one trigger in a list of all. */
const MOST_EACH = 24;

/** The next of them first, which may be late or put off; one more than is listed tells that there are more. */
function comingRuns(trigger: TriggerSummary, untilMs: number): number[] {
  const { nextRunAtMs, maxRuns, runCount } = trigger;
  if (nextRunAtMs === null) return [];
  const left = maxRuns === undefined ? MOST_EACH + 1 : Math.max(1, maxRuns - runCount);
  const most = Math.min(left, MOST_EACH + 1);
  const later = nextRuns(scheduleOf(trigger), nextRunAtMs, most - 1);
  return [nextRunAtMs, ...later.filter((atMs) => atMs <= untilMs)];
}

/** A run as surfaces show it: without the lease. */
export function publicRun(run: TriggerRun): TriggerRun {
  const { leaseOwner: _o, leaseToken: _t, leaseUntilMs: _u, type: _type, ...shown } = run;
  return shown as TriggerRun;
}

/** Of rows that were read with one more than the page holds, which tells whether there is a next page. */
function paged<Row>(rows: Row[], { limit }: Page, place: (last: Row) => object) {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, nextCursor: last ? writeCursor(place(last)) : null };
}

const runPlace = ({ createdAtMs, run }: RunRow) => ({ createdAtMs, id: run.triggerRunId });
const rowPlace = ({ createdAtMs, id }: TriggerTaskRow) => ({ createdAtMs, id });

const soonestPlace = z.strictObject({
  /** Runs by itself; those that do not (disabled, set aside) come last. */
  runs: z.boolean(),
  nextRunAtMs: z.int().nullable(),
  id: newestPlace.shape.id,
});

function soonestOf(row: TriggerTaskRow) {
  const { state, nextRunAtMs } = summaryOf(row);
  return { runs: state === 'active' || state === 'resting', nextRunAtMs, id: row.id };
}
