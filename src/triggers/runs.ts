/**
 * Carries out claimed runs: begun → answered → delivered → recorded. Every step is stored before the next
 * begins and fenced by the lease, so that a process that dies at any of them is continued by another one
 * without losing or repeating what was said (DESIGN §4–5).
 */
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { derivedId, isUuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Budget } from './budget.js';
import { type Ledger, SENDING_MS } from './ledger.js';
import { retryAt, runLine, turnText, wakesWithCycle } from './plan.js';
import type { TriggerConfig, TriggerRun, TriggerWakeMode } from './schema.js';
import type { TaskStore } from './store.js';
import { decodeTrigger } from './task-codec.js';

export interface InjectionRequest {
  text: string;
  source: 'trigger';
  triggerId: string;
  triggerRunId: string;
  wakeMode: TriggerWakeMode;
  originRoomId?: string;
  creatorEntityId?: string;
  displayName?: string;
  timeoutMs?: number;
  /** Asked when its turn in the room has come: the text as it is now, or `null`: leave it. */
  confirm?: () => Promise<string | null>;
}

export interface InjectionResult {
  status: 'success' | 'failed';
  messageId: string;
  responseId?: string;
  roomId: string;
  responded: boolean;
  text: string;
  thought?: string;
  actions: { name: string; success: boolean; text?: string; error?: string }[];
  error?: string;
  late?: Promise<InjectionResult>;
}

export interface DeliveryAttempt {
  triggerRunId: string;
  roomId: string;
  source?: string;
  text: string;
  thought?: string;
  wasSending: boolean;
  attempts: number;
}

export interface DeliveryResult {
  state: 'pending' | 'delivered' | 'unknown' | 'failed';
  messageId: string;
  error?: string;
  retryAfterMs?: number;
}

/** The autonomous rooms, as far as a run needs them. */
export interface AutonomyPort {
  /** Why nothing can run now, `null` when it can. */
  unavailable(): Promise<string | null>;
  /** What a `next_autonomy_cycle` run waits for, in words. */
  cycleReason(): Promise<string>;
  inject(request: InjectionRequest): Promise<InjectionResult>;
  /** An answer stored by a process that died before it could record it. */
  storedAnswer(triggerRunId: string): Promise<{ text: string; responseId: string } | null>;
  /** Whether an answer that may have arrived before a crash is to be sent again. */
  resendsUnknown(): boolean;
  /** Removes what old runs have left in the host's tables; called once an hour. */
  tidy(nowMs: number): Promise<void>;
  /** The clock was set back: what waits for a time that lies far ahead now must not. */
  clockSetBack(): Promise<void>;
  deliver(attempt: DeliveryAttempt, onSending: () => Promise<void>): Promise<DeliveryResult>;
}

/** Steps of a dispatch, in order; a test can stop the process exactly there. */
export const DISPATCH_STEPS = ['claimed', 'injected', 'answered', 'delivered', 'recorded'] as const;
export type DispatchStep = (typeof DISPATCH_STEPS)[number];
export type StepObserver = (step: DispatchStep, triggerRunId: string) => void | Promise<void>;

export interface RunEndDeps {
  ledger: Ledger;
  clock: Clock;
  log: Log;
  onStep?: StepObserver;
  /** Brings the trigger's task in line with a run that has ended or will be retried. */
  settle: (taskId: string) => Promise<unknown>;
}

/** A run that may be carried out here, with the token of its lease and its trigger as it is now. */
export interface ReadyRun {
  run: TriggerRun;
  token: string;
  trigger: TriggerConfig;
}

/** What a run whose lease is given up says of it. */
const NO_LEASE = { leaseToken: null, leaseOwner: null, leaseUntilMs: null };

export interface RunEnd {
  /** Ends it as `patch` says. `null`: the lease was lost, another process has it. */
  end(
    run: TriggerRun,
    token: string,
    patch: Partial<TriggerRun>,
    name?: string,
  ): Promise<TriggerRun | null>;
  /** Gives up the lease: it waits, and nothing of it has begun. */
  defer(
    ready: ReadyRun,
    waitsFor: NonNullable<TriggerRun['waitsFor']>,
    reason: string,
  ): Promise<void>;
  /** Ends it as failed, or lets it wait for its retry. */
  finishFailed(ready: ReadyRun, error: string, mayRetry?: boolean): Promise<void>;
}

export function createRunEnd(deps: RunEndDeps): RunEnd {
  const { ledger, clock, log } = deps;

  async function end(
    run: TriggerRun,
    token: string,
    patch: Partial<TriggerRun>,
    name = 'trigger',
  ): Promise<TriggerRun | null> {
    const nowMs = clock.now();
    const ended = await ledger.change(
      run.triggerRunId,
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
      log.warn(
        { triggerRunId: run.triggerRunId, triggerId: run.triggerId },
        'lease lost before the run was recorded; another process has it',
      );
      return null;
    }
    await deps.onStep?.('recorded', run.triggerRunId);
    await deps.settle(run.taskId);
    return ended;
  }

  async function defer(
    { run, token }: ReadyRun,
    waitsFor: NonNullable<TriggerRun['waitsFor']>,
    reason: string,
  ): Promise<void> {
    await ledger.change(run.triggerRunId, token, {
      status: 'deferred',
      waitsFor,
      reason,
      begunAtMs: null,
      ...NO_LEASE,
    });
  }

  async function finishFailed(ready: ReadyRun, error: string, mayRetry = true): Promise<void> {
    const { run, token, trigger } = ready;
    const nowMs = clock.now();
    const retryAtMs =
      mayRetry && run.cause !== 'manual' ? retryAt(run.attempt, nowMs, trigger.nextRunAtMs) : null;
    log.warn(
      {
        triggerId: run.triggerId,
        triggerRunId: run.triggerRunId,
        attempt: run.attempt,
        retryAtMs,
        error,
      },
      'trigger run failed',
    );
    if (retryAtMs === null) {
      await end(run, token, { status: 'failed', error }, trigger.displayName);
      return;
    }
    const waiting = await ledger.change(
      run.triggerRunId,
      token,
      {
        status: 'failed',
        error,
        retryAtMs,
        finishedAt: nowMs,
        latencyMs: nowMs - run.startedAt,
        ...NO_LEASE,
      },
      runLine(trigger.displayName, 'failed', error),
    );
    if (waiting) await deps.settle(run.taskId);
  }

  return { end, defer, finishFailed };
}

export type Delivery = NonNullable<TriggerRun['delivery']>;

/**
 * One attempt; what has become of the delivery.
 * @param record writes that it is about to be sent, fenced; `false` when another process has taken the
 *   run or its delivery meanwhile, and nothing may be sent from here
 */
export type AttemptDelivery = (
  run: TriggerRun,
  record: (sending: Delivery) => Promise<boolean>,
  thought?: string,
) => Promise<Delivery>;

export function createDelivering(deps: {
  autonomy: AutonomyPort;
  clock: Clock;
  log: Log;
}): AttemptDelivery {
  const { autonomy, clock, log } = deps;

  async function attemptDelivery(
    run: TriggerRun,
    record: (sending: Delivery) => Promise<boolean>,
    thought?: string,
  ): Promise<Delivery> {
    const before = run.delivery ?? { state: 'pending' as const };
    const attempts = before.attempts ?? 0;
    const base = {
      ...before,
      attempts: attempts + 1,
    };
    const outcome = await autonomy.deliver(
      {
        triggerRunId: run.triggerRunId,
        roomId: before.roomId ?? '',
        ...(before.source === undefined ? {} : { source: before.source }),
        text: run.answer ?? '',
        ...(thought === undefined ? {} : { thought }),
        wasSending: before.state === 'delivering' || before.state === 'unknown',
        attempts,
      },
      async () => {
        const ours = await record({
          ...before,
          state: 'delivering',
          // Until then nobody else takes "delivering" for a crash.
          nextAttemptAtMs: clock.now() + SENDING_MS,
        });
        if (!ours) throw new Error('another process has taken it over');
      },
    );
    const nowMs = clock.now();
    const { error: _old, nextAttemptAtMs: _next, ...kept } = base;
    if (outcome.state !== 'delivered') {
      log.warn(
        {
          triggerRunId: run.triggerRunId,
          roomId: before.roomId,
          state: outcome.state,
          error: outcome.error,
        },
        'answer not delivered',
      );
    }
    return {
      ...kept,
      state: outcome.state,
      messageId: outcome.messageId,
      ...(outcome.state === 'delivered' ? { deliveredAt: nowMs } : {}),
      ...(outcome.error === undefined ? {} : { error: outcome.error }),
      ...(outcome.retryAfterMs === undefined
        ? {}
        : { nextAttemptAtMs: nowMs + outcome.retryAfterMs }),
    };
  }

  return attemptDelivery;
}

type Answer = Pick<InjectionResult, 'responded' | 'text' | 'actions'> & Partial<InjectionResult>;

export interface AnswerDeps {
  ledger: Ledger;
  autonomy: AutonomyPort;
  end: RunEnd['end'];
  attemptDelivery: AttemptDelivery;
  onStep?: StepObserver;
}

export function createAnswering(deps: AnswerDeps) {
  const { ledger, autonomy, end, attemptDelivery } = deps;

  /** Stores the answer, delivers it, records the end. */
  async function finishAnswered(
    ready: ReadyRun,
    result: Answer,
    delivered?: { by: string },
  ): Promise<void> {
    const { run, token, trigger } = ready;
    const target = trigger.deliverTo;
    const speaks = result.responded && result.text !== '';
    let delivery: Delivery = run.delivery ?? { state: 'none' };
    if (run.delivery === undefined && speaks && target && !delivered) {
      delivery = {
        state: 'pending',
        roomId: target.roomId,
        ...(target.source === undefined ? {} : { source: target.source }),
        attempts: 0,
      };
    }
    const answered = await ledger.change(run.triggerRunId, token, {
      responded: result.responded,
      answer: result.text,
      actions: result.actions,
      ...(result.messageId === undefined ? {} : { messageId: result.messageId }),
      ...(result.responseId === undefined ? {} : { responseId: result.responseId }),
      ...(result.roomId === undefined ? {} : { roomId: result.roomId }),
      delivery,
      ...(delivered ? { reason: `answered together with run ${delivered.by}` } : {}),
    });
    if (!answered) return;
    await deps.onStep?.('answered', run.triggerRunId);
    if (delivery.state === 'pending' || delivery.state === 'delivering') {
      delivery = await attemptDelivery(
        answered,
        async (sending) =>
          (await ledger.change(run.triggerRunId, token, { delivery: sending })) !== null,
        result.thought,
      );
      await deps.onStep?.('delivered', run.triggerRunId);
    }
    await end(run, token, { status: 'success', delivery }, trigger.displayName);
  }

  /** What an earlier process had already got from the model, or `null`. */
  async function earlierAnswer(
    run: TriggerRun,
  ): Promise<{ result: Answer; delivered?: { by: string } } | null> {
    const actions = run.actions ?? [];
    if (run.answer !== undefined) {
      const responded = run.responded ?? run.answer !== '';
      return { result: { responded, text: run.answer, actions } };
    }
    // Set, if only to 0, by who takes a run over.
    if (run.takeovers === undefined) return null;
    const own = await autonomy.storedAnswer(run.triggerRunId);
    if (own) return { result: { ...own, responded: true, actions } };
    if (!run.together) return null;
    const { id, lead } = run.together;
    const shared = await autonomy.storedAnswer(id);
    if (!shared) return null;
    const result = { ...shared, responded: true, actions };
    return lead === run.triggerRunId ? { result } : { result, delivered: { by: lead } };
  }

  return { finishAnswered, earlierAnswer };
}

/** A run that has taken its process down this often is not tried again. */
const MAX_TAKEOVERS = 5;

export interface RunnerDeps extends RunEndDeps {
  store: TaskStore;
  autonomy: AutonomyPort;
  budget: Budget;
  /** Kill switches: why nothing is dispatched, or `null`. */
  stopped: () => string | null;
}

export interface Runner {
  /**
   * Runs it to the end of this attempt. The caller holds the lease in `run.leaseToken`. One that is to
   * wake with the autonomy loop waits for its next cycle.
   */
  execute(run: TriggerRun): Promise<void>;
  /** The waiting runs of one conversation in one turn of the autonomy loop. */
  executeTogether(runs: TriggerRun[]): Promise<void>;
  /**
   * One more attempt to bring a finished run's answer where it belongs. The caller holds the ticket
   * in `run.delivery`.
   */
  redeliver(run: TriggerRun): Promise<void>;
}

export function createRunner(deps: RunnerDeps): Runner {
  const { store, ledger, autonomy, budget, clock, log } = deps;
  const { end, defer, finishFailed } = createRunEnd(deps);
  const attemptDelivery = createDelivering(deps);
  const { finishAnswered, earlierAnswer } = createAnswering({ ...deps, end, attemptDelivery });

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
      else
        await end(run, token, {
          status: 'skipped',
          reason: 'the trigger was paused before it ran',
        });
    }
    const off = wanted.length === 0 ? null : (deps.stopped() ?? (await autonomy.unavailable()));
    if (off !== null) {
      for (const one of wanted) await defer(one, 'autonomy', off);
      return [];
    }
    const ours: ReadyRun[] = [];
    for (const one of wanted) {
      const lead = (ours[0] ?? one).run.triggerRunId;
      // Noted on each before the turn begins, so that who takes one of them over does not repeat what
      // was said for all. The lease is renewed with it: the turn begins with a whole one.
      const begun = await ledger.change(one.run.triggerRunId, one.token, {
        leaseUntilMs: clock.now() + ledger.leaseMs,
        begunAtMs: clock.now(),
        ...(waiting.length > 1 ? { together: { id: turnId, lead } } : {}),
      });
      if (begun) ours.push({ ...one, run: begun });
    }
    if (ours.length === 0) return [];
    const refusal = await budget.begin(
      ours.map(({ run }) => run.triggerRunId),
      clock.now(),
      ours.some(({ run }) => run.cause === 'manual'),
    );
    if (refusal === null) return ours;
    for (const one of ours) await defer(one, 'budget', refusal);
    return [];
  }

  /** One turn of the pipeline for these runs; the first of those that begin leads, its answer is delivered. */
  async function takeTurn(waiting: readonly ReadyRun[], turnId: string): Promise<void> {
    const [first] = waiting;
    if (!first) return;
    let turn = waiting;
    let result: InjectionResult;
    try {
      result = await autonomy.inject({
        ...requestOf(first),
        triggerRunId: turnId,
        text: turnText(waiting),
        confirm: async () => {
          turn = await begin(waiting, turnId);
          return turn.length === 0 ? null : turnText(turn);
        },
      });
    } catch (error) {
      for (const one of turn) await brokenOff(one, error);
      return;
    }
    const [lead] = turn;
    for (const one of turn) {
      keepLate(one.run, result.late);
      try {
        if (result.status === 'failed') await finishFailed(one, result.error ?? 'failed');
        else if (one === lead) await finishAnswered(one, result);
        else await finishAnswered(one, result, { by: lead?.run.triggerRunId ?? turnId });
      } catch (error) {
        await brokenOff(one, error);
      }
    }
  }

  /** What could not be recorded now is so by its retry; if that cannot be either, the lease runs out. */
  async function brokenOff(ready: ReadyRun, error: unknown): Promise<void> {
    const { triggerRunId } = ready.run;
    log.error({ triggerRunId, error: messageOf(error) }, 'run broke off');
    await finishFailed(ready, messageOf(error));
  }

  function keepLate(run: TriggerRun, late: Promise<InjectionResult> | undefined): void {
    late?.then(
      (result) =>
        ledger
          .annotate(run.triggerRunId, { lateAnswer: result.text || (result.error ?? '') })
          .catch((error: unknown) =>
            log.error(
              { triggerRunId: run.triggerRunId, error: messageOf(error) },
              'late answer lost',
            ),
          ),
      (error: unknown) =>
        log.error({ triggerRunId: run.triggerRunId, error: messageOf(error) }, 'late run failed'),
    );
  }

  function requestOf({ trigger, run }: ReadyRun) {
    return {
      source: 'trigger' as const,
      triggerId: run.triggerId,
      wakeMode: trigger.wakeMode,
      displayName: trigger.displayName,
      ...(trigger.originRoomId === undefined ? {} : { originRoomId: trigger.originRoomId }),
      ...(trigger.creatorEntityId === undefined
        ? {}
        : { creatorEntityId: trigger.creatorEntityId }),
      ...(trigger.timeoutMs === undefined ? {} : { timeoutMs: trigger.timeoutMs }),
    };
  }

  return {
    async execute(run) {
      await deps.onStep?.('claimed', run.triggerRunId);
      const ready = await withTrigger(run);
      if (!ready) return;
      try {
        const earlier = await earlierAnswer(run);
        if (earlier) {
          await finishAnswered(ready, earlier.result, earlier.delivered);
          return;
        }
      } catch (error) {
        await brokenOff(ready, error);
        return;
      }
      if ((run.takeovers ?? 0) > MAX_TAKEOVERS) {
        await finishFailed(
          ready,
          `the agent's process ended ${run.takeovers} times during this run`,
          false,
        );
      } else if (wakesWithCycle(ready.trigger, run)) {
        await defer(ready, 'cycle', await autonomy.cycleReason());
      } else {
        await takeTurn([ready], run.triggerRunId);
      }
    },

    async executeTogether(runs) {
      const ready: ReadyRun[] = [];
      for (const run of runs) {
        await deps.onStep?.('claimed', run.triggerRunId);
        const one = await withTrigger(run);
        if (one) ready.push(one);
      }
      const [first] = ready;
      if (!first) return;
      const { triggerRunId } = first.run;
      const isShared = ready.length > 1;
      await takeTurn(
        ready,
        isShared ? derivedId('together', triggerRunId, clock.now()) : triggerRunId,
      );
    },

    async redeliver(run) {
      const ticket = run.delivery?.ticket;
      if (ticket === undefined) return;
      const { ticket: _used, ...delivery } = await attemptDelivery(run, (sending) =>
        ledger.changeDelivery(run.triggerRunId, ticket, sending),
      );
      const kept = await ledger.changeDelivery(run.triggerRunId, ticket, delivery);
      if (kept && delivery.state === 'delivered')
        await deps.onStep?.('delivered', run.triggerRunId);
    },
  };
}

export interface UnderWayDeps {
  runner: Runner;
  ledger: Ledger;
  budget: Pick<Budget, 'letGo'>;
  clock: Clock;
  log: Log;
  owner: string;
}

export interface UnderWay {
  /** Carries out a run that is ours; resolves when it has ended, and never rejects. */
  begin(run: TriggerRun): Promise<void>;
  /** The same for several in one turn. */
  beginTogether(runs: TriggerRun[]): Promise<void>;
  /** Delivers the answer of a run whose delivery is ours. */
  redeliver(run: TriggerRun): void;
  /** The run's promise, if it is under way here. */
  of(triggerRunId: string): Promise<void> | null;
  /** Whether its delivery is. */
  isDelivering(triggerRunId: string): boolean;
  all(): Promise<void>[];
  /** Renews no more; what is under way goes on. */
  stop(): void;
}

export function createUnderWay(deps: UnderWayDeps): UnderWay {
  const { runner, ledger, clock, log } = deps;
  const inFlight = new Map<string, Promise<void>>();
  let renewTimer: NodeJS.Timeout | null = null;

  /** Keeps the work under these ids until it has ended. */
  function keep(ids: string[], work: Promise<void>): Promise<void> {
    const kept = work.finally(() => {
      for (const id of ids) {
        inFlight.delete(id);
        deps.budget.letGo(id);
      }
      if (inFlight.size === 0) stopRenewing();
    });
    for (const id of ids) inFlight.set(id, kept);
    return kept;
  }

  function start(runs: TriggerRun[], work: Promise<void>): Promise<void> {
    renewTimer ??= setTimeout(renew, ledger.leaseMs / 3).unref();
    const recorded = work.catch((error: unknown) => {
      // The leases run out and the runs are taken over; nothing is lost, but somebody should look.
      for (const { triggerRunId, triggerId } of runs) {
        log.error(
          { triggerRunId, triggerId, error: messageOf(error) },
          'run could not be recorded',
        );
      }
    });
    return keep(
      runs.map((run) => run.triggerRunId),
      recorded,
    );
  }

  function renew(): void {
    const timer = renewTimer;
    const ids = [...inFlight.keys()].filter(isUuid);
    ledger
      .renew(deps.owner, ids, clock.now())
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
    begin: (run) => start([run], runner.execute(run)),
    beginTogether: (runs) => start(runs, runner.executeTogether(runs)),

    redeliver(run) {
      const work = runner.redeliver(run).catch((error: unknown) => {
        log.error(
          { triggerRunId: run.triggerRunId, error: messageOf(error) },
          'delivery broke off',
        );
      });
      void keep([deliveryOf(run.triggerRunId)], work);
    },

    of: (triggerRunId) => inFlight.get(triggerRunId) ?? null,
    isDelivering: (triggerRunId) => inFlight.has(deliveryOf(triggerRunId)),
    all: () => [...inFlight.values()],
    stop: stopRenewing,
  };
}

function deliveryOf(triggerRunId: string): string {
  return `${triggerRunId}:delivery`;
}
