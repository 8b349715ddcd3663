/** The answer of a run: found again after a crash, stored, delivered, recorded. */
import type { Ledger } from './ledger/index.js';
import type { AutonomyPort, InjectionResult, StepObserver } from './ports.js';
import type { AttemptDelivery, Delivery } from './run-delivery.js';
import type { ReadyRun, RunEnd } from './run-end.js';
import type { TriggerRun } from './schema.js';

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
