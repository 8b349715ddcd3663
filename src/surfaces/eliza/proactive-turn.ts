/**
 * Who is shown an offer, and where. An offer comes unasked, so in company the agent speaks for
 * nobody (`discreet`); inside a scheduled run the creator of the trigger is meant. The host asks a
 * provider two or three times per message, and who asks is found out once.
 */
import type { IAgentRuntime, Memory } from '@elizaos/core';
import { autonomousRoom } from '../../autonomy/index.js';
import { serviceOf } from '../../host/index.js';
import type { Caller } from '../../memory/index.js';
import { type DetectorName, ProactiveService, type TurnMessage } from '../../proactive/index.js';
import { databaseOf, messagesOf } from '../../records/index.js';
import { withTimeout } from '../../shared/async.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { discreet, type EntityCaller } from '../people.js';
import { callerOf, memoryServiceOf } from './memory-turn.js';
import { createPerMessage } from './per-message.js';
import { requesterOf, saidText } from './turn.js';

/** Of a pasted message only so much is looked at, characters. */
const MAX_TEXT = 16_384;
const MAX_ATTACHMENTS = 20;
const MAX_KEPT = 500;

interface Memo {
  byRoom: Map<string, EntityCaller>;
  /** When the last run of a room ended, in the host's time. */
  endedMs: Map<string, number>;
  /** Answers of the agent that were told, by the message they answer. */
  told: Map<string, Set<string>>;
}
const memos = new WeakMap<IAgentRuntime, Memo>();
const shown = createPerMessage<EntityCaller>();

export function proactiveServiceOf(runtime: IAgentRuntime): ProactiveService | null {
  return serviceOf(runtime, ProactiveService);
}

/** What the service is told of a message; `null`: the agent's own, or nothing can be said of it. */
export async function turnMessageOf(
  runtime: IAgentRuntime,
  message: Memory,
): Promise<TurnMessage | null> {
  if (message.id === undefined || message.entityId === runtime.agentId) return null;
  const caller = await shownTo(runtime, message);
  if (caller === null) return null;
  keep(memoOf(runtime).byRoom, message.roomId, caller);
  const { run, requester } = requesterOf(runtime, message);
  return {
    messageId: message.id,
    roomId: message.roomId,
    caller,
    sessionId: caller.sessionId,
    text: saidText(message, run).slice(0, MAX_TEXT),
    attachments: attachmentsOf(message),
    speakerId: requester.entityId as Uuid,
    scheduled: run !== null,
  };
}

/**
 * What the offers of a kind in the same turn were made of. Their provider is asked side by side with ours, and
 * what they show is fixed by whoever asks first, so that asking here takes the turn no longer. It is waited
 * for until half of the time is over: a line said twice is better than none.
 */
export async function offeredElsewhere(
  runtime: IAgentRuntime,
  kind: DetectorName,
  budgetMs: number,
  turnOf: () => Promise<TurnMessage | null>,
): Promise<Uuid[]> {
  const service = proactiveServiceOf(runtime);
  // With no time left, asking would fix that the turn shows none. Timers count whole milliseconds.
  if (!service?.enabled() || budgetMs < 1) return [];
  const turn = await turnOf();
  if (turn === null) return [];
  const shown = await withTimeout(service.offersForTurn(turn, budgetMs), budgetMs / 2);
  return (shown?.offers ?? [])
    .filter((offer) => offer.kind === kind)
    .flatMap(({ sources }) => sources.map(({ id }) => id));
}

async function shownTo(runtime: IAgentRuntime, message: Memory): Promise<EntityCaller | null> {
  const memory = memoryServiceOf(runtime);
  if (!memory) return null;
  return shown.of(runtime, message, memory.now(), async () =>
    discreet(await callerOf(runtime, memory, message), runtime.agentId),
  );
}

/**
 * A run begins: finds out who asks while the host stores the message, because the first call of the
 * provider is the one before the agent plans. Not for runs of triggers, whose message says for whom.
 */
export function expectMessage(
  runtime: IAgentRuntime,
  { messageId, roomId, entityId }: { messageId: Uuid; roomId: Uuid; entityId: Uuid },
): void {
  if (entityId === runtime.agentId || entityId === autonomousRoom(runtime).entityId) return;
  shownTo(runtime, { id: messageId, roomId, entityId, content: {} }).catch(() => {
    // Read again by whoever needs it.
  });
}

/** For whom the agent works in a room at the moment: who was answered there last. */
export function workingFor(runtime: IAgentRuntime, roomId: string): Caller {
  return memoOf(runtime).byRoom.get(roomId) ?? { kind: 'agent' };
}

/**
 * A run is over: what the agent does in the room next is for somebody else.
 *
 * @returns when the run before it ended, epoch ms of the host, if that is known
 */
export function workEnded(
  runtime: IAgentRuntime,
  roomId: string,
  atMs: number,
): number | undefined {
  const { byRoom, endedMs } = memoOf(runtime);
  const before = endedMs.get(roomId);
  byRoom.delete(roomId);
  keep(endedMs, roomId, atMs);
  return before;
}

/** Whether an answer of the agent is told for the first time: the event and the evaluator both tell it. */
export function isFirstTelling(runtime: IAgentRuntime, messageId: string, text: string): boolean {
  const { told } = memoOf(runtime);
  const texts = told.get(messageId) ?? new Set();
  keep(told, messageId, texts);
  if (texts.has(text)) return false;
  texts.add(text);
  return true;
}

function memoOf(runtime: IAgentRuntime): Memo {
  const memo = memos.get(runtime) ?? {
    byRoom: new Map(),
    endedMs: new Map(),
    told: new Map(),
  };
  memos.set(runtime, memo);
  return memo;
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
}

/** Titles and addresses, and ids that are names; clients leave any of them out. */
function attachmentsOf(message: Memory): string[] {
  const listed: unknown = message.content.attachments;
  if (!Array.isArray(listed)) return [];
  const names = listed.slice(0, MAX_ATTACHMENTS).flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null) return [];
    const { title, url, id } = one as Record<string, unknown>;
    return [title, url, isUuid(id) ? undefined : id];
  });
  return names.filter(
    (name): name is string => typeof name === 'string' && name !== '' && name.length <= 2_048,
  );
}

type Fields = Record<string, unknown>;

const NEWEST_REPLIES = 3;

/** Thought and text of the agent's newest messages in a room since then, oldest first, without talk about memories. */
export async function agentWords(
  runtime: IAgentRuntime,
  roomId: string,
  sinceMs: number,
  ownActions: ReadonlySet<string>,
): Promise<string[]> {
  const { agentId } = runtime;
  const contents = await messagesOf(
    databaseOf(runtime),
    { agentId, entityId: agentId, roomId },
    { sinceMs, limit: NEWEST_REPLIES },
  );
  return contents
    .map(objectOf)
    .filter((content) => !isOwn(content, ownActions))
    .map(({ thought, text }) => [textOf(thought), textOf(text)].join('\n').trim())
    .filter((text) => text !== '');
}

/** Whether an action of this plugin answered: talking about memories is no work. */
export function isOwn(content: Fields, ownActions: ReadonlySet<string>): boolean {
  const { actions } = content;
  return Array.isArray(actions) && actions.some((name) => ownActions.has(String(name)));
}

/** The fields of what may be an object; none of anything else. */
export function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
