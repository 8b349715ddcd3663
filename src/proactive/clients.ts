/**
 * What clients of their own (MCP) ask. A client is known by its connection: its session and identity
 * are the place, whatever its input says, and it speaks in no conversation.
 */
import { withTimeout } from '../shared/async.js';
import type { Clock } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { isSameIdentity } from './event-context.js';
import { type OfferAnswer, readAnswer, readEvent, readWaiting } from './input.js';
import type { Reaction } from './offer-pipeline.js';
import {
  isFresh,
  isStandingWarning,
  type Offer,
  type StoredOffer,
  viewOf,
} from './offers/offer.js';
import type { OfferBook } from './offers/offer-book.js';
import type { WarningExpiry } from './source-revalidation.js';
import { block, urgency } from './text/block.js';
import { NO_OFFERS, type TurnOffers } from './turns.js';
import type { ClientCaller, OfferTarget, ProactiveEvent, ProactiveEventType } from './types.js';

/**
 * Whether somebody reads the answer; what nobody reads does not count as shown and waits. Asked when the
 * answer is there, because a client may have left by then.
 */
export type Answered = boolean | (() => boolean | Promise<boolean>);

interface ClientsDeps {
  book: Pick<OfferBook, 'open' | 'get' | 'remaining'>;
  clock: Clock;
  log: Log;
  enabled: () => boolean;
  /** Offers of before the start are known. */
  loaded: Promise<void>;
  /** How long `take` waits, ms; 30 when absent. */
  budgetMs?: number | undefined;
  react: (event: ProactiveEvent, answered?: Answered) => Promise<Reaction>;
  revalidated: (offers: readonly StoredOffer[]) => Promise<StoredOffer[]>;
  standing: WarningExpiry;
  shown: (id: Uuid, how: string) => StoredOffer | null;
  answer: (to: 'acknowledged' | 'dismissed', said: OfferAnswer, by: ClientCaller) => Promise<Offer>;
}

const BUDGET_MS = 30;
const LISTED = 20;

export function createClients(deps: ClientsDeps) {
  const { book, clock, log } = deps;

  /**
   * Those of the client that have not been shown yet, most urgent first. A warning that an earlier
   * session of the identity has not read is one of them.
   */
  function pendingOf(caller: ClientCaller): StoredOffer[] {
    return book
      .open({ clients: true, state: 'pending' }, { kind: 'agent' })
      .filter(({ data }) => (isStandingWarning(data) ? mayAnswer : isFor)(data.target, caller))
      .sort(byUrgency);
  }

  /** Nothing waits between looking and marking, so that two calls at one time do not both take one. */
  function takeNow(caller: ClientCaller, holding: ReadonlySet<Uuid>): TurnOffers {
    const waiting = pendingOf(caller).filter(({ id }) => holding.has(id));
    const { text, tokens, shownIndexes } = block(waiting.map(({ data }) => data));
    const offers = shownIndexes.flatMap((index) => {
      const offer = waiting[index];
      return offer ? [viewOf(deps.shown(offer.id, 'mcp') ?? offer)] : [];
    });
    return { offers, text, tokens };
  }

  /** What waits, and standing warnings. */
  async function openFor(caller: ClientCaller): Promise<StoredOffer[]> {
    await deps.loaded;
    const holding = idsOf(await deps.revalidated(pendingOf(caller)));
    const pending = pendingOf(caller).filter(({ id }) => holding.has(id));
    const standing = book
      .open({ clients: true }, { kind: 'agent' })
      .filter(({ data }) => data.state !== 'pending' && isStandingWarning(data))
      .filter(({ data }) => mayAnswer(data.target, caller));
    const open = await deps.standing([...pending, ...standing], { kind: 'agent' });
    return book.remaining(open).sort(byUrgency);
  }

  async function answer(
    to: 'acknowledged' | 'dismissed',
    input: unknown,
    caller: ClientCaller,
  ): Promise<Offer> {
    const said = readAnswer(input);
    await deps.loaded;
    const { data } = await book.get(said.offerId, { kind: 'agent' });
    if (!mayAnswer(data.target, caller)) {
      throw new AppError('PERMISSION_DENIED', 'this offer was made for somebody else');
    }
    return deps.answer(to, said, caller);
  }

  return {
    /**
     * A hook: fields in snake_case or camelCase. The answer counts as shown.
     * @throws InvalidInputError, AppError LIMIT_REACHED, PERMISSION_DENIED for a conversation
     */
    async happen(
      type: ProactiveEventType,
      input: unknown,
      caller: ClientCaller,
      answered?: Answered,
    ): Promise<Reaction> {
      const fields = typeof input === 'object' && input !== null ? input : {};
      const event = readEvent({ ...fields, type });
      if (event.roomId !== undefined) {
        throw new AppError('PERMISSION_DENIED', 'a client speaks in no conversation: no room_id');
      }
      const { sessionId, identityId: agentId } = caller;
      return deps.react({ ...event, sessionId, agentId, caller }, answered);
    },

    /**
     * What waits for the client, to ride along in the answer of something else: each offer once, at most
     * 200 tokens (warnings are never cut). What is not there within `budgetMs` comes next time. Never
     * throws.
     */
    async take(
      caller: ClientCaller,
      budgetMs: number = deps.budgetMs ?? BUDGET_MS,
    ): Promise<TurnOffers> {
      if (!deps.enabled()) return NO_OFFERS;
      const looked: { holding: ReadonlySet<Uuid> } = { holding: new Set() };
      const looking = (async () => {
        await deps.loaded;
        const nowMs = clock.now();
        const fresh = pendingOf(caller).filter(({ data }) => isFresh(data, nowMs));
        if (fresh.length === 0) return;
        looked.holding = idsOf(await deps.revalidated(fresh));
      })().catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'offers could not ride along');
      });
      await withTimeout(looking, budgetMs);
      return looked.holding.size === 0 ? NO_OFFERS : takeNow(caller, looked.holding);
    },

    /** What waits and, shown or not, the warnings that nobody has answered; most urgent first. */
    async waiting(
      input: unknown,
      caller: ClientCaller,
    ): Promise<{ offers: Offer[]; total: number }> {
      const { limit = LISTED } = readWaiting(input);
      const all = await openFor(caller);
      const offers = all.slice(0, limit).map((offer) => {
        const isNew = offer.data.state === 'pending';
        return viewOf((isNew ? deps.shown(offer.id, 'list') : null) ?? offer);
      });
      return { offers, total: all.length };
    },

    /** All of the same, and nothing of it counts as shown. */
    peek: async (caller: ClientCaller): Promise<Offer[]> =>
      deps.enabled() ? (await openFor(caller)).map(viewOf) : [],

    /** @throws InvalidInputError, NotFoundError, AppError CONFLICT, PERMISSION_DENIED for another's offer */
    acknowledge: (input: unknown, caller: ClientCaller) => answer('acknowledged', input, caller),
    dismiss: (input: unknown, caller: ClientCaller) => answer('dismissed', input, caller),
  };
}

/**
 * Whether an offer is to be shown to the client: it is for its session (the one that we gave it, or the
 * one of its own that its hooks speak in), its identity or anyone.
 */
function isFor({ roomId, sessionId, agentId }: OfferTarget, caller: ClientCaller): boolean {
  if (roomId !== undefined) return false;
  if (sessionId !== undefined) {
    return sessionId === caller.sessionId || sessionId === caller.clientSession;
  }
  return agentId === undefined || agentId === caller.identityId;
}

/** Who resumes an identity answers also what its earlier sessions were shown. */
function mayAnswer(target: OfferTarget, caller: ClientCaller): boolean {
  return isFor(target, caller) || isSameIdentity(target, { agentId: caller.identityId });
}

function byUrgency(a: StoredOffer, b: StoredOffer): number {
  return urgency(a.data.kind) - urgency(b.data.kind) || b.data.createdAtMs - a.data.createdAtMs;
}

function idsOf(offers: readonly StoredOffer[]): ReadonlySet<Uuid> {
  return new Set(offers.map(({ id }) => id));
}
