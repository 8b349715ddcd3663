/**
 * WHEN_INDEX: what `/when` commands gave, and the lines of the index that bear on the message. Commands
 * of the agent's last reply stand first, whatever was shown before; commands in the message are
 * answered in its own turn. Nothing relevant is no text; an error or a slow look-up leaves it empty.
 */
import type { Provider } from '@elizaos/core';
import type { TurnMessage } from '../../proactive/index.js';
import { withTimeout } from '../../shared/async.js';
import type { Uuid } from '../../shared/ids.js';
import { givenBy, type WhenService } from '../../when/index.js';
import { framedProvider } from './action-frame.js';
import { createPerMessage } from './per-message.js';
import { offeredElsewhere, turnMessageOf } from './proactive-turn.js';
import { listingBlock, recallBlock } from './when-text.js';
import { whenServiceOf } from './when-turn.js';

/** Before the offers, which stand right before the conversation. */
const POSITION = 80;
/** Of a whole call. */
const BUDGET_MS = 30;
/** Somebody has asked for it in so many words, and waits. */
const COMMAND_MS = 1_000;
const COMMAND = /\/(?:when|how)(?![\w-])/i;

interface Shown {
  text: string;
  values: Record<string, number>;
  data: { sections: object[] };
  /** Entries whose lines it has. */
  lines: Uuid[];
}

/** The host asks two or three times for a message; a call that came too late leaves its answer to the next one. */
const made = createPerMessage<Shown>();

/** @param budgetMs 30 when absent; a message with a command in it is given a second */
export function createWhenIndexProvider(budgetMs = BUDGET_MS): Provider {
  return framedProvider({
    name: 'WHEN_INDEX',
    description:
      'Knowledge of the project: what /when commands gave, and the index lines that bear on the message',
    position: POSITION,
    failed: 'the when index could not be shown',
    async show(runtime, message) {
      const service = whenServiceOf(runtime);
      if (!service?.configured) return null;
      const { text: said } = message.content;
      const isCommand = typeof said === 'string' && COMMAND.test(said);
      const waits = isCommand || service.turns.isAwaited(message.roomId as Uuid);
      const patienceMs = waits ? Math.max(COMMAND_MS, budgetMs) : budgetMs;
      const startedMs = performance.now();
      const turn = await withTimeout(turnMessageOf(runtime, message), patienceMs);
      if (turn === null) return null;
      const leftMs = (ofMs: number) => Math.max(0, startedMs + ofMs - performance.now());
      const elsewhere = () =>
        offeredElsewhere(runtime, 'whenMatch', leftMs(budgetMs), async () => turn);
      const { messageId: id, roomId, speakerId } = turn;
      const asked = { id, roomId, entityId: speakerId ?? message.entityId };
      // What a message shows does not change with time.
      const making = made.of(runtime, asked, 0, () => make(service, turn, elsewhere));
      const found = await withTimeout(making, leftMs(patienceMs));
      if (found === null || found.text === '') return null;
      const { lines, ...shown } = found;
      service.turns.shown(turn, lines);
      return shown;
    },
  });
}

async function make(
  service: WhenService,
  turn: TurnMessage,
  elsewhere: () => Promise<Uuid[]>,
): Promise<Shown> {
  const { commanded, lines } = await service.turns.knowledge(turn, elsewhere);
  const given = givenBy(commanded);
  const listed = listingBlock(lines);
  const text = [recallBlock(commanded), listed.text].filter((part) => part !== '').join('\n\n');
  return {
    text,
    values: { whenRecalled: given.length, whenLines: listed.entries.length },
    data: { sections: given.map(({ file, line, header }) => ({ file, line, header })) },
    lines: listed.entries.map(({ id }) => id),
  };
}
