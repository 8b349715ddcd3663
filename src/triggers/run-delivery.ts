/** Bringing an answer where it belongs: noted before it is sent, so that a crash between is seen. */
import type { Clock } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import { SENDING_MS } from './ledger/index.js';
import type { AutonomyPort } from './ports.js';
import type { TriggerRun } from './schema.js';

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
