/** What was learned of how offers are taken, and forgetting it. */
import { useState } from 'react';
import { Button, Section } from '../../parts/basics.js';
import { Confirm } from '../../parts/dialog.js';
import { KINDS, kindOf } from '../../parts/offer-kinds.js';
import { say, sayFailed } from '../../parts/toasts.js';
import { useChange } from '../../queries.js';

export function LearnedOffers() {
  const [kind, setKind] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const reset = useChange<string>(
    (asked) => ({ path: '/offers/reset', body: asked === '' ? {} : { kind: asked } }),
    ['offers'],
  );
  const what = kind === '' ? 'all kinds of offers' : `offers of the kind “${kindOf(kind)}”`;
  const confirm = (): void =>
    reset.mutate(kind, {
      onSuccess: () => say(`Forgotten what was learned of ${what}`),
      onError: sayFailed,
      onSettled: () => setIsAsking(false),
    });
  return (
    <Section title="Learned offers">
      <p className="quiet">
        What is dismissed is offered less, what is used is offered more. A reset starts that anew;
        the offers themselves stay.
      </p>
      <div className="actions">
        <label>
          <span className="unseen">Kind of offers to reset</span>
          <select value={kind} onChange={(event) => setKind(event.target.value)}>
            <option value="">All kinds</option>
            {Object.entries(KINDS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <Button look="danger" onClick={() => setIsAsking(true)}>
          Reset…
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title="Reset what was learned?"
          text={`Cue forgets how ${what} were taken. This cannot be undone.`}
          action="Reset"
          isBusy={reset.isPending}
          confirm={confirm}
          close={() => setIsAsking(false)}
        />
      )}
    </Section>
  );
}
