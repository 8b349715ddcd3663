/** What was offered and why, what was said of it, and how good the offers are. */
import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import type { Decision, Offer, OfferState } from '../../../src/index.js';
import { counted } from '../format.js';
import {
  Badge,
  Button,
  Empty,
  Facts,
  Failure,
  Loaded,
  Loading,
  type Tone,
} from '../parts/basics.js';
import { Dialog } from '../parts/dialog.js';
import { List } from '../parts/list.js';
import { KINDS, kindOf } from '../parts/offer-kinds.js';
import { Time } from '../parts/time.js';
import { sayFailed } from '../parts/toasts.js';
import { useAsk, useChange, usePages } from '../queries.js';
import { goTo, linkTo } from '../route.js';
import { OfferQuality } from './offer-quality.js';

const STATES: Readonly<Record<OfferState, Tone>> = {
  pending: 'info',
  shown: 'info',
  used: 'good',
  acknowledged: 'good',
  dismissed: 'quiet',
  expired: 'quiet',
};

export function Offers({ rest: [part] }: { rest: readonly string[] }) {
  const tab = part === 'decisions' || part === 'quality' ? part : 'list';
  return (
    <>
      <Tabs.Root value={tab} onValueChange={(to) => goTo('offers', ...(to === 'list' ? [] : [to]))}>
        <Tabs.List className="tabs">
          <Tabs.Tab value="list">Offers</Tabs.Tab>
          <Tabs.Tab value="decisions">Decisions</Tabs.Tab>
          <Tabs.Tab value="quality">Quality</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="list">
          <Made />
        </Tabs.Panel>
        <Tabs.Panel value="decisions">
          <Decisions />
        </Tabs.Panel>
        <Tabs.Panel value="quality">
          <OfferQuality />
        </Tabs.Panel>
      </Tabs.Root>
      {part !== undefined && tab === 'list' && <OneOffer id={part} />}
    </>
  );
}

const idOf = ({ id }: Offer): string => id;

function Made() {
  const [kind, setKind] = useState('');
  const [state, setState] = useState('');
  const pages = usePages<Offer>('offers', { kind, state }, idOf);
  return (
    <>
      <form className="filters" aria-label="Filter the offers">
        <label>
          Kind
          <select value={kind} onChange={(event) => setKind(event.target.value)}>
            <option value="">All</option>
            {Object.entries(KINDS).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          State
          <select value={state} onChange={(event) => setState(event.target.value)}>
            <option value="">All</option>
            {Object.keys(STATES).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <p className="quiet">{counted(pages.total, 'offer')}</p>
      </form>
      {pages.isError && <Failure error={pages.error} retry={() => void pages.refetch()} />}
      {pages.isPending && <Loading lines={6} />}
      {pages.isSuccess && pages.items.length === 0 && (
        <Empty title="No offers.">
          <p>
            An offer comes by itself when the agent touches a file that has a history, states an
            intent, or is about to repeat what failed. What was looked at and found not worth an
            offer stands under <a href={linkTo('offers', 'decisions')}>Decisions</a>.
          </p>
        </Empty>
      )}
      {pages.items.length > 0 && (
        <List
          label="Offers, newest first"
          items={pages.items}
          idOf={idOf}
          rowHeight={96}
          more={pages.more}
          look={pages.look}
          pressed={({ id }, { key }) => key === 'Enter' && goTo('offers', id)}
        >
          {(offer) => <OfferRow offer={offer} />}
        </List>
      )}
    </>
  );
}

function OfferRow({ offer }: { offer: Offer }) {
  const { id, kind, subject, state, createdAt, why } = offer;
  return (
    <div className="offer-row">
      <p className="offer-head">
        <Badge tone={kind === 'conflictWarning' ? 'warn' : 'quiet'}>{kindOf(kind)}</Badge>
        <a className="grow clip" href={linkTo('offers', id)}>
          {subject}
        </a>
        <Badge tone={STATES[state]}>{state}</Badge>
        <span className="quiet">
          <Time at={createdAt} />
        </span>
      </p>
      <p className="quiet clip">{why.evidence.join(' · ')}</p>
      <Answers offer={offer} />
    </div>
  );
}

/** What can still be said of an offer. */
function Answers({ offer: { id, state, subject } }: { offer: Offer }) {
  const answer = useChange<'acknowledge' | 'dismiss' | 'used'>(
    (how) => ({ path: `/offers/${id}/${how}` }),
    ['offers'],
  );
  if (state !== 'pending' && state !== 'shown') return null;
  const say = (how: 'acknowledge' | 'dismiss' | 'used') => () =>
    answer.mutate(how, { onError: sayFailed });
  return (
    <div className="actions">
      <Button className="small" aria-label={`Used: ${subject}`} onClick={say('used')}>
        Used
      </Button>
      <Button className="small" aria-label={`Acknowledge: ${subject}`} onClick={say('acknowledge')}>
        Acknowledge
      </Button>
      <Button className="small" aria-label={`Dismiss: ${subject}`} onClick={say('dismiss')}>
        Dismiss
      </Button>
    </div>
  );
}

function OneOffer({ id }: { id: string }) {
  const query = useAsk<{ offer: Offer }>('offers', `/offers/${encodeURIComponent(id)}`);
  return (
    <Dialog look="drawer" title="Offer" close={() => goTo('offers')}>
      <Loaded query={query}>
        {({ offer }) => (
          <>
            <p>
              <Badge tone={STATES[offer.state]}>{offer.state}</Badge> {kindOf(offer.kind)}:{' '}
              {offer.subject}
            </p>
            <Answers offer={offer} />
            <h3>Text</h3>
            <pre>{offer.text}</pre>
            <h3>Why</h3>
            <ul className="bullets">
              {offer.why.evidence.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
            <h3>Made from</h3>
            {offer.sources.length === 0 && <p className="quiet">No memory.</p>}
            <ul className="bullets">
              {offer.sources.map(({ id: source, memoryId, score, reasons }) => (
                <li key={source}>
                  <a href={linkTo('memory', memoryId)}>{memoryId}</a>{' '}
                  <span className="quiet">
                    score {score.toFixed(2)}: {reasons.join(', ')}
                  </span>
                </li>
              ))}
            </ul>
            <Facts
              facts={[
                ['Made', <Time key="made" at={offer.createdAt} />],
                ...(offer.shownAt === undefined
                  ? []
                  : [['Shown', <Time key="shown" at={offer.shownAt} />] as const]),
                ...(offer.closedAt === undefined
                  ? []
                  : [['Answered', <Time key="closed" at={offer.closedAt} />] as const]),
                ['Expires', <Time key="expires" at={offer.expiresAt} />],
                ['Strength', offer.why.strength.toFixed(2)],
                ['Tokens', String(offer.tokens)],
                ['Id', <code key="id">{offer.id}</code>],
              ]}
            />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** What happened last, and why something was offered or was not. */
function Decisions() {
  const query = useAsk<{ decisions: Decision[] }>(
    'offers',
    '/offers/decisions',
    { limit: 100 },
    { everyMs: 10_000 },
  );
  return (
    <Loaded query={query} lines={6}>
      {({ decisions }) =>
        decisions.length === 0 ? (
          <Empty title="Nothing was looked at yet.">
            <p>What the agent does is looked at as it happens; the last hundred stand here.</p>
          </Empty>
        ) : (
          <ol className="cards">
            {decisions.map((decision) => (
              <OneDecision
                key={`${decision.atMs} ${decision.happening.type} ${decision.happening.subject}`}
                decision={decision}
              />
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

function OneDecision({
  decision: { atMs, happening, detectors, offerIds, suppressed },
}: {
  decision: Decision;
}) {
  return (
    <li className="card">
      <details>
        <summary>
          <span className="card-title">
            {happening.type.replaceAll('_', ' ')}: {happening.subject}
          </span>{' '}
          <span className="quiet">
            <Time at={atMs} />,{' '}
            {offerIds.length === 0 ? 'nothing offered' : counted(offerIds.length, 'offer')}
          </span>
        </summary>
        <ul className="bullets">
          {detectors.map(({ name, notified, evidence, error, ms }) => (
            <li key={name}>
              <Badge tone={error === undefined ? (notified ? 'good' : 'quiet') : 'bad'}>
                {kindOf(name)}
              </Badge>{' '}
              {error ?? evidence.join(', ')} <span className="quiet">{ms.toFixed(1)} ms</span>
            </li>
          ))}
          {suppressed.map(({ memoryId, detector, reason }) => (
            <li key={`${memoryId} ${detector}`}>
              <span className="quiet">
                {kindOf(detector)} of {memoryId ?? 'it'} was held back: {reason}
              </span>
            </li>
          ))}
          {offerIds.map((id) => (
            <li key={id}>
              <a href={linkTo('offers', id)}>Offer {id.slice(0, 8)}</a>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
