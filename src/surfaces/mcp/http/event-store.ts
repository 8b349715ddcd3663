/**
 * Events of one session, so that a client whose stream broke gets what it missed (`Last-Event-ID`, MCP
 * specification, Streamable HTTP). In memory and bounded: a client that was away for longer asks anew.
 */
import type {
  EventId,
  EventStore,
  StreamId,
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

export interface SessionEvents extends Required<EventStore> {
  /** These requests have come, in one body: one stream has the answers of all. */
  asked(ids: readonly RequestId[]): void;
  /** They were refused: nobody answers them. */
  refused(ids: readonly RequestId[]): void;
  /** The id of an event without a message, with which a stream begins. */
  begun(streamId: StreamId): EventId;
  /** An id of no event: whoever has it has heard all of its stream. */
  readonly overId: EventId;
  /** Requests that wait for their answer. */
  readonly running: number;
  /**
   * The next answer to the request is for nobody: it ends its stream and is not kept.
   * @returns what takes that back; `null` when the stream has other answers to come
   */
  unwanted(id: RequestId): (() => void) | null;
  /** What followed an event in a stream that has come to its end; `null` of one that goes on. */
  restOf(id: EventId): SessionEvent[] | null;
}

export interface SessionEvent {
  id: EventId;
  message: JSONRPCMessage;
}

export interface SessionEventsOptions {
  /** In front of the ids, so that those of another session are none of this one. */
  prefix: string;
  /** A request has got its answer. */
  onAnswered?: () => void;
}

const MAX_EVENTS = 500;
/** Of each session: there may be many. */
const MAX_CHARS = 1_000_000;

interface Kept {
  id: EventId;
  streamId: StreamId;
  /** The message as JSON, which takes less room; '' of one that is for nobody. */
  text: string;
  /** The last of its stream. */
  isEnd: boolean;
}

export function createEventStore({ prefix, onAnswered }: SessionEventsOptions): SessionEvents {
  let kept: Kept[] = [];
  let chars = 0;
  let count = 0;
  const running = new Set<RequestId>();
  const batches = new Set<Set<RequestId>>();
  const dropped = new Set<RequestId>();

  function drop(): void {
    let over = 0;
    while (over < kept.length - 1 && (kept.length - over > MAX_EVENTS || chars > MAX_CHARS)) {
      chars -= kept[over]?.text.length ?? 0;
      over += 1;
    }
    if (over > 0) kept = kept.slice(over);
  }

  const batchOf = (id: RequestId) => [...batches].find((batch) => batch.has(id));

  /** Whether nothing more is to be answered in the stream of this answer. */
  function isLastAnswer(id: RequestId): boolean {
    const batch = batchOf(id);
    if (!batch) return true;
    batch.delete(id);
    if (batch.size > 0) return false;
    batches.delete(batch);
    return true;
  }

  /** After the event; `undefined` when it is not kept. */
  function following(id: EventId): { streamId: StreamId; events: Kept[] } | undefined {
    const at = kept.findIndex((event) => event.id === id);
    const streamId = kept[at]?.streamId;
    if (streamId === undefined) return undefined;
    const events = kept.slice(at).filter((event) => event.streamId === streamId);
    return { streamId, events };
  }

  function keep(streamId: StreamId, text: string, isEnd: boolean): EventId {
    count += 1;
    const id = `${prefix}-${count}`;
    kept.push({ id, streamId, text, isEnd });
    chars += text.length;
    drop();
    return id;
  }

  return {
    async storeEvent(streamId, message) {
      const answered = 'method' in message || !('id' in message) ? undefined : message.id;
      if (answered !== undefined && running.delete(answered)) onAnswered?.();
      const isDropped = answered !== undefined && dropped.has(answered);
      const text = isDropped ? '' : JSON.stringify(message);
      const isEnd = answered !== undefined && isLastAnswer(answered);
      return keep(streamId, text, isEnd);
    },
    begun: (streamId) => keep(streamId, '', false),
    overId: `${prefix}-over`,
    async getStreamIdForEventId(id) {
      return following(id)?.streamId;
    },
    async replayEventsAfter(lastId, { send }) {
      const found = following(lastId);
      if (!found) throw new Error('what followed this event is no longer kept');
      for (const { id, message } of missed(found.events)) await send(id, message);
      return found.streamId;
    },
    asked(ids) {
      for (const id of ids) running.add(id);
      if (ids.length > 1) batches.add(new Set(ids));
    },
    refused(ids) {
      for (const id of ids) {
        running.delete(id);
        const batch = batchOf(id);
        if (batch) batches.delete(batch);
      }
    },
    get running() {
      return running.size;
    },
    unwanted(id) {
      running.delete(id);
      if (batchOf(id)) return null;
      dropped.add(id);
      return () => dropped.delete(id);
    },
    restOf(id) {
      const events = following(id)?.events;
      return events?.some(({ isEnd }) => isEnd) ? missed(events) : null;
    },
  };
}

/** All but the first, which has arrived. Those that only name a stream are no messages. */
function missed(events: readonly Kept[]): SessionEvent[] {
  return events
    .slice(1)
    .filter(({ text }) => text !== '' && text !== '{}')
    .map(({ id, text }) => ({ id, message: JSON.parse(text) as JSONRPCMessage }));
}
