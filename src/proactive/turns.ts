/**
 * The safe point of a conversation. The host asks a provider two or three times per message; what a
 * turn shows is fixed by the first answer, and counts as shown when the run ends. A run that another
 * message overtakes never ends, and what it was to show comes again in the next turn.
 */
import { type Caller, readerOf } from '../memory/index.js';
import { canRead } from '../records/index.js';
import { withTimeout } from '../shared/async.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { RecencyCache } from '../shared/recency-cache.js';
import { type Offer, type StoredOffer, viewOf } from './offers/offer.js';
import { block, promptBlock } from './text/block.js';

/** A message of a conversation, as the provider gets it. */
export interface TurnMessage {
  messageId: Uuid;
  roomId: Uuid;
  /** Who is answered: what may be offered is what they may read. */
  caller: Caller;
  sessionId?: string | undefined;
  text: string;
  /** Names, titles and addresses of attached files. */
  attachments: readonly string[];
  /** Whose words these are. */
  speakerId?: Uuid | undefined;
  /** The instruction of a trigger: nobody begins a session with it. */
  scheduled?: boolean | undefined;
}

/** What one turn shows; the same for every call with the message's id. */
export interface TurnOffers {
  offers: Offer[];
  /** The block for the prompt, fenced and attributed; '' when there is nothing. */
  text: string;
  tokens: number;
}

interface TurnsDeps {
  log: Log;
  /** Detects what the message touches, states and starts; its offers are then open in the room. */
  detect: (message: TurnMessage) => Promise<void>;
  /** Work that may go on when the turn has its answer. */
  track: (work: Promise<void>) => void;
  /** Offers of the room that are to be shown: what waits, and warnings that stand. */
  open: (roomId: Uuid) => StoredOffer[];
  /** Those of them whose memories still are as they say. */
  revalidated: (offers: readonly StoredOffer[]) => Promise<StoredOffer[]>;
  /** Those of them that were not removed meanwhile. */
  remaining: (offers: readonly StoredOffer[]) => StoredOffer[];
  /** Counted once per offer, however often it is called. */
  shown: (offerId: Uuid) => unknown;
  /** There was no room for it when its turn came: its moment is over. */
  passed: (offerId: Uuid) => unknown;
  /** A turn that was asked for offers was completed. */
  turned: () => void;
}

export interface EndedTurn {
  messageId: Uuid;
  roomId: Uuid;
  completed: boolean;
}

interface Turn {
  messageId: Uuid;
  roomId: Uuid;
  /** Resolves when `answer` is fixed; never rejects. */
  made: Promise<void>;
  answer: TurnOffers;
  offerIds: Uuid[];
  /** Its time was over before there was an answer: it has none. */
  late: boolean;
  over: boolean;
}

/** Turns remembered: the host may ask for a message again, much later than its run. */
const MOST_TURNS = 1_000;
export const NO_OFFERS: TurnOffers = { offers: [], text: '', tokens: 0 };
/** Of a turn's time; the rest is for looking whether what is to be shown still holds. */
const DETECTION_SHARE = 2 / 3;

export function createTurns(deps: TurnsDeps) {
  /** By message, room and reader: clients choose the ids of messages, and two may choose the same. */
  const turns = new RecencyCache<string, Turn>(MOST_TURNS);
  /** Newest turn of each room. */
  const latest = new RecencyCache<Uuid, Turn>(MOST_TURNS);

  async function make(message: TurnMessage, budgetMs: number, turn: Turn): Promise<void> {
    try {
      const detection = deps.detect(message);
      deps.track(detection);
      const looked = detection.catch((error: unknown) => {
        deps.log.warn({ error: messageOf(error) }, 'a message could not be looked into');
      });
      await withTimeout(looked, budgetMs * DETECTION_SHARE);
      const reader = readerOf(message.caller);
      const mine = deps.open(message.roomId).filter((offer) => canRead(reader, offer.scope));
      if (mine.length === 0) return;
      const holding = await deps.revalidated(mine);
      if (turn.late) return;
      // Nothing waits from here on, so that what is forgotten now is withdrawn from this turn.
      const open = deps.remaining(holding);
      const whole = block(open.map(({ data }) => data));
      const chosen = whole.shownIndexes.flatMap((index) => open[index] ?? []);
      for (const offer of open) if (!chosen.includes(offer)) deps.passed(offer.id);
      if (chosen.length === 0) return;
      const { text, tokens } = promptBlock(whole.text);
      turn.offerIds = chosen.map(({ id }) => id);
      turn.answer = { offers: chosen.map(viewOf), text, tokens };
    } catch (error) {
      deps.log.warn({ error: messageOf(error) }, 'offers could not be shown');
    }
  }

  return {
    async offers(message: TurnMessage, budgetMs: number): Promise<TurnOffers> {
      const { messageId, roomId } = message;
      const key = `${messageId} ${roomId} ${readerKey(message.caller)}`;
      const known = turns.get(key);
      if (known) {
        await known.made;
        return known.answer;
      }
      const turn: Turn = {
        messageId,
        roomId,
        made: Promise.resolve(),
        answer: NO_OFFERS,
        offerIds: [],
        late: false,
        over: false,
      };
      // One run per room: what an earlier message was to show, nobody has seen.
      const overtaken = latest.get(roomId);
      if (overtaken) overtaken.over = true;
      latest.set(roomId, turn);
      turns.set(key, turn);
      const making = make(message, budgetMs, turn).then(() => true);
      turn.made = withTimeout(making, budgetMs).then((isMade) => {
        turn.late = isMade === null;
      });
      await turn.made;
      return turn.answer;
    },
    /** `completed` false: nobody has seen what it was to show. */
    ended({ messageId, roomId, completed }: EndedTurn): void {
      const turn = latest.get(roomId);
      if (!turn || turn.over || turn.messageId !== messageId) return;
      turn.over = true;
      if (!completed) return;
      deps.turned();
      for (const id of turn.offerIds) deps.shown(id);
    },
    /** Whether a turn that is not over yet shows this offer. */
    isShowing: (offerId: Uuid): boolean =>
      [...latest.values()].some(({ over, offerIds }) => !over && offerIds.includes(offerId)),
    /** Offers that must not be shown any more: their text goes, also from turns that hold it. */
    withdraw(offerIds: ReadonlySet<Uuid>): void {
      for (const turn of turns.values()) {
        if (!turn.offerIds.some((id) => offerIds.has(id))) continue;
        turn.offerIds = [];
        turn.answer = NO_OFFERS;
      }
    },
  };
}

function readerKey(caller: Caller): string {
  return caller.kind === 'entity' ? caller.entityId : caller.kind;
}
