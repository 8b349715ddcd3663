/**
 * ACKNOWLEDGE_WARNING: a warning was read and heeded, or overruled for a reason; it stays down until the memory
 * behind it changes. DISMISS_OFFER: an offer was not wanted; what is dismissed again and again is offered less.
 */
import type { Action, Content } from '@elizaos/core';
import { offerId } from '../../operations/index.js';
import type { DetectorName, Offer, ProactiveService } from '../../proactive/index.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { safe, safeQuoted } from '../../shared/safe-text.js';
import {
  type ActionFamily,
  type ActionSpec,
  askUser,
  framedAction,
  type Outcome,
  refuse,
  succeed,
} from './action-frame.js';
import { listed } from './display.js';
import { type Heard, heardIn, memoryServiceOf } from './memory-turn.js';
import { chosenOffers, cutReason, offerWords, speaksOfOffers } from './offer-words.js';
import { proactiveServiceOf } from './proactive-turn.js';

/** Its text says which offers are meant, and why. */
interface OfferTurn extends Omit<Heard, 'roomId'> {
  service: ProactiveService;
  roomId: Uuid;
  /** Kept with what is closed. */
  reason: string | undefined;
}

type OfferActionSpec = Omit<ActionSpec<OfferTurn>, 'handle'> & {
  /** Those that can be meant in this conversation, newest first. */
  open: (turn: OfferTurn) => Promise<Offer[]>;
  close: (turn: OfferTurn, id: string) => Promise<Offer>;
  /** Said when nothing is open. */
  none: string;
  /** Before the list of several. */
  which: string;
  /** After one or more were closed. */
  done: (offers: Offer[], reason: string | undefined) => string;
};

const SHOWN = 8;
const NOT_FOUND = 'There is no such offer here, or it is not yours to see.';

const OFFERS: ActionFamily<OfferTurn> = {
  succeeded: 'offerActionSucceeded',
  isPresent: (runtime) =>
    memoryServiceOf(runtime) !== null && proactiveServiceOf(runtime)?.enabled() === true,
  absent: 'I make no offers at the moment: they are switched off, or still starting.',
  notFound: NOT_FOUND,
  async turnOf(runtime, message, plan) {
    const service = proactiveServiceOf(runtime);
    const heard = await heardIn(runtime, message);
    if (!service || !heard) return null;
    return { ...heard, service, roomId: message.roomId, ...wordsOf(heard.text, plan) };
  },
};

function offerAction(spec: OfferActionSpec): Action {
  return framedAction({ ...spec, handle: (turn) => closeOffers(spec, turn) }, OFFERS);
}

async function closeOffers(spec: OfferActionSpec, turn: OfferTurn): Promise<Outcome> {
  // A thought of the model is kept, and told to nobody.
  const said = offerWords(turn.text).reason;
  const choice = chosenOffers(await spec.open(turn), turn.text);
  switch (choice.kind) {
    case 'none':
      return succeed(spec.none, { closed: 0 });
    case 'which': {
      const { offers } = choice;
      const lines = listed(offers, SHOWN, (one) => `- ${offerWord(one)} [${offerId(one.id)}]`);
      return askUser([spec.which, ...lines].join('\n'), { candidates: idsOf(offers) });
    }
    case 'unknown':
      return closeNamed(spec, turn, choice.id, said);
    case 'these': {
      const closed: Offer[] = [];
      for (const { id } of choice.offers) closed.push(await spec.close(turn, id));
      return succeed(spec.done(closed, said), { closed: closed.length, offerIds: idsOf(closed) });
    }
  }
}

/** Not open here: the service says whether there is such an offer at all, and how it has ended. */
async function closeNamed(
  spec: OfferActionSpec,
  turn: OfferTurn,
  id: string,
  said: string | undefined,
): Promise<Outcome> {
  const whole = id.replace(/^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})/, '$1-$2-$3-$4-');
  if (!isUuid(whole)) return refuse(NOT_FOUND, { code: 'NOT_FOUND' });
  const closed = await spec.close(turn, whole);
  return succeed(spec.done([closed], said), { closed: 1, offerIds: [closed.id] });
}

/** The person says it; or the agent by itself, when the message is about something else. */
function wordsOf(
  message: string,
  plan: Content | undefined,
): { text: string; reason: string | undefined } {
  const told = { text: message, reason: offerWords(message).reason };
  if (speaksOfOffers(message)) return told;
  const words = [plan?.text, plan?.thought].filter((one) => typeof one === 'string').join('\n');
  if (!speaksOfOffers(words)) return told;
  const reason = offerWords(words).reason ?? cutReason(words);
  return { text: words, reason: reason === '' ? undefined : reason };
}

function idsOf(offers: readonly Offer[]): string[] {
  return offers.map(({ id }) => id);
}

const KINDS: Readonly<Record<DetectorName, string>> = {
  conflictWarning: 'the warning about',
  fileTouch: 'the history of',
  intentMatch: 'the tasks similar to',
  hintMatch: 'the hint for',
  whenMatch: 'the /when line for',
  patternRecognition: 'the pattern',
  sessionStart: 'the context of',
};

/** "the warning about \"add caching to auth.ts\"". */
export function offerWord({ kind, subject }: Pick<Offer, 'kind' | 'subject'>): string {
  return kind === 'sessionStart'
    ? 'the project context'
    : `${KINDS[kind]} ${safeQuoted(subject, 80)}`;
}

/** The only one, or how many. */
function wordOf([first, ...others]: readonly Offer[], many: string): string {
  return first && others.length === 0 ? offerWord(first) : `${others.length + 1} ${many}`;
}

/** "Reason: …", or nothing. */
export function reasonWords(reason: string | undefined): string {
  return reason === undefined ? '' : ` Reason kept: ${safe(reason, 200)}`;
}

export const dismissOfferAction = offerAction({
  name: 'DISMISS_OFFER',
  similes: ['REJECT_OFFER', 'OFFER_NOT_HELPFUL', 'HIDE_MEMORY_OFFER'],
  description:
    'Puts away an offer of earlier work that does not help ("not relevant", "dismiss that"), with the reason given; what is dismissed often is offered less. Names one by offer_… or mem_…, else the one that is open; "all" takes all. Forgets no memory and deletes no trigger.',
  examples: [
    [
      'dismiss that offer, it is not relevant: this is another auth.ts',
      'Dismissed: the history of "auth.ts". Reason kept: this is another auth.ts',
    ],
  ],
  open: ({ service, roomId, caller }) => service.openOffers(roomId, caller),
  close: ({ service, caller, reason }, id) => service.dismiss(id, caller, reason),
  none: 'There is no open offer here.',
  which: 'Several offers are open. Which one? Name it by its id, or say "dismiss all".',
  done: (offers, reason) => `Dismissed: ${wordOf(offers, 'offers')}.${reasonWords(reason)}`,
});

export const acknowledgeWarningAction = offerAction({
  name: 'ACKNOWLEDGE_WARNING',
  similes: ['HEED_WARNING', 'CONFIRM_WARNING_READ', 'ACCEPT_CONFLICT_WARNING'],
  description:
    'Marks a warning that an action failed before as read, with the reason given ("because …"). Names one by offer_… or mem_…, else the one that is open; "all" takes all. Only for warnings shown under offers, not for alarms or reminders.',
  examples: [
    [
      'acknowledge the warning because every request now has its own cache',
      'Acknowledged: the warning about "add caching to auth.ts". It stays down until the memory behind it changes. Reason kept: every request now has its own cache',
    ],
  ],
  open: ({ service, roomId, caller }) => service.openWarnings(roomId, caller),
  close: ({ service, caller, reason }, id) => service.acknowledge(id, caller, reason),
  none: 'There is no open warning here.',
  which: 'Several warnings are open. Which one? Name it by its id, or say "acknowledge all".',
  done: (offers, reason) => {
    const until =
      offers.length === 1
        ? 'It stays down until the memory behind it changes.'
        : 'They stay down until the memories behind them change.';
    return `Acknowledged: ${wordOf(offers, 'warnings')}. ${until}${reasonWords(reason)}`;
  },
});
