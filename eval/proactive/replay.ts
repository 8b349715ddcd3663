/**
 * Plays a session through the real pipeline: memories are stored by the work memory service with the
 * clock set back, messages run through the host's message service, and everything else that happens
 * comes in by the hooks of the proactive service, in the same conversation.
 */
import { ChannelType, createUniqueUuid, type IAgentRuntime, type UUID } from '@elizaos/core';
import type { Caller } from '../../src/memory/index.js';
import type { Decision, Offer } from '../../src/proactive/index.js';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/clock.js';
import type { Uuid } from '../../src/shared/ids.js';
import type { Agents, ReplayAgent } from './agents.js';
import type { OfferedMemory, PlayedTurn } from './judge.js';
import { dismissOffers } from './lessons.js';
import { linksOf, type ScriptedMemory, type ScriptedSession, type ScriptedTurn } from './shape.js';

/** When sessions start: a Monday morning. */
export const START_MS = Date.UTC(2026, 2, 2, 9);

const DAY_BEFORE_MS = 24 * HOUR_MS;

/** Who talks with the agent when a turn does not say. */
const SOMEBODY = 'user';

interface Place {
  roomId: Uuid;
  entityId: Uuid;
  caller: Extract<Caller, { kind: 'entity' }>;
}

interface Stage {
  agent: ReplayAgent;
  session: ScriptedSession;
  clock: { nowMs: number };
  /** Printed id → name in the session. */
  names: Map<string, string>;
  places: Map<string, Place>;
  /** Offers judged already. */
  seen: Set<string>;
  /** Newest offer of a memory. */
  offerOf: Map<string, string>;
}

/**
 * @param dismissed offers of each kind that were not wanted, before the session
 * @throws InvalidInputError for a memory that the store does not take
 */
export async function replay(
  agents: Agents,
  session: ScriptedSession,
  dismissed = 0,
): Promise<PlayedTurn[]> {
  const clock = { nowMs: START_MS };
  const agent = await agents.boot(
    `replay ${session.id}`,
    { now: () => clock.nowMs },
    session.config === undefined ? {} : { CUE_DETECTORS: JSON.stringify(session.config) },
  );
  const stage: Stage = {
    agent,
    session,
    clock,
    names: new Map(),
    places: new Map(),
    seen: new Set(),
    offerOf: new Map(),
  };
  try {
    clock.nowMs = START_MS - DAY_BEFORE_MS;
    await dismissOffers(agent, clock, dismissed);
    await openPlaces(stage);
    await storeMemories(stage);
    const played: PlayedTurn[] = [];
    for (const [index, turn] of session.turns.entries()) {
      clock.nowMs += turn.after;
      played.push(await play(stage, turn, index));
    }
    return played;
  } finally {
    await agent.stop();
  }
}

/**
 * Every conversation is under way before anything can be offered: a session of it that starts with a
 * turn of its own (`session_start`) starts there and not with the first message.
 */
async function openPlaces(stage: Stage): Promise<void> {
  const { agent, session, clock } = stage;
  clock.nowMs = START_MS - MINUTE_MS;
  const people = session.memories.flatMap(({ privateTo }) => privateTo ?? []);
  for (const { person = SOMEBODY, room } of [
    ...session.turns,
    ...people.map((person) => ({ person, room: undefined })),
  ]) {
    const key = placeKey(person, room);
    if (stage.places.has(key)) continue;
    const place = await connect(agent.runtime, person, room);
    stage.places.set(key, place);
    await send(stage, place, 'hello', `hello ${key}`);
  }
  // What the greeting sets off has ended before there is anything to find.
  await agent.proactive.settled();
  agent.providerMs.length = 0;
}

async function connect(
  runtime: IAgentRuntime,
  person: string,
  room: string | undefined,
): Promise<Place> {
  const id = (text: string) => createUniqueUuid(runtime, text);
  const entityId = id(`person ${person}`);
  const roomId = id(room === undefined ? `private ${person}` : `room ${room}`);
  await runtime.ensureConnection({
    entityId,
    roomId,
    worldId: id('world'),
    userName: person,
    name: person,
    source: 'replay',
    type: room === undefined ? ChannelType.DM : ChannelType.GROUP,
    channelId: roomId,
    messageServerId: id('world'),
  });
  // In company the agent speaks for nobody, as the provider does.
  const reader = room === undefined ? entityId : runtime.agentId;
  return {
    roomId: roomId as Uuid,
    entityId: entityId as Uuid,
    caller: {
      kind: 'entity',
      entityId: reader as Uuid,
      roomId: roomId as Uuid,
      private: room === undefined,
    },
  };
}

/** Oldest first; links afterwards, because work may wait for what was begun later. */
async function storeMemories(stage: Stage): Promise<void> {
  const { agent, session, clock, names } = stage;
  const printed = new Map<string, string>();
  const identities = new Map<string, Caller>();
  for (const memory of [...session.memories].sort((a, b) => b.ageMs - a.ageMs)) {
    clock.nowMs = START_MS - memory.ageMs;
    const caller = await callerOf(stage, memory, identities);
    const { links: _links, ...draft } = memory.draft;
    const stored = await agent.memory.store(draft, {
      ...caller,
      ...(memory.session === undefined ? {} : { sessionId: memory.session }),
    });
    printed.set(memory.id, stored.memory_id);
    names.set(stored.memory_id, memory.id);
  }
  clock.nowMs = START_MS;
  for (const { source, target, type } of session.memories.flatMap(linksOf)) {
    const request = { source: printed.get(source), target: printed.get(target), link_type: type };
    await agent.memory.link(request, { kind: 'operator' });
  }
}

async function callerOf(
  { agent, places }: Stage,
  { by, privateTo }: ScriptedMemory,
  identities: Map<string, Caller>,
): Promise<Caller> {
  if (privateTo !== undefined) {
    const place = places.get(placeKey(privateTo, undefined));
    if (place) return place.caller;
  }
  // The Eliza agent's own.
  if (by === undefined) return { kind: 'operator' };
  const known = identities.get(by);
  if (known) return known;
  const request = { action: 'register', name: by };
  const { agent_id: identityId } = await agent.memory.identity(request, { kind: 'agent' });
  const caller: Caller = { kind: 'agent', identityId };
  identities.set(by, caller);
  return caller;
}

async function play(stage: Stage, turn: ScriptedTurn, index: number): Promise<PlayedTurn> {
  const { agent, session } = stage;
  const place = stage.places.get(placeKey(turn.person ?? SOMEBODY, turn.room));
  if (!place) throw new Error(`${session.id}: turn ${index + 1} happens nowhere`);
  const [already] = agent.proactive.decisions(1);
  const { offers, ms } = await happen(stage, turn, place, index);
  await agent.proactive.settled();
  const caller = place.caller;
  const open = await agent.proactive.openOffers(place.roomId, caller);
  const fresh = [...offers, ...open].filter(({ id }) => !stage.seen.has(id));
  const made = [...new Map(fresh.map((offer) => [offer.id, offer])).values()];
  const standing = offers.filter(({ id }) => stage.seen.has(id));
  for (const offer of made) {
    stage.seen.add(offer.id);
    for (const { memoryId } of offer.sources) stage.offerOf.set(nameIn(stage, memoryId), offer.id);
  }
  const noted = newDecisions(agent.proactive.decisions(), already);
  await answer(stage, turn, caller);
  return {
    offered: made.flatMap((offer) => memoriesOf(stage, offer)),
    standing: standing.flatMap((offer) => memoriesOf(stage, offer)),
    tokens: made.reduce((sum, { tokens }) => sum + tokens, 0),
    ms,
    late: made.filter(({ id }) => !offers.some((offer) => offer.id === id)).length,
    suppressed: new Map(
      noted.flatMap(({ suppressed }) =>
        suppressed.map(
          ({ memoryId, detector, reason }) =>
            [nameIn(stage, memoryId), `${detector}: ${reason}`] as const,
        ),
      ),
    ),
    asked: noted.flatMap(({ detectors }) =>
      detectors.map(({ name, ms: took, evidence, error }) => ({
        detector: name,
        ms: took,
        said: error ?? evidence.join(', '),
      })),
    ),
  };
}

/** Those noted since that one; the service keeps the last 200. */
function newDecisions(all: readonly Decision[], last: Decision | undefined): Decision[] {
  const known = last === undefined ? -1 : all.indexOf(last);
  return known < 0 ? [...all] : all.slice(0, known);
}

/** Lets the turn's happening happen. @returns the offers it answers with, and the time it took */
async function happen(
  stage: Stage,
  turn: ScriptedTurn,
  place: Place,
  index: number,
): Promise<{ offers: Offer[]; ms: number | null }> {
  const { agent, session } = stage;
  const { proactive, memory } = agent;
  if (turn.message !== undefined) {
    return send(stage, place, turn.message, `${session.id} ${index}`, turn.attachments);
  }
  const sessionId = memory.sessionOf(place.roomId);
  if (turn.agent !== undefined) {
    const { roomId, caller } = place;
    proactive.onAgentActivity({ roomId, caller, sessionId, text: turn.agent, files: [] });
    return { offers: [], ms: null };
  }
  const startedMs = performance.now();
  const occasion = {
    roomId: place.roomId,
    // A session that starts is one that nobody has seen yet.
    sessionId: turn.kind === 'session_start' ? `${session.id} ${index}` : sessionId,
    agentId: agent.runtime.agentId,
  };
  const said: unknown = turn[turn.kind];
  const { offers } = await proactive.happen(
    { type: turn.kind, ...occasion, ...(said as object) },
    place.caller,
  );
  return { offers, ms: performance.now() - startedMs };
}

/** A message through the host's pipeline; the provider fixes what its turn shows. */
async function send(
  { agent, clock }: Stage,
  { roomId, entityId, caller }: Place,
  text: string,
  seed: string,
  attachments: readonly string[] = [],
): Promise<{ offers: Offer[]; ms: number | null }> {
  const { runtime, proactive, providerMs } = agent;
  providerMs.length = 0;
  const messageId = createUniqueUuid(runtime, seed);
  const service = runtime.messageService;
  if (!service) throw new Error('the host has no message service');
  await service.handleMessage(runtime, {
    id: messageId,
    entityId: entityId as UUID,
    agentId: runtime.agentId,
    roomId: roomId as UUID,
    createdAt: clock.nowMs,
    content: {
      text,
      source: 'replay',
      ...(attachments.length === 0
        ? {}
        : { attachments: attachments.map((url, n) => ({ id: `${seed} ${n}`, url, title: url })) }),
    },
  });
  // Fixed by the provider: the same answer for every call with the message's id.
  const { offers } = await proactive.offersForTurn({
    messageId: messageId as Uuid,
    roomId,
    caller,
    text,
    attachments,
  });
  return { offers, ms: providerMs[0] ?? null };
}

async function answer({ agent, offerOf }: Stage, turn: ScriptedTurn, caller: Caller) {
  for (const what of ['acknowledge', 'dismiss'] as const) {
    const memory = turn[what];
    const offer = memory === undefined ? undefined : offerOf.get(memory);
    if (offer !== undefined) await agent.proactive[what](offer, caller);
  }
}

function memoriesOf(stage: Stage, { kind, sources }: Offer): OfferedMemory[] {
  return sources
    .filter(({ quoted }) => quoted !== true)
    .map(({ memoryId, reasons }) => ({
      memory: nameIn(stage, memoryId),
      detector: kind,
      reasons,
    }));
}

function nameIn({ names }: Stage, memoryId: string): string {
  return names.get(memoryId) ?? memoryId;
}

function placeKey(person: string, room: string | undefined): string {
  return room === undefined ? `private ${person}` : `room ${room} ${person}`;
}
