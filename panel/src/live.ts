/** The event stream of the server, read by fetch because EventSource sends no key. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { useSyncExternalStore } from 'react';
import { addressOf, authHeaders } from './api.js';
import { refresh, type Subject } from './queries.js';

export type Connection = 'connecting' | 'live' | 'lost';

/** What each kind of event makes stale. */
const STALE: Readonly<Record<string, readonly Subject[]>> = {
  run: ['runs', 'triggers'],
  trigger: ['triggers'],
  offer: ['offers'],
  memory: ['memories'],
  health: ['health'],
};
const EVERYTHING: readonly Subject[] = ['runs', 'triggers', 'offers', 'memories', 'health', 'when'];

/** Many events within this time refresh a list once. */
const GATHER_MS = 300;
/** No byte for so long: the server sends a comment every 10 s. */
const SILENT_MS = 25_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

let connection: Connection = 'connecting';
const watchers = new Set<() => void>();

function setConnection(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const watcher of watchers) watcher();
}

/** Whether what is shown is kept up to date. */
export function useConnection(): Connection {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => connection,
  );
}

/** Listens until `signal` is aborted; comes again after every break. */
export async function listen(signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;
  let waitMs = FIRST_WAIT_MS;
  let wasLost = false;
  while (!signal.aborted) {
    try {
      await readOnce(signal, lastId, {
        opened() {
          setConnection('live');
          waitMs = FIRST_WAIT_MS;
          // What the server missed to tell while it was away.
          if (wasLost) gather(EVERYTHING);
        },
        heard(event) {
          lastId = event.id ?? lastId;
          tell(event);
        },
      });
    } catch {
      // The server is away, or refuses: the screens say why, since they ask it, too.
    }
    if (signal.aborted) return;
    wasLost = true;
    setConnection('lost');
    await pause(waitMs, signal);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
  }
}

async function readOnce(
  signal: AbortSignal,
  lastId: string | undefined,
  on: { opened: () => void; heard: (event: EventSourceMessage) => void },
): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    const response = await fetch(addressOf('/stream'), {
      headers: { ...authHeaders(), ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) return;
    on.opened();
    const parser = createParser({ onEvent: on.heard });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
      parser.feed(piece.value);
    }
  } finally {
    clearTimeout(timer);
  }
}

function tell({ event = 'message' }: EventSourceMessage): void {
  gather(event === 'reset' ? EVERYTHING : (STALE[event] ?? []));
}

const stale = new Set<Subject>();

function gather(subjects: readonly Subject[]): void {
  const isWaiting = stale.size > 0;
  for (const subject of subjects) stale.add(subject);
  if (isWaiting || stale.size === 0) return;
  setTimeout(() => {
    const now = [...stale];
    stale.clear();
    void refresh(now);
  }, GATHER_MS);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
