/**
 * ACKNOWLEDGE_WARNING: a warning was read and heeded, or overruled for a reason. It stays down until
 * the memory behind it changes.
 */
import { example } from './action-frame.js';
import { offerAction, offerWord, reasonWords } from './offer-action.js';

export const ACKNOWLEDGE_WARNING = 'ACKNOWLEDGE_WARNING';

export const acknowledgeWarningAction = offerAction({
  name: ACKNOWLEDGE_WARNING,
  similes: ['HEED_WARNING', 'CONFIRM_WARNING_READ', 'ACCEPT_CONFLICT_WARNING'],
  description:
    'Marks a warning that an action failed before as read, with the reason given ("because …"). Names one by offer_… or mem_…, else the one that is open; "all" takes all. Only for warnings shown under offers, not for alarms or reminders.',
  examples: [
    example(
      'acknowledge the warning because every request now has its own cache',
      'Acknowledged: the warning about "add caching to auth.ts". It stays down until the memory behind it changes. Reason kept: every request now has its own cache',
      ACKNOWLEDGE_WARNING,
    ),
  ],
  open: ({ service, roomId, caller }) => service.openWarnings(roomId, caller),
  close: ({ service, caller, reason }, id) => service.acknowledge(id, caller, reason),
  none: 'There is no open warning here.',
  which: 'Several warnings are open. Which one? Name it by its id, or say "acknowledge all".',
  done: (offers, reason) => {
    const [first] = offers;
    const what =
      offers.length === 1 && first !== undefined ? offerWord(first) : `${offers.length} warnings`;
    const until =
      offers.length === 1
        ? 'It stays down until the memory behind it changes.'
        : 'They stay down until the memories behind them change.';
    return `Acknowledged: ${what}. ${until}${reasonWords(reason)}`;
  },
});
