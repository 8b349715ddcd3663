/**
 * WHEN_INDEX: what `/when` commands gave, and the lines of the index that bear on the message. Commands
 * of the agent's last reply stand first, whatever was shown before; commands in the message are
 * answered in its own turn. Nothing relevant is no text; an error or a slow look-up leaves it empty.
 */
import type { IAgentRuntime, Memory, Provider, ProviderResult } from '@elizaos/core';
import type { TurnMessage } from '../../proactive/index.js';
import { withTimeout } from '../../shared/async.js';
import { messageOf } from '../../shared/errors.js';
import type { Uuid } from '../../shared/ids.js';
import { givenBy, type WhenService } from '../../when/index.js';
import { proactiveServiceOf, turnMessageOf } from './proactive-turn.js';
import { listingBlock, recallBlock } from './when-text.js';
import { whenServiceOf } from './when-turn.js';

/** Before the offers, which stand right before the conversation. */
const POSITION = 80;
/** Of a whole call. */
const BUDGET_MS = 30;
/** Somebody has asked for it in so many words, and waits. */
const COMMAND_MS = 1_000;
const COMMAND = /\/(?:when|how)(?![\w-])/i;

type Result = Required<Pick<ProviderResult, 'text' | 'values' | 'data'>>;

interface Shown {
  result: Result;
  /** Entries whose lines it has. */
  lines: Uuid[];
}

const NOTHING: Result = { text: '', values: {}, data: {} };

const MOST_MESSAGES = 500;

/** What a message shows, by message, room and person: the host asks two or three times for each. */
const shown = new WeakMap<IAgentRuntime, Map<string, Promise<Shown>>>();

/** @param budgetMs 30 when absent; a message with a command in it is given a second */
export function createWhenIndexProvider(budgetMs = BUDGET_MS): Provider {
  return {
    name: 'WHEN_INDEX',
    description:
      'Knowledge of the project: what /when commands gave, and the index lines that bear on the message',
    position: POSITION,
    get: async (runtime, message) => {
      try {
        const service = whenServiceOf(runtime);
        if (!service?.configured) return NOTHING;
        const waits = isCommanding(message) || service.turns.isAwaited(message.roomId as Uuid);
        const patienceMs = waits ? Math.max(COMMAND_MS, budgetMs) : budgetMs;
        const startedMs = performance.now();
        const turn = await withTimeout(turnMessageOf(runtime, message), patienceMs);
        if (turn === null) return NOTHING;
        const leftMs = (ofMs: number) => Math.max(0, startedMs + ofMs - performance.now());
        const elsewhere = () => offeredElsewhere(runtime, turn, leftMs(budgetMs));
        const made = onceFor(runtime, turn, () => make(service, turn, elsewhere));
        const found = await withTimeout(made, leftMs(patienceMs));
        if (found === null || found.result.text === '') return NOTHING;
        service.turns.shown(turn, found.lines);
        return found.result;
      } catch (error) {
        runtime.logger.warn(
          { src: 'plugin:cue:eliza', agentId: runtime.agentId, error: messageOf(error) },
          'the when index could not be shown',
        );
        return NOTHING;
      }
    },
  };
}

export const whenIndexProvider: Provider = createWhenIndexProvider();

function isCommanding({ content }: Memory): boolean {
  return typeof content.text === 'string' && COMMAND.test(content.text);
}

/** A call that came too late for its answer leaves it to the next one for the same message. */
function onceFor(
  runtime: IAgentRuntime,
  { messageId, roomId, speakerId }: TurnMessage,
  read: () => Promise<Shown>,
): Promise<Shown> {
  const memo = shown.get(runtime) ?? new Map<string, Promise<Shown>>();
  shown.set(runtime, memo);
  const key = `${messageId} ${roomId} ${speakerId}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const made = read();
  memo.set(key, made);
  const [oldest] = memo.keys();
  if (memo.size > MOST_MESSAGES && oldest !== undefined) memo.delete(oldest);
  made.catch(() => {
    if (memo.get(key) === made) memo.delete(key);
  });
  return made;
}

/**
 * Entries that the offers of the same turn show. Their provider is asked side by side with this one,
 * and what they show is fixed by whoever asks first, so that asking here takes the turn no longer. It
 * is waited for until half of the time is over: a line said twice is better than none.
 */
async function offeredElsewhere(
  runtime: IAgentRuntime,
  turn: TurnMessage,
  budgetMs: number,
): Promise<Uuid[]> {
  const service = proactiveServiceOf(runtime);
  // With no time left, asking would fix that the turn shows none.
  if (!service?.enabled() || budgetMs <= 0) return [];
  const shownThere = await withTimeout(service.offersForTurn(turn, budgetMs), budgetMs / 2);
  return (shownThere?.offers ?? [])
    .filter(({ kind }) => kind === 'whenMatch')
    .flatMap(({ sources }) => sources.map(({ id }) => id));
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
  if (text === '') return { result: NOTHING, lines: [] };
  return {
    result: {
      text,
      values: { whenRecalled: given.length, whenLines: listed.entries.length },
      data: { sections: given.map(({ file, line, header }) => ({ file, line, header })) },
    },
    lines: listed.entries.map(({ id }) => id),
  };
}
