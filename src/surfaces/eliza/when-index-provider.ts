/**
 * WHEN_INDEX: what `/when` commands gave, and the lines of the index that bear on the message. Commands
 * of the agent's last reply stand first, whatever was shown before; commands in the message are
 * answered in its own turn. Nothing relevant is no text; an error or a slow look-up leaves it empty.
 */
import type { IAgentRuntime, Memory, Provider, ProviderResult } from '@elizaos/core';
import type { TurnMessage } from '../../proactive/index.js';
import { messageOf } from '../../shared/errors.js';
import { pathsIn } from '../../shared/path-mentions.js';
import type { Match, WhenService } from '../../when/index.js';
import { memoryServiceOf } from './memory-turn.js';
import { forThisTurn } from './own-commands.js';
import { turnMessageOf } from './proactive-turn.js';
import { type Asked, listingBlock, recallBlock } from './when-text.js';
import { whenServiceOf } from './when-turn.js';
import { isEntryToWrite } from './when-words.js';
import { within } from './within.js';

/** Before the offers, which stand right before the conversation. */
const POSITION = 80;
/** Of a whole call. */
const BUDGET_MS = 30;
/** Somebody has asked for it in so many words, and waits. */
const COMMAND_MS = 1_000;
const COMMAND = /\/(?:when|how)(?![\w-])/i;
const MOST_LINES = 4;
/** Words about nothing bring up nothing. */
const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 2_000;
const MOST_MESSAGES = 500;

type Shown = Required<Pick<ProviderResult, 'text' | 'values' | 'data'>>;

const NOTHING: Shown = { text: '', values: {}, data: {} };

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
        const patienceMs = isCommanding(message) ? Math.max(COMMAND_MS, budgetMs) : budgetMs;
        const startedMs = performance.now();
        const turn = await within(turnMessageOf(runtime, message), patienceMs);
        if (turn === null) return NOTHING;
        const leftMs = Math.max(0, startedMs + patienceMs - performance.now());
        return (await within(onceFor(runtime, service, turn), leftMs)) ?? NOTHING;
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
function onceFor(runtime: IAgentRuntime, service: WhenService, turn: TurnMessage): Promise<Shown> {
  const memo = shown.get(runtime) ?? new Map<string, Promise<Shown>>();
  shown.set(runtime, memo);
  const key = `${turn.messageId} ${turn.roomId} ${turn.speakerId}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const made = make(runtime, service, turn);
  memo.set(key, made);
  const [oldest] = memo.keys();
  if (memo.size > MOST_MESSAGES && oldest !== undefined) memo.delete(oldest);
  made.catch(() => {
    if (memo.get(key) === made) memo.delete(key);
  });
  return made;
}

async function make(
  runtime: IAgentRuntime,
  service: WhenService,
  turn: TurnMessage,
): Promise<Shown> {
  const { text, caller } = turn;
  const nowMs = memoryServiceOf(runtime)?.now();
  const own = nowMs === undefined ? [] : await forThisTurn(runtime, turn, nowMs);
  const asked: Asked[] = own.map((recall) => ({ by: 'agent', recall }));
  // An entry that is to be written is no question.
  const said = isEntryToWrite(text) ? null : await service.find(text, caller);
  if (said !== null) asked.push({ by: 'message', recall: said });
  const recalled = recallBlock(asked);
  // Who names what they want is not told what else there is: the answer leads on by itself.
  const listed = said === null ? await listing(service, text, asked) : listingBlock([]);
  if (recalled === '' && listed.text === '') return NOTHING;
  return {
    text: [recalled, listed.text].filter((part) => part !== '').join('\n\n'),
    values: { whenRecalled: givenBy(asked).length, whenLines: listed.count },
    data: { sections: givenBy(asked).map(({ file, line, header }) => ({ file, line, header })) },
  };
}

async function listing(
  service: WhenService,
  said: string,
  asked: readonly Asked[],
): Promise<{ text: string; count: number }> {
  const text = said.trim().slice(0, MAX_CHARACTERS);
  if (text.length < MIN_CHARACTERS) return listingBlock([]);
  const given = givenBy(asked);
  const files = pathsIn(said);
  const found = await service.relevant({ text, files }, MOST_LINES + given.length, 'listing');
  // An entry has the file as the index names it: `agents/decisions/testing.md`.
  const others = found.filter(
    (one) => !given.some(({ file, header }) => header === one.header && one.file.endsWith(file)),
  );
  return listingBlock(others.slice(0, MOST_LINES));
}

function givenBy(asked: readonly Asked[]): Match[] {
  return asked
    .flatMap(({ recall }) => recall.results)
    .flatMap(({ found, matches: [best] }) =>
      found === 'none' || best === undefined ? [] : [best],
    );
}
