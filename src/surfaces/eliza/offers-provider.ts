/**
 * CUE_OFFERS: the safe point at which the agent is shown what it did not ask for. It stands right
 * before the conversation. What a message shows is fixed by the first call that comes to it; an error,
 * a slow check or `CUE_OFFERS_ENABLED=false` leaves it empty.
 */
import type { Provider } from '@elizaos/core';
import { withTimeout } from '../../shared/async.js';
import { framedProvider } from './action-frame.js';
import { proactiveServiceOf, turnMessageOf } from './proactive-turn.js';

/** The conversation of the host is at 100, everything else of ours at 0. */
const POSITION = 90;
/** Of a whole call. */
const BUDGET_MS = 30;

/**
 * One deadline for the whole call. Who asks is found out since the run began; while that is not known,
 * nothing is said and nothing is fixed, and the next call for the message has a deadline of its own.
 *
 * @param budgetMs 30 when absent
 */
export function createOffersProvider(budgetMs = BUDGET_MS): Provider {
  return framedProvider({
    name: 'CUE_OFFERS',
    description:
      'Earlier work that bears on what is happening now: warnings of actions that failed before, the history of files, similar tasks, unfinished work',
    position: POSITION,
    failed: 'offers could not be shown',
    async show(runtime, message) {
      const service = proactiveServiceOf(runtime);
      if (!service?.enabled()) return null;
      const startedMs = performance.now();
      const turn = await withTimeout(turnMessageOf(runtime, message), budgetMs);
      if (turn === null) return null;
      const leftMs = Math.max(0, startedMs + budgetMs - performance.now());
      const { offers, text } = await service.offersForTurn(turn, leftMs);
      if (text === '') return null;
      const cueWarning = offers.some(({ kind }) => kind === 'conflictWarning');
      return {
        text,
        values: { cueOfferCount: offers.length, cueWarning },
        data: { offerIds: offers.map(({ id }) => id) },
      };
    },
  });
}
