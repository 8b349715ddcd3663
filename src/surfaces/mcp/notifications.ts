/**
 * Tells a connected client of offers for it (seed, `rum://…`): an update of the resource, if it has
 * subscribed, and a logging message, which today's clients show. Nobody knows whether a model sees
 * either, so neither counts as shown: the offer rides along with the next tool call all the same. A
 * warning that an answer has shown stands in its resource until it is answered, so whoever has subscribed
 * is told of that, too.
 */

import { offersOf } from '../../operations/index.js';
import type { Offer, ProactiveService } from '../../proactive/index.js';
import { SECOND_MS } from '../../shared/clock.js';
import { messageOf } from '../../shared/errors.js';
import type { Uuid } from '../../shared/ids.js';
import { OFFERS_META } from '../mcp-client.js';
import type { Connection } from './connection.js';
import { newsUri, OFFERS_URI } from './resources/index.js';

/** Services start in the background. */
const RETRY_MS = SECOND_MS;

interface Following {
  listeners: Set<(offer: Offer) => void>;
  stop: () => void;
}

/** One subscription for all connections of an agent: streams of offers are counted and limited. */
const followed = new WeakMap<ProactiveService, Following>();

/**
 * Begins to tell; each offer once, when the batch window of the room ends.
 * @param subscriptions URIs that the client has subscribed to, at that time
 * @returns what ends it
 */
export function announceOffers(
  { server, runtime, session, log }: Connection,
  subscriptions: ReadonlySet<string>,
): () => void {
  let stop = () => {};
  let retry: NodeJS.Timeout | undefined;
  let arrived = new Set<Uuid>();

  function begin(): void {
    const service = startedOffers();
    if (service === null) retry = setTimeout(begin, RETRY_MS).unref();
    else stop = follow(service, (offer) => note(service, offer));
  }

  function startedOffers(): ProactiveService | null {
    try {
      return offersOf(runtime);
    } catch {
      return null;
    }
  }

  /** Offers of one moment come one after the other, and are looked up together. */
  function note(service: ProactiveService, { id, target }: Offer): void {
    const { sessionId, clientSession } = session.caller();
    const mine = [undefined, sessionId, clientSession];
    if (target.roomId !== undefined || !mine.includes(target.sessionId)) return;
    arrived.add(id);
    if (arrived.size > 1) return;
    queueMicrotask(() => {
      tell(service).catch((error: unknown) => {
        log.debug({ error: messageOf(error) }, 'a client could not be told of offers');
      });
    });
  }

  /** What is still to be shown or answered, and only what the client may read. */
  async function tell({ clients }: ProactiveService): Promise<void> {
    const ids = arrived;
    arrived = new Set();
    const waiting = await clients.peek(session.caller());
    const subscribed = (offer: Offer) =>
      [OFFERS_URI, newsUri(offer)].filter((uri) => subscriptions.has(uri));
    const news = waiting.filter(({ id }) => ids.has(id));
    for (const uri of new Set(news.flatMap(subscribed))) await server.sendResourceUpdated({ uri });
    const said = news.filter((one) => one.state === 'pending' || subscribed(one).length > 0);
    for (const { id, kind, text } of said) {
      const level = kind === 'conflictWarning' ? 'warning' : 'notice';
      const message = { level, logger: 'cue', data: text, _meta: { [OFFERS_META]: [id] } } as const;
      // The SDK keeps the level that a client asked for by the session of the transport.
      await server.sendLoggingMessage(message, server.transport?.sessionId);
    }
  }

  begin();
  return () => {
    clearTimeout(retry);
    stop();
  };
}

function follow(service: ProactiveService, listener: (offer: Offer) => void): () => void {
  const following = followed.get(service) ?? start(service);
  following.listeners.add(listener);
  return () => {
    following.listeners.delete(listener);
    if (following.listeners.size > 0) return;
    following.stop();
    followed.delete(service);
  };
}

function start(service: ProactiveService): Following {
  const listeners: Following['listeners'] = new Set();
  const stop = service.subscribe((event) => {
    if (event.type !== 'offer') return;
    const { state, requiresAcknowledgment } = event.offer;
    if (state !== 'pending' && !requiresAcknowledgment) return;
    for (const listener of listeners) listener(event.offer);
  });
  const following = { listeners, stop };
  followed.set(service, following);
  return following;
}
