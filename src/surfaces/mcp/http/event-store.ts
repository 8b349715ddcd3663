/**
 * Events of one session, so that a client whose stream broke gets what it missed (`Last-Event-ID`, MCP
 * specification, Streamable HTTP). In memory and bounded: a client that was away for longer asks anew.
 */
import type {
  EventId,
  EventStore,
  StreamId,
} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

const MAX_EVENTS = 500;
const MAX_CHARS = 4_000_000;

interface Kept {
  id: EventId;
  streamId: StreamId;
  message: JSONRPCMessage;
  chars: number;
}

export function createEventStore(): EventStore {
  let kept: Kept[] = [];
  let chars = 0;
  let count = 0;

  function drop(): void {
    let over = 0;
    while (over < kept.length - 1 && (kept.length - over > MAX_EVENTS || chars > MAX_CHARS)) {
      chars -= kept[over]?.chars ?? 0;
      over += 1;
    }
    if (over > 0) kept = kept.slice(over);
  }

  return {
    async storeEvent(streamId, message) {
      count += 1;
      const id = String(count);
      const size = JSON.stringify(message).length;
      kept.push({ id, streamId, message, chars: size });
      chars += size;
      drop();
      return id;
    },
    async getStreamIdForEventId(id) {
      return kept.find((event) => event.id === id)?.streamId;
    },
    async replayEventsAfter(lastId, { send }) {
      const at = kept.findIndex(({ id }) => id === lastId);
      const last = kept[at];
      if (!last) throw new Error('what followed this event is no longer kept');
      for (const { id, streamId, message } of kept.slice(at + 1)) {
        // The first event of a stream only names it.
        if (streamId === last.streamId && 'jsonrpc' in message) await send(id, message);
      }
      return last.streamId;
    },
  };
}
