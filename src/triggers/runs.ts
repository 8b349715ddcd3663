/**
 * Carries out claimed runs: begun → answered → delivered → recorded. Every step is stored before the next
 * begins and fenced by the lease, so that a process that dies at any of them is continued by another one
 * without losing or repeating what was said (DESIGN §4–5).
 */
import { addCalls, type ModelCalls, type RunDescriptor } from '../host/index.js';
import { messageOf } from '../shared/errors.js';
import { derivedId, isUuid } from '../shared/ids.js';
import { SENDING_MS } from './ledger.js';
import type { Parts } from './parts.js';
import { retryAt, runLine, turnText, wakesWithCycle } from './plan.js';
import type { TriggerConfig, TriggerRun } from './schema.js';
import { decodeTrigger } from './task-codec.js';

/** A run that has taken its process down this often is not tried again. */
const MAX_TAKEOVERS = 5;
/** What a run whose lease is given up says of it. */
const NO_LEASE = { leaseToken: null, leaseOwner: null, leaseUntilMs: null };

export type RunDeps = Parts & {
  /** Brings the trigger's task in line with a run that has ended or will be retried. */
  applyRunResult: (taskId: string) => Promise<unknown>;
};

/** A run whose lease is ours, with its trigger as it was read before; `null`: it could not be read. */
export interface ClaimedRun {
  run: TriggerRun;
  trigger: TriggerConfig | null;
}

/** A run that may be carried out here, with the token of its lease and its trigger as it is now. */
interface ReadyRun {
  run: TriggerRun;
  token: string;
  trigger: TriggerConfig;
}

type Delivery = NonNullable<TriggerRun['delivery']>;
type Answer = Pick<RunDescriptor, 'responded' | 'text' | 'actions'> & Partial<RunDescriptor>;

/** The runs and deliveries in flight in this process. */
export type Runs = ReturnType<typeof createRuns>;

export function createRuns(deps: RunDeps) {
  const { store, ledger, autonomy, budget, clock, log } = deps;

  /** Ends the run as `patch` says, unless the lease was lost: another process has it then. */
  async function end(run: TriggerRun, token: string, patch: Partial<TriggerRun>, name = 'trigger') {
    const nowMs = clock.now();
    const { triggerRunId, triggerId } = run;
    const ended = await ledger.change(
      triggerRunId,
      token,
      {
        ...patch,
        open: false,
        finishedAt: nowMs,
        latencyMs: nowMs - run.startedAt,
        ...NO_LEASE,
      },
      runLine(name, String(patch.status), patch.reason ?? patch.error),
    );
    if (!ended) {
      const message = 'lease lost before the run was recorded; another process has it';
      log.warn({ triggerRunId, triggerId }, message);
      return;
    }
    await deps.onStep?.('recorded', triggerRunId);
    await deps.applyRunResult(run.taskId);
  }

  /** Gives up the lease of a run of which nothing has begun. */
  async function defer(
    { run, token }: ReadyRun,
    waitsFor: NonNullable<TriggerRun['waitsFor']>,
    reason: string,
  ): Promise<void> {
    const patch = { status: 'deferred', waitsFor, reason, begunAtMs: null, ...NO_LEASE };
    await ledger.change(run.triggerRunId, token, patch);
  }

  /** Ends the run as failed, or lets it wait for its retry. */
  async function fail(
    ready: ReadyRun,
    error: string,
    { mayRetry = true, modelCalls }: { mayRetry?: boolean; modelCalls?: ModelCalls[] } = {},
  ): Promise<void> {
    const { run, token, trigger } = ready;
    const { triggerId, triggerRunId, attempt } = run;
    const nowMs = clock.now();
    const retryAtMs =
      mayRetry && run.cause !== 'manual' ? retryAt(attempt, nowMs, trigger.nextRunAtMs) : null;
    log.warn({ triggerId, triggerRunId, attempt, retryAtMs, error }, 'trigger run failed');
    if (retryAtMs === null) {
      await end(run, token, { status: 'failed', error, modelCalls }, trigger.displayName);
      return;
    }
    const times = { retryAtMs, finishedAt: nowMs, latencyMs: nowMs - run.startedAt };
    const waiting = await ledger.change(
      triggerRunId,
      token,
      { status: 'failed', error, modelCalls, ...times, ...NO_LEASE },
      runLine(trigger.displayName, 'failed', error),
    );
    if (waiting) await deps.applyRunResult(run.taskId);
  }

  /** What could not be recorded now is recorded by its retry; if that fails too, the lease runs out. */
  async function breakOff(ready: ReadyRun, error: unknown): Promise<void> {
    const { triggerRunId } = ready.run;
    log.error({ triggerRunId, error: messageOf(error) }, 'run broke off');
    await fail(ready, messageOf(error));
  }

  /** What an earlier process had already got from the model, or `null`. */
  async function earlierAnswer(
    run: TriggerRun,
  ): Promise<{ result: Answer; answeredBy?: string } | null> {
    const actions = run.actions ?? [];
    if (run.answer !== undefined) {
      const responded = run.responded ?? run.answer !== '';
      return { result: { responded, text: run.answer, actions } };
    }
    // Set, if only to 0, by the process that takes a run over.
    if (run.takeovers === undefined) return null;
    const own = await autonomy.storedAnswer(run.triggerRunId);
    if (own) return { result: { ...own, responded: true, actions } };
    if (!run.together) return null;
    const { id, lead } = run.together;
    const shared = await autonomy.storedAnswer(id);
    if (!shared) return null;
    const result = { ...shared, responded: true, actions };
    return lead === run.triggerRunId ? { result } : { result, answeredBy: lead };
  }

  /** Stores the answer, delivers it, records the end. `answeredBy`: the run that delivers it for all. */
  async function finish(
    { run, token, trigger }: ReadyRun,
    result: Answer,
    answeredBy?: string,
  ): Promise<void> {
    const { triggerRunId } = run;
    const target = trigger.deliverTo;
    const speaks = result.responded && result.text !== '' && answeredBy === undefined;
    let delivery: Delivery =
      run.delivery ??
      (speaks && target ? { state: 'pending', ...target, attempts: 0 } : { state: 'none' });
    const { responded, text, actions, messageId, responseId, roomId, thought } = result;
    const reason = answeredBy && `answered together with run ${answeredBy}`;
    const { modelCalls } = result;
    const patch = { responded, answer: text, actions, messageId, responseId, roomId, reason };
    const answered = await ledger.change(triggerRunId, token, { ...patch, modelCalls, delivery });
    if (!answered) return;
    await deps.onStep?.('answered', triggerRunId);
    if (delivery.state === 'pending' || delivery.state === 'delivering') {
      const note = async (sending: Delivery) =>
        (await ledger.change(triggerRunId, token, { delivery: sending })) !== null;
      delivery = await attemptDelivery(answered, note, thought);
      await deps.onStep?.('delivered', triggerRunId);
    }
    await end(run, token, { status: 'success', delivery }, trigger.displayName);
  }

  /**
   * One attempt; what has become of the delivery. It is noted before it is sent, so that a crash between
   * is seen.
   * @param note writes that it is about to be sent, fenced; `false` when another process has taken the
   *   run or its delivery meanwhile, and nothing may be sent from here
   */
  async function attemptDelivery(
    run: TriggerRun,
    note: (sending: Delivery) => Promise<boolean>,
    thought?: string,
  ): Promise<Delivery> {
    const { triggerRunId } = run;
    const before: Delivery = run.delivery ?? { state: 'pending' };
    const { error: _old, nextAttemptAtMs: _next, attempts = 0, ...kept } = before;
    const sent = await autonomy.deliver(
      {
        triggerRunId,
        roomId: before.roomId ?? '',
        source: before.source,
        text: run.answer ?? '',
        thought,
        wasSending: before.state === 'delivering' || before.state === 'unknown',
        attempts,
      },
      async () => {
        // Until then no other process takes "delivering" for a crash.
        const nextAttemptAtMs = clock.now() + SENDING_MS;
        if (!(await note({ ...before, state: 'delivering', nextAttemptAtMs }))) {
          throw new Error('another process has taken it over');
        }
      },
    );
    const nowMs = clock.now();
    const { state, messageId, error, retryAfterMs } = sent;
    if (state !== 'delivered') {
      log.warn({ triggerRunId, roomId: before.roomId, state, error }, 'answer not delivered');
    }
    return {
      ...kept,
      attempts: attempts + 1,
      state,
      messageId,
      error,
      ...(state === 'delivered' ? { deliveredAt: nowMs } : {}),
      ...(retryAfterMs === undefined ? {} : { nextAttemptAtMs: nowMs + retryAfterMs }),
    };
  }

  async function deliverAgain(run: TriggerRun): Promise<void> {
    const { triggerRunId } = run;
    const ticket = run.delivery?.ticket;
    if (ticket === undefined) return;
    const { ticket: _used, ...delivery } = await attemptDelivery(run, (sending) =>
      ledger.changeDelivery(triggerRunId, ticket, sending),
    );
    const kept = await ledger.changeDelivery(triggerRunId, ticket, delivery);
    if (kept && delivery.state === 'delivered') await deps.onStep?.('delivered', triggerRunId);
  }

  /** The run with its trigger as it is now; a run whose trigger is gone ends. */
  async function withTrigger(run: TriggerRun): Promise<ReadyRun | null> {
    const token = run.leaseToken;
    if (token === undefined) return null;
    const row = await store.byId(run.taskId);
    const decoded = row ? decodeTrigger(row.metadata) : null;
    if (decoded?.ok) return { run, token, trigger: decoded.trigger };
    const reason = decoded ? decoded.reason : 'the trigger was deleted before it ran';
    await end(run, token, { status: 'skipped', reason });
    return null;
  }

  /** Nothing is read for a run whose trigger is at hand: reading would change the order of places. */
  async function ready({ run, trigger }: ClaimedRun): Promise<ReadyRun | null> {
    await deps.onStep?.('claimed', run.triggerRunId);
    const token = run.leaseToken;
    return trigger && token !== undefined ? { run, token, trigger } : withTrigger(run);
  }

  /**
   * Asked when the turn has come, at the last moment before the model: which of its runs are still
   * wanted and ours. The others end here, or wait for what holds them back.
   */
  async function begin(waiting: readonly ReadyRun[], turnId: string): Promise<ReadyRun[]> {
    const wanted: ReadyRun[] = [];
    for (const { run, token } of waiting) {
      const now = await withTrigger(run);
      if (!now) continue;
      if (now.trigger.enabled || run.cause === 'manual') wanted.push(now);
      else {
        const reason = 'the trigger was paused before it ran';
        await end(run, token, { status: 'skipped', reason });
      }
    }
    const off = wanted.length === 0 ? null : (deps.stopped() ?? (await autonomy.unavailable()));
    if (off !== null) {
      for (const one of wanted) await defer(one, 'autonomy', off);
      return [];
    }
    const ours: ReadyRun[] = [];
    for (const one of wanted) {
      const lead = (ours[0] ?? one).run.triggerRunId;
      const nowMs = clock.now();
      // Noted on each before the turn begins, so that the process that takes one of them over does not
      // repeat what was said for all. The lease is renewed with it: the turn begins with a whole one.
      const begun = await ledger.change(one.run.triggerRunId, one.token, {
        leaseUntilMs: nowMs + ledger.leaseMs,
        begunAtMs: nowMs,
        ...(waiting.length > 1 ? { together: { id: turnId, lead } } : {}),
      });
      if (begun) ours.push({ ...one, run: begun });
    }
    if (ours.length === 0) return [];
    const isAsked = ours.some(({ run }) => run.cause === 'manual');
    const refusal = await budget.begin(clock.now(), isAsked);
    if (refusal === null) return ours;
    for (const one of ours) await defer(one, 'budget', refusal);
    return [];
  }

  /** One turn of the pipeline for these runs; the first that begins leads, its answer is delivered. */
  async function takeTurn(waiting: readonly ReadyRun[], turnId: string): Promise<void> {
    const [first] = waiting;
    if (!first) return;
    const { wakeMode, displayName, originRoomId, creatorEntityId, timeoutMs } = first.trigger;
    let turn = waiting;
    let result: RunDescriptor;
    try {
      result = await autonomy.inject({
        source: 'trigger',
        triggerId: first.run.triggerId,
        triggerRunId: turnId,
        wakeMode,
        displayName,
        originRoomId,
        creatorEntityId,
        timeoutMs,
        text: turnText(waiting),
        confirm: async () => {
          turn = await begin(waiting, turnId);
          return turn.length === 0 ? null : turnText(turn);
        },
      });
    } catch (error) {
      for (const one of turn) await breakOff(one, error);
      return;
    }
    const [lead] = turn;
    for (const one of turn) {
      keepLate(one.run, result.late);
      try {
        const { modelCalls: _ofAll, ...shared } = result;
        const modelCalls = one === lead ? allCalls(one.run, result) : undefined;
        if (result.status === 'failed') await fail(one, result.error ?? 'failed', { modelCalls });
        else if (one === lead) await finish(one, { ...shared, modelCalls });
        else await finish(one, shared, lead?.run.triggerRunId ?? turnId);
      } catch (error) {
        await breakOff(one, error);
      }
    }
  }

  /** With those of earlier attempts; nothing where none is known. */
  function allCalls(run: TriggerRun, { modelCalls = [] }: RunDescriptor): ModelCalls[] | undefined {
    const all: ModelCalls[] = structuredClone(run.modelCalls ?? []);
    for (const calls of modelCalls) addCalls(all, calls);
    return all.length === 0 ? undefined : all;
  }

  function keepLate({ triggerRunId }: TriggerRun, late: Promise<RunDescriptor> | undefined) {
    late
      ?.then((result) =>
        ledger.annotate(triggerRunId, { lateAnswer: result.text || (result.error ?? '') }),
      )
      .catch((error: unknown) =>
        log.error({ triggerRunId, error: messageOf(error) }, 'late answer lost'),
      );
  }

  /** Whether it needs a turn: what has its answer ends here, and what waits for the loop goes on waiting. */
  async function needsTurn(one: ReadyRun, inCycle: boolean): Promise<boolean> {
    const { run, trigger } = one;
    try {
      const earlier = await earlierAnswer(run);
      if (earlier) {
        await finish(one, earlier.result, earlier.answeredBy);
        return false;
      }
    } catch (error) {
      await breakOff(one, error);
      return false;
    }
    if ((run.takeovers ?? 0) > MAX_TAKEOVERS) {
      const error = `the agent's process ended ${run.takeovers} times during this run`;
      await fail(one, error, { mayRetry: false });
      return false;
    }
    if (inCycle || !wakesWithCycle(trigger, run)) return true;
    await defer(one, 'cycle', await autonomy.cycleReason());
    return false;
  }

  async function execute(claimed: readonly ClaimedRun[], inCycle: boolean): Promise<void> {
    const turn: ReadyRun[] = [];
    for (const each of claimed) {
      const one = await ready(each);
      if (one && (await needsTurn(one, inCycle))) turn.push(one);
    }
    const id = turn[0]?.run.triggerRunId ?? '';
    await takeTurn(turn, turn.length > 1 ? derivedId('together', id, clock.now()) : id);
  }

  const inFlight = new Map<string, Promise<void>>();
  let renewTimer: NodeJS.Timeout | null = null;

  /** Keeps the work under these ids until it has ended. */
  function keep(ids: string[], work: Promise<void>): Promise<void> {
    const kept = work.finally(() => {
      for (const id of ids) inFlight.delete(id);
      if (inFlight.size === 0) stopRenewing();
    });
    for (const id of ids) inFlight.set(id, kept);
    return kept;
  }

  function track(claimed: ClaimedRun[], work: Promise<void>): Promise<void> {
    renewTimer ??= setTimeout(renew, ledger.leaseMs / 3).unref();
    const recorded = work.catch((error: unknown) => {
      // The leases run out and the runs are taken over; nothing is lost, but somebody should look.
      for (const { run } of claimed) {
        const { triggerRunId, triggerId } = run;
        const fields = { triggerRunId, triggerId, error: messageOf(error) };
        log.error(fields, 'run could not be recorded');
      }
    });
    return keep(
      claimed.map(({ run }) => run.triggerRunId),
      recorded,
    );
  }

  function renew(): void {
    const timer = renewTimer;
    ledger
      .renew(deps.owner, [...inFlight.keys()].filter(isUuid), clock.now())
      .then(
        () => ledger.leaseMs / 3,
        (error: unknown) => {
          log.error({ error: messageOf(error) }, 'leases could not be renewed');
          // Again soon: there is time for several tries before they run out.
          return ledger.leaseMs / 15;
        },
      )
      .then((waitMs) => {
        // Stopped meanwhile, and perhaps begun anew.
        if (renewTimer === timer) renewTimer = setTimeout(renew, waitMs).unref();
      })
      .catch(() => {});
  }

  function stopRenewing(): void {
    if (renewTimer !== null) clearTimeout(renewTimer);
    renewTimer = null;
  }

  return {
    /**
     * Carries out runs to the end of this attempt; resolves when that has ended, and never rejects. Several
     * share one turn. Runs take their places in the queue of their room in the order of these calls. What is
     * to wake with the autonomy loop waits for its next cycle, unless this is it.
     */
    start: (claimed: ClaimedRun[], inCycle = false): Promise<void> =>
      track(claimed, execute(claimed, inCycle)),
    /** One more attempt to deliver the answer of an ended run; we hold the ticket in `run.delivery`. */
    redeliver(run: TriggerRun): void {
      const { triggerRunId } = run;
      const work = deliverAgain(run).catch((error: unknown) => {
        log.error({ triggerRunId, error: messageOf(error) }, 'delivery broke off');
      });
      void keep([deliveryOf(triggerRunId)], work);
    },
    /** The run's promise, if it is in flight here. */
    inFlight: (triggerRunId: string): Promise<void> | null => inFlight.get(triggerRunId) ?? null,
    isDelivering: (triggerRunId: string) => inFlight.has(deliveryOf(triggerRunId)),
    all: () => [...inFlight.values()],
    /** Stops renewing leases; what is in flight goes on. */
    stop: stopRenewing,
  };
}

function deliveryOf(triggerRunId: string): string {
  return `${triggerRunId}:delivery`;
}
