/** DISMISS_OFFER: an offer was not wanted. What is dismissed again and again is offered less. */
import { example } from './action-frame.js';
import { offerAction, offerWord, reasonWords } from './offer-action.js';

export const DISMISS_OFFER = 'DISMISS_OFFER';

export const dismissOfferAction = offerAction({
  name: DISMISS_OFFER,
  similes: ['REJECT_OFFER', 'OFFER_NOT_HELPFUL', 'HIDE_MEMORY_OFFER'],
  description:
    'Puts away an offer of earlier work that does not help ("not relevant", "dismiss that"), with the reason given; what is dismissed often is offered less. Names one by offer_… or mem_…, else the one that is open; "all" takes all. Forgets no memory and deletes no trigger.',
  examples: [
    example(
      'dismiss that offer, it is not relevant: this is another auth.ts',
      'Dismissed: the history of "auth.ts". Reason kept: this is another auth.ts',
      DISMISS_OFFER,
    ),
  ],
  open: ({ service, roomId, caller }) => service.openOffers(roomId, caller),
  close: ({ service, caller, reason }, id) => service.dismiss(id, caller, reason),
  none: 'There is no open offer here.',
  which: 'Several offers are open. Which one? Name it by its id, or say "dismiss all".',
  done: (offers, reason) => {
    const [first] = offers;
    const what =
      offers.length === 1 && first !== undefined ? offerWord(first) : `${offers.length} offers`;
    return `Dismissed: ${what}.${reasonWords(reason)}`;
  },
});
