/** Turns of a conversation: whole ones through the host, and what the plugin adds to one. */
import {
  ChannelType,
  EventType,
  type IAgentRuntime,
  type Memory,
  type Plugin,
  type State,
  stringToUuid,
  type UUID,
} from '@elizaos/core';
import { nextTurn, series } from '../clockwork.js';
import { timed } from '../memory/watched.js';
import { statsOf } from '../stats.js';
import type { happeningsOf } from './happenings.js';

/** How often the host composes its state in a turn that takes an action. */
const COMPOSED = 3;
/** A new conversation every so many turns: a file is not offered twice in one. */
const PER_CHAT = 10;
/** Parts below this say nothing. */
const WORTH_TELLING_MS = 0.5;

export interface Chats {
  runtime: IAgentRuntime;
  /** The next message of a series: a file that has memories, small talk, something wanted, small talk. */
  message(series: string, index: number): Promise<Memory>;
}

interface TurnOptions {
  quick: boolean;
  settled: () => Promise<void>;
}

export function openChats(
  runtime: IAgentRuntime,
  {
    about,
    wants,
    smallTalk,
  }: Pick<ReturnType<typeof happeningsOf>, 'about' | 'wants' | 'smallTalk'>,
): Chats {
  const open = new Set<UUID>();
  return {
    runtime,
    async message(name, index) {
      const seed = `bench ${name} ${Math.floor(index / PER_CHAT)}`;
      const entityId = stringToUuid(`${seed} person`);
      const roomId = stringToUuid(`${seed} room`);
      if (!open.has(roomId)) {
        open.add(roomId);
        const worldId = stringToUuid(`${seed} world`);
        await runtime.ensureConnection({
          entityId,
          roomId,
          worldId,
          userName: seed,
          name: seed,
          source: 'bench',
          type: ChannelType.DM,
          channelId: roomId,
          messageServerId: worldId,
        });
      }
      const text = index % 2 === 1 ? smallTalk(index) : (isWanted(index) ? wants : about)(index);
      return {
        id: stringToUuid(`${seed} message ${index}`),
        entityId,
        roomId,
        content: { text, source: 'bench', channelType: ChannelType.DM },
      };
    },
  };
}

const isWanted = (index: number) => index % 4 === 2;

/** Milliseconds of whole turns: message in, answer out, evaluators and events done. */
export async function wholeTurns(chats: Chats, { quick, settled }: TurnOptions) {
  const { runtime } = chats;
  const values: number[] = [];
  const warmUp = quick ? 1 : 10;
  for (let index = 0; index < (quick ? 6 : 60) + warmUp; index += 1) {
    const message = await chats.message('whole', index);
    const took = await timed(async () => {
      if (!runtime.messageService) throw new Error('the host has no message service');
      await runtime.messageService.handleMessage(runtime, message, async () => []);
    });
    if (index >= warmUp) values.push(took);
    await settled();
    await nextTurn();
  }
  return values;
}

/**
 * What the parts of the plugin take of a turn, without the host's: its whole turns vary by more
 * than this. `behind`: what is written after the turn.
 */
export async function addedTo(chats: Chats, parts: Plugin, { quick, settled }: TurnOptions) {
  const { runtime } = chats;
  const messages: Memory[] = [];
  const times = quick ? 6 : 100;
  const warmUp = 4;
  for (let index = 0; index < times + warmUp; index += 1) {
    messages.push(await chats.message('added', index));
  }
  const behind: number[] = [];
  const state: State = { values: {}, data: {}, text: '' };
  const providers = (parts.providers ?? []).filter((one) => !one.dynamic && !one.private);
  const took = new Map<string, number[]>();
  const spent = async (part: string, work: () => Promise<unknown>) => {
    const ms = await timed(work);
    took.set(part, [...(took.get(part) ?? []), ms]);
  };
  const emit = async (name: EventType, message: Memory, more: object) => {
    const payload = { runtime, source: 'bench', ...runOf(message), ...more };
    for (const handler of handlersOf(parts, name)) await spent(name, () => handler(payload));
  };
  const added = await series(
    async (index) => {
      const message = messages[index];
      if (!message) throw new Error('more turns than messages');
      await emit(EventType.RUN_STARTED, message, { status: 'started' });
      for (let round = 0; round < COMPOSED; round += 1) {
        const call = round === 0 ? 'first' : 'again';
        await Promise.all(
          providers.map((provider) =>
            spent(`${provider.name} ${call}`, () => provider.get(runtime, message, state)),
          ),
        );
      }
      const content = { text: 'done', actions: ['REPLY'], actionStatus: 'completed' };
      await emit(EventType.ACTION_STARTED, message, { content });
      await emit(EventType.ACTION_COMPLETED, message, { content });
      for (const { name, validate } of parts.evaluators ?? []) {
        await spent(name, () => validate(runtime, message, state));
      }
      await emit(EventType.RUN_ENDED, message, { status: 'completed' });
    },
    {
      times,
      warmUp,
      after: async () => {
        behind.push(await timed(settled));
      },
    },
  );
  // Side by side, so that each is told with what it waits for of the others.
  const split = [...took]
    .map(([part, values]) => ({ part, stats: statsOf(values) }))
    .filter(({ stats }) => stats.p95 >= WORTH_TELLING_MS)
    .map(({ part, stats }) => `${part} ${stats.median} (p95 ${stats.p95})`)
    .join(', ');
  const wanted = added.filter((_, index) => isWanted(index + warmUp));
  return { added, wanted, behind: behind.slice(warmUp), split };
}

/** As the host names a run in its events. */
function runOf({ id, entityId, roomId }: Memory) {
  return { runId: id, messageId: id, entityId, roomId, startTime: Date.now() };
}

type Handler = (payload: unknown) => Promise<void>;

/** The host types each event's payload; here they are called with what it gives all of them. */
function handlersOf({ events }: Plugin, name: EventType): Handler[] {
  const handlers: unknown = events === undefined ? [] : Reflect.get(events, name);
  return Array.isArray(handlers) ? handlers : [];
}
