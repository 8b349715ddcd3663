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
  /** These requests came together: one stream has the answers of all. */
  together(ids: readonly RequestId[]): void;
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

const MAX_EVENTS = 500;
const MAX_CHARS = 4_000_000;

interface Kept extends SessionEvent {
  streamId: StreamId;
  chars: number;
  /** The last of its stream. */
  isEnd: boolean;
}

/** The first event of a stream only names it. */
const NOTHING = {} as JSONRPCMessage;

export function createEventStore(): SessionEvents {
  let kept: Kept[] = [];
  let chars = 0;
  let count = 0;
  const batches = new Set<Set<RequestId>>();
  const dropped = new Set<RequestId>();

  function drop(): void {
    let over = 0;
    while (over < kept.length - 1 && (kept.length - over > MAX_EVENTS || chars > MAX_CHARS)) {
      chars -= kept[over]?.chars ?? 0;
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

  return {
    async storeEvent(streamId, message) {
      count += 1;
      const id = String(count);
      const answered = answeredBy(message);
      const isDropped = answered !== undefined && dropped.has(answered);
      const size = isDropped ? 0 : JSON.stringify(message).length;
      kept.push({
        ...{ id, streamId, chars: size },
        message: isDropped ? NOTHING : message,
        isEnd: answered !== undefined && isLastAnswer(answered),
      });
      chars += size;
      drop();
      return id;
    },
    async getStreamIdForEventId(id) {
      return following(id)?.streamId;
    },
    async replayEventsAfter(lastId, { send }) {
      const found = following(lastId);
      if (!found) throw new Error('what followed this event is no longer kept');
      for (const { id, message } of missed(found.events)) await send(id, message);
      return found.streamId;
    },
    together(ids) {
      if (ids.length > 1) batches.add(new Set(ids));
    },
    unwanted(id) {
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

/** All but the first, which has arrived. */
function missed(events: readonly Kept[]): Kept[] {
  return events.slice(1).filter(({ message }) => 'jsonrpc' in message);
}

function answeredBy(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message || !('id' in message) ? undefined : message.id;
}
