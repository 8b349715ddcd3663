/** The runs and deliveries under way in this process, and the leases renewed while they last. */
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { isUuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Budget } from './budget.js';
import type { Ledger } from './ledger/index.js';
import type { Runner } from './run.js';
import type { TriggerRun } from './schema.js';

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
