/**
 * `GET /cue/stream`: what changes, as it changes, for whoever watches the whole agent; `/cue/offers/stream`,
 * `/cue/events`: what is offered as it comes, and what happens elsewhere.
 */
import type { IAgentRuntime, Route } from '@elizaos/core';
import { z } from 'zod';
import { flag, forWhom, healthOf, memoryOf, offersOf, triggersOf } from '../../operations/index.js';
import { AppError, messageOf, wrongField } from '../../shared/errors.js';
import { parsed } from '../../shared/findings.js';
import { isUuid, randomIds } from '../../shared/ids.js';
import { defined } from '../../shared/json.js';
import { isAgentItself, type Person, personIn } from '../people.js';
import type { EventStream, ServerEvent } from './event-stream.js';
import { anyObject, OPERATOR } from './operation-routes.js';
import type { MakeRoute } from './route.js';

const TYPES = ['run', 'trigger', 'offer', 'memory', 'health'] as const;
type EventType = (typeof TYPES)[number];

const MAX_STREAMS = 100;
/** Events that a client which was cut off is given afterwards. */
const KEPT = 1_000;
/** Of one look: what is more than this is read anew faster than told. */
const MOST_AT_ONCE = 200;
const LOOK_MS = 1_000;
/** After what happens here, so that what belongs to it is told together. */
const SOON_MS = 50;
/** Its statements read more than those of a look. */
const HEALTH_EVERY = 3;
/** How long is listened on without a client, so that one that comes again misses nothing. */
const LINGER_MS = 30_000;

const query = z.strictObject({
  types: z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .pipe(z.array(z.enum(TYPES, { error: `must be some of ${TYPES.join(', ')}` })))
    .optional(),
});

interface Kept {
  number: number;
  type: EventType;
  data: object;
}

interface Client {
  types: ReadonlySet<EventType>;
  send: (event: ServerEvent) => void;
}

/** What an agent's clients are told of it; it looks only while there are any. */
const feeds = new WeakMap<IAgentRuntime, Feed>();

export function liveRoutes(route: MakeRoute): Route[] {
  return [
    ...offerRoutes(route),
    route({
      type: 'GET',
      path: '/stream',
      query,
      handle: async ({ runtime, query: { types = TYPES }, headers }) => {
        const feed = feeds.get(runtime) ?? createFeed(runtime);
        feeds.set(runtime, feed);
        const stream = await feed.streamOf(new Set(types), headers['last-event-id']);
        return { status: 200, body: stream };
      },
    }),
  ];
}

type Feed = ReturnType<typeof createFeed>;

function createFeed(runtime: IAgentRuntime) {
  const clients = new Set<Client>();
  let kept: Kept[] = [];
  let last = 0;
  let epoch = '';
  let watch: Watch | null = null;
  let leaving: NodeJS.Timeout | undefined;

  const idOf = (number: number) => `${epoch}-${number}`;

  function send(client: Client, event: ServerEvent): void {
    try {
      client.send(event);
    } catch {
      // It has gone, or was too slow.
      clients.delete(client);
    }
  }

  function tell(type: EventType, data: object): void {
    last += 1;
    kept.push({ number: last, type, data });
    if (kept.length > KEPT) kept = kept.slice(-KEPT);
    for (const client of [...clients]) {
      if (client.types.has(type)) send(client, { event: type, id: idOf(last), data });
    }
  }

  /** Whoever comes again after this is told to read all anew, too. */
  function reset(): void {
    last += 1;
    kept = [];
    for (const client of [...clients]) send(client, { event: 'reset', id: idOf(last), data: {} });
  }

  /** Resolves when everything that happens from now on is told. */
  async function begin(): Promise<void> {
    if (clients.size === 0) endSoon();
    if (watch !== null) return watch.ready;
    epoch = randomIds.next().slice(0, 8);
    kept = [];
    last = 0;
    watch = watchAgent(runtime, { tell, reset });
    return watch.ready;
  }

  function endSoon(): void {
    clearTimeout(leaving);
    leaving = setTimeout(end, LINGER_MS).unref();
  }

  function end(): void {
    clearTimeout(leaving);
    watch?.stop();
    watch = null;
  }

  function isOpen(): boolean {
    if (isRunning(runtime)) return true;
    end();
    return false;
  }

  /** What it has missed; `null`: that is not known any more. */
  function missed(lastId: string): Kept[] | null {
    const [of, number] = lastId.split('-');
    const seen = Number(number);
    if (of !== epoch || !Number.isSafeInteger(seen) || seen > last) return null;
    return seen < (kept[0]?.number ?? last + 1) - 1
      ? null
      : kept.filter((one) => one.number > seen);
  }

  return {
    /** @throws AppError LIMIT_REACHED, UNAVAILABLE */
    async streamOf(
      types: ReadonlySet<EventType>,
      lastId: string | undefined,
    ): Promise<EventStream> {
      limitStreams(clients.size);
      if (!isRunning(runtime)) throw new AppError('UNAVAILABLE', 'the agent is not running');
      await begin();
      return {
        name: 'cue',
        isOpen,
        listen(sendEvent) {
          clearTimeout(leaving);
          const client: Client = { types, send: sendEvent };
          clients.add(client);
          const events = lastId === undefined ? [] : missed(lastId);
          if (events === null) send(client, { event: 'reset', id: idOf(last), data: {} });
          for (const { number, type, data } of events ?? []) {
            if (types.has(type)) send(client, { event: type, id: idOf(number), data });
          }
          return () => {
            clients.delete(client);
            if (clients.size === 0) endSoon();
          };
        },
      };
    },
  };
}

/** @throws AppError LIMIT_REACHED */
function limitStreams(open: number): void {
  if (open < MAX_STREAMS) return;
  throw new AppError('LIMIT_REACHED', `at most ${MAX_STREAMS} streams are open at a time`);
}

/** A service that was stopped gives nothing away any more. */
function isRunning(runtime: IAgentRuntime): boolean {
  try {
    return offersOf(runtime).detectors !== undefined;
  } catch {
    return false;
  }
}

interface Watch {
  /** After the first look, which tells nothing. */
  ready: Promise<void>;
  stop(): void;
}

/**
 * Looks into the database, which all processes of the agent share, once a second and soon after something has
 * happened here.
 */
function watchAgent(
  runtime: IAgentRuntime,
  { tell, reset }: { tell: (type: EventType, data: object) => void; reset: () => void },
): Watch {
  const triggers = triggersOf(runtime);
  const memory = memoryOf(runtime);
  const offers = offersOf(runtime);
  const looks = { triggers: triggers.changes(), records: memory.changes() };
  const sinceMs = memory.now();
  /** Offers: written behind, they may be shown or answered when they are first seen. */
  const told = new Set<string>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isSoon = false;
  let passes = 0;
  let health = '';
  let problem = '';

  async function pass(): Promise<void> {
    const events: [EventType, object][] = [];
    const { runs, triggers: changed, deleted } = await looks.triggers.look();
    for (const trigger of changed) events.push(['trigger', { trigger }]);
    for (const id of deleted) events.push(['trigger', { deleted: id }]);
    for (const run of runs) events.push(['run', { run }]);
    const records = await looks.records.look();
    if (events.length + records.length > MOST_AT_ONCE) return reset();
    for (const { id, type, kind } of records) {
      if (type === 'cue_work_memory') {
        const change = kind === 'removed' ? 'forgotten' : kind;
        events.push(['memory', { memory_id: memory.checks.print(id), id, change }]);
      }
      if (type === 'cue_memory_link') {
        const change = kind === 'removed' ? 'unlinked' : 'linked';
        events.push(['memory', { link_id: id, change }]);
      }
      if (type !== 'cue_offer') continue;
      if (kind === 'removed') events.push(['offer', { deleted: id, change: 'removed' }]);
      const offer = kind === 'removed' ? null : await offers.get(id, OPERATOR).catch(() => null);
      if (offer === null) continue;
      const isNew = Date.parse(offer.createdAt) >= sinceMs && !told.has(id);
      const change = isNew ? 'created' : offer.state;
      told.add(id);
      events.push(['offer', { offer, change }]);
    }
    if (passes % HEALTH_EVERY === 0 || runs.length > 0) {
      const now = await healthOf(runtime);
      const text = JSON.stringify(now);
      if (health !== '' && text !== health) events.push(['health', { health: now }]);
      health = text;
    }
    passes += 1;
    if (told.size > KEPT) told.clear();
    for (const [type, data] of events) tell(type, data);
  }

  async function look(): Promise<void> {
    if (isLooking || isStopped) return;
    isLooking = true;
    isSoon = false;
    try {
      await pass();
      // What a look that failed had read already is told by none.
      if (problem !== '') reset();
      problem = '';
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== problem && !isStopped) {
        runtime.logger.warn(
          { src: 'plugin:cue:rest', reason },
          'the stream cannot see what changes',
        );
      }
      problem = reason;
    } finally {
      isLooking = false;
      lookIn(isSoon ? SOON_MS : LOOK_MS);
    }
  }

  function lookIn(ms: number): void {
    if (isStopped || isLooking) return;
    clearTimeout(timer);
    timer = setTimeout(() => void look(), ms).unref();
  }

  const soon = (): void => {
    if (isSoon) return;
    isSoon = true;
    lookIn(SOON_MS);
  };
  const stops = [
    triggers.onProgress(soon),
    offers.subscribe(soon, { statesOnly: true }),
    memory.observe({
      used: ({ how }) => how === 'linked' && soon(),
      changed: soon,
      forgetting: async () => soon(),
    }),
  ];
  return {
    ready: look(),
    stop() {
      isStopped = true;
      clearTimeout(timer);
      for (const stop of stops) stop();
    },
  };
}

const mayBeginShape = z.object({
  sessionMayBegin: z.boolean({ error: 'must be true or false' }).optional(),
});
const streamQuery = z.strictObject({ ...forWhom, deliver: flag.optional() });

function offerRoutes(route: MakeRoute): Route[] {
  return [
    route({
      type: 'GET',
      path: '/offers/stream',
      query: streamQuery,
      handle: async ({ runtime, query }) => ({
        status: 200,
        body: offerStream(runtime, query),
      }),
    }),
    route({
      type: 'POST',
      path: '/events',
      body: anyObject,
      handle: async ({ runtime, isRead, body: { entityId, sessionMayBegin, ...input } }) => {
        const service = offersOf(runtime);
        service.requireEnabled();
        const person = await personOf(runtime, entityId, input.roomId);
        const { sessionMayBegin: mayBegin = false } = parsed(
          mayBeginShape,
          defined({ sessionMayBegin }),
        );
        const how = { answered: isRead, speakerId: person?.speakerId, mayBegin };
        return { status: 201, body: await service.happen(input, person?.caller, how) };
      },
    }),
  ];
}

/**
 * REST manages offers as operator, but an offer is made for somebody: for a person in a room what
 * that person may read there, else what is open to the project. `null`: nobody
 * is named; the agent itself is nobody.
 * @throws InvalidInputError for a person who is not in the room
 */
async function personOf(
  runtime: IAgentRuntime,
  entityId: unknown,
  roomId: unknown,
): Promise<Person | null> {
  if (entityId === undefined) return null;
  if (!isUuid(entityId)) {
    throw wrongField('entityId', 'must be a UUID');
  }
  if (!isUuid(roomId)) {
    throw wrongField('roomId', 'must be a UUID when entityId is given');
  }
  if (isAgentItself(runtime, entityId)) return null;
  const person = await personIn(runtime, memoryOf(runtime), entityId, roomId);
  if (person) return person;
  throw wrongField('entityId', 'is not in this room');
}

/** @throws AppError LIMIT_REACHED */
function offerStream(
  runtime: IAgentRuntime,
  { forAgentId, ...options }: z.output<typeof streamQuery>,
): EventStream {
  const service = offersOf(runtime);
  limitStreams(service.health().subscribers);
  return {
    listen: (send) =>
      service.subscribe(
        (event) => {
          const { type, ...data } = event;
          send({ event: type, id: event.offer.id, data });
        },
        defined({ ...options, agentId: forAgentId }),
      ),
    isOpen: () => isRunning(runtime),
  };
}
