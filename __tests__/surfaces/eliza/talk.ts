/** A conversation with the agent through the host's own pipeline, with a planner told what to choose. */
import {
  ChannelType,
  type Content,
  type IAgentRuntime,
  type Memory,
  Role,
  stringToUuid,
  type UUID,
} from '@elizaos/core';
import { type Agent, type BootOptions, boot } from '../../helpers/boot.js';
import { plan } from '../../helpers/scripted-model.js';

/** Friday 27 November 2026, 09:00 in Berlin. */
export const FRIDAY_9 = Date.parse('2026-11-27T08:00:00Z');

export interface Seat {
  entityId: UUID;
  roomId: UUID;
}

export interface Talk {
  agent: Agent;
  runtime: IAgentRuntime;
  clock: { ms: number };
  /** What the agent answers when the planner chooses `actions` for this message. */
  say(
    seat: Seat,
    text: string,
    actions: string,
    more?: Partial<Memory>,
    /** What becomes of each answer, as a server would store it. */
    answered?: (content: Content) => Promise<void>,
  ): Promise<string>;
  /** A person in a room of their own. */
  alone(name: string): Promise<Seat>;
  /** A person in the group room of a world. */
  inGroup(name: string, group: string): Promise<Seat>;
  /** What the model says in words with its plans from now on; nothing at first. */
  answers(text: string): void;
  /** What the planner answers inside scheduled runs; "done" at first. */
  inRuns(plan: string): void;
  /** Prompts the planner has seen since the last call. */
  prompts(): string[];
}

/** Autonomous rooms hold the instruction of the run; chats never do. */
function isRun(prompt: string): boolean {
  return prompt.includes('The time has come: do this now.');
}

export async function startTalk(options: BootOptions = {}): Promise<Talk> {
  const clock = { ms: FRIDAY_9 };
  const agent = await boot({
    ...options,
    cue: { clock: { now: () => clock.ms }, ...options.cue },
    settings: { CUE_TIMEZONE: 'Europe/Berlin', ...options.settings },
  });
  const { runtime, brain } = agent;
  let count = 0;
  let runPlan = plan('done');
  let words = '';
  const seats = async (name: string, room: string, world: string, type: ChannelType) => {
    const seat = { entityId: stringToUuid(`user-${name}`), roomId: stringToUuid(`room-${room}`) };
    await runtime.ensureConnection({
      ...seat,
      worldId: stringToUuid(`world-${world}`),
      userName: name,
      name,
      source: 'test',
      type,
      channelId: seat.roomId,
      messageServerId: stringToUuid(`world-${world}`),
    });
    return seat;
  };
  return {
    agent,
    runtime,
    clock,
    alone: (name) => seats(name, name, name, ChannelType.DM),
    inGroup: (name, group) => seats(name, group, `of-${group}`, ChannelType.GROUP),
    async say(seat, text, actions, more = {}, answered = async () => {}) {
      const chosen = plan(words, actions);
      brain.onLarge = (prompt) => (isRun(prompt) ? runPlan : chosen);
      const said: string[] = [];
      count += 1;
      const message: Memory = {
        id: stringToUuid(`message-${count}`),
        ...seat,
        content: { text, source: 'test' },
        ...more,
      };
      await runtime.messageService?.handleMessage(runtime, message, async (content: Content) => {
        said.push(content.text ?? '');
        await answered(content);
        return [];
      });
      return said.join('\n');
    },
    answers(text) {
      words = text;
    },
    inRuns(next) {
      runPlan = next;
    },
    prompts() {
      const seen = brain.calls.filter((call) => call.type === 'large').map((call) => call.prompt);
      brain.calls.length = 0;
      return seen;
    },
  };
}

/** In the world of the room they sit in, which becomes one of more than direct chats. */
export async function makeAdmin(runtime: IAgentRuntime, { entityId, roomId }: Seat): Promise<void> {
  const room = await runtime.getRoom(roomId);
  const world = await runtime.getWorld(room!.worldId!);
  const hall = stringToUuid(`hall-of-${world!.id}`);
  await runtime.ensureRoomExists({
    ...{ id: hall, name: 'hall', source: 'test', type: ChannelType.GROUP },
    ...{ channelId: hall, messageServerId: world!.id, worldId: world!.id },
  });
  const roles = { ...world!.metadata?.roles, [entityId]: Role.ADMIN };
  await runtime.updateWorld({ ...world!, metadata: { ...world!.metadata, roles } });
}
