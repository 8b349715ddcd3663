/**
 * Pushes to whoever listens (SSE, MCP): offers wait for the batch window, so that several of
 * one moment come together and the most urgent first. A safe point ends the window early.
 */
import type { Uuid } from '../shared/ids.js';
import type { Offer, OfferState } from './offers/offer.js';
import { urgency } from './text/block.js';

export interface SubscribeOptions {
  /** What is pushed counts as shown, if it is for no conversation. */
  deliver?: boolean | undefined;
  /** Only offers for this session, or for no client in particular; none of conversations. */
  sessionId?: string | undefined;
  agentId?: string | undefined;
  /**
   * Changes of state alone, each at once: for a part of this process that keeps count. It is no client:
   * nothing waits for it, and it filters for itself.
   */
  statesOnly?: boolean | undefined;
}

/** Pushed to whoever listens (SSE, MCP). */
export type OfferEvent =
  | { type: 'offer'; offer: Offer }
  | { type: 'state'; offer: Offer; from: OfferState };

interface Subscriber {
  listener: (event: OfferEvent) => void;
  options: SubscribeOptions;
}

/** Waiting offers beyond this are flushed at once. */
const MOST_WAITING = 100;

export function createPushes(deps: {
  windowMs: () => number;
  /** A subscriber that delivers has got this offer. */
  onDelivered: (offer: Offer) => void;
  onError: (error: unknown) => void;
}) {
  const subscribers = new Set<Subscriber>();
  const counting = new Set<Subscriber>();
  let waiting: Offer[] = [];
  let timer: NodeJS.Timeout | undefined;

  function send(subscriber: Subscriber, event: OfferEvent): boolean {
    if (!concerns(subscriber.options, event.offer)) return false;
    try {
      subscriber.listener(event);
      return true;
    } catch (error) {
      deps.onError(error);
      return false;
    }
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting.sort((a, b) => urgency(a.kind) - urgency(b.kind));
    waiting = [];
    for (const offer of batch) {
      let delivered = false;
      for (const subscriber of [...subscribers]) {
        const sent = send(subscriber, { type: 'offer', offer });
        if (sent && subscriber.options.deliver && offer.target.roomId === undefined) {
          delivered = true;
        }
      }
      if (delivered) deps.onDelivered(offer);
    }
  }

  return {
    subscribe(listener: (event: OfferEvent) => void, options: SubscribeOptions = {}): () => void {
      const subscriber = { listener, options };
      const all = options.statesOnly === true ? counting : subscribers;
      all.add(subscriber);
      return () => all.delete(subscriber);
    },
    offered(offers: readonly Offer[]): void {
      // Nobody listens: nothing waits.
      if (subscribers.size === 0 || offers.length === 0) return;
      waiting.push(...offers);
      if (waiting.length > MOST_WAITING) flush();
      else timer ??= setTimeout(flush, deps.windowMs()).unref();
    },
    changed(offer: Offer, from: OfferState): void {
      for (const subscriber of [...counting]) send(subscriber, { type: 'state', offer, from });
      // What is still to come is sent as it is then.
      const index = waiting.findIndex(({ id }) => id === offer.id);
      if (index !== -1) {
        waiting[index] = offer;
        return;
      }
      for (const subscriber of [...subscribers]) send(subscriber, { type: 'state', offer, from });
    },
    /** These are gone: what waits of them is not sent. */
    withdraw(offerIds: ReadonlySet<Uuid>): void {
      waiting = waiting.filter(({ id }) => !offerIds.has(id));
    },
    /** Sends what waits, now. */
    flush,
    size: (): number => subscribers.size,
    stop(): void {
      flush();
      subscribers.clear();
      counting.clear();
    },
  };
}

function concerns({ sessionId, agentId }: SubscribeOptions, { target }: Offer): boolean {
  const isFiltered = sessionId !== undefined || agentId !== undefined;
  // What is for a conversation is for the people in it, not for a client that asks for its own.
  if (isFiltered && target.roomId !== undefined) return false;
  const fits = (wanted: string | undefined, has: string | undefined) =>
    wanted === undefined || has === undefined || wanted === has;
  return fits(sessionId, target.sessionId) && fits(agentId, target.agentId);
}
