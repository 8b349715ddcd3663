/** Every trigger, by state and words. */
import { useDeferredValue, useMemo, useState } from 'react';
import type { TriggerState, TriggerSummary } from '../../../../src/index.js';
import { counted } from '../../format.js';
import { Badge, Button, Empty, Failure, Loading, Section, type Tone } from '../../parts/basics.js';
import { List } from '../../parts/list.js';
import { RUN_TONES } from '../../parts/run.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../queries.js';
import { goTo, linkTo } from '../../route.js';
import { isOn, pauseOrResume, runNow, TriggerMenu, useMarks } from './actions.js';

const idOf = ({ id }: TriggerSummary): string => id;

/** `choice`: how the filter names it, where that is more than the badge says. */
const STATES: Record<TriggerState, { tone: Tone; text: string; note: string; choice?: string }> = {
  active: { tone: 'good', text: 'Active', note: 'It is due soon.', choice: 'Active, due soon' },
  resting: {
    ...{ tone: 'good', text: 'Active', note: 'It waits for its time.' },
    choice: 'Active, due later',
  },
  disabled: { tone: 'quiet', text: 'Paused', note: 'It does not run until it is resumed.' },
  paused: {
    ...{ tone: 'warn', text: 'Paused', note: 'It does not run until it is resumed.' },
    choice: 'Paused for a reason',
  },
  invalid: { tone: 'bad', text: 'Invalid', note: 'What is stored of it cannot be read.' },
};

export function StateBadge({ trigger: { state, stateReason } }: { trigger: TriggerSummary }) {
  const { tone, text, note } = STATES[state];
  return (
    <span title={stateReason ?? note}>
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

export function TriggerTable() {
  const [state, setState] = useState('');
  const [order, setOrder] = useState('newest');
  const [words, setWords] = useState('');
  const q = useDeferredValue(words.trim());
  const { hidden } = useMarks();
  const query = usePages<TriggerSummary>('triggers', { state, q, order }, idOf);
  const { error, refetch, data } = query;
  const { items } = query;
  const shown = useMemo(
    () => (hidden.size === 0 ? items : items.filter(({ id }) => !hidden.has(id))),
    [items, hidden],
  );
  const total = query.total - (items.length - shown.length);
  const isFiltered = state !== '' || q !== '';
  const clear = (): void => {
    setState('');
    setWords('');
  };
  return (
    <Section
      title="All triggers"
      aside={data && <span className="quiet">{counted(total, 'trigger')}</span>}
    >
      <search className="filters">
        <label className="trigger-search grow">
          <span className="unseen">Search in names and instructions</span>
          <input
            type="search"
            placeholder="Search"
            value={words}
            maxLength={200}
            onChange={(event) => setWords(event.target.value)}
          />
        </label>
        <label>
          <span className="unseen">State</span>
          <select value={state} onChange={(event) => setState(event.target.value)}>
            <option value="">Any state</option>
            {Object.entries(STATES).map(([name, { text, choice = text }]) => (
              <option key={name} value={name}>
                {choice}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className="unseen">Order</span>
          <select value={order} onChange={(event) => setOrder(event.target.value)}>
            <option value="newest">Newest first</option>
            <option value="soonest">Soonest first</option>
          </select>
        </label>
      </search>
      {data === undefined && !error && <Loading lines={6} />}
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data !== undefined && shown.length === 0 && (
        <Nothing isFiltered={isFiltered} clear={clear} />
      )}
      {shown.length > 0 && (
        <>
          <div className="trigger-row heads" aria-hidden="true">
            <span className="name">Name and schedule</span>
            <span className="state">State</span>
            <span className="next">Next run</span>
            <span className="last">Last run</span>
          </div>
          <List
            label="Triggers"
            items={shown}
            idOf={idOf}
            rowHeight={59}
            more={query.more}
            look={query.look}
            pressed={({ id }, { key }) => key === 'Enter' && goTo('triggers', id)}
          >
            {(trigger) => <Row trigger={trigger} />}
          </List>
        </>
      )}
    </Section>
  );
}

function Nothing({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <Empty title="No trigger is like that.">
      <div className="actions middle">
        <Button onClick={clear}>Show all</Button>
      </div>
    </Empty>
  ) : (
    <Empty title="There are no triggers yet.">
      <p>Write above when and what, or say in the chat: “every weekday at 9 summarize my inbox”.</p>
    </Empty>
  );
}

function Row({ trigger }: { trigger: TriggerSummary }) {
  const { running } = useMarks();
  const { id, displayName, scheduleText, stateReason, nextRunAtMs, lastStatus } = trigger;
  const { lastRunAtIso, lastError } = trigger;
  const isRunning = running.has(id);
  return (
    <div className="trigger-row">
      <a className="name clip" href={linkTo('triggers', id)} title={displayName}>
        <bdi>{displayName}</bdi>
      </a>
      <span className="schedule quiet clip" title={scheduleText}>
        {scheduleText}
      </span>
      <span className="state">
        {isRunning ? <Badge tone="info">Running</Badge> : <StateBadge trigger={trigger} />}
        {stateReason !== undefined && (
          <span className="reason quiet clip" title={stateReason}>
            {stateReason}
          </span>
        )}
      </span>
      <span className="next quiet">
        {nextRunAtMs === null ? 'No next run' : <Time at={nextRunAtMs} />}
      </span>
      <span className={`last ${lastStatus ?? 'none'}`} title={lastError}>
        {lastStatus === undefined ? (
          <span className="quiet">Never</span>
        ) : (
          <>
            <Badge tone={RUN_TONES[lastStatus]}>{lastStatus}</Badge>
            {lastRunAtIso !== undefined && (
              <span className="quiet">
                <Time at={lastRunAtIso} />
              </span>
            )}
          </>
        )}
      </span>
      <span className="row-actions">
        <Button
          look="ghost"
          disabled={isRunning || trigger.state === 'invalid'}
          aria-label={`Run ${displayName} now`}
          onClick={() => void runNow(trigger)}
        >
          Run
        </Button>
        <Button
          look="ghost"
          disabled={trigger.state === 'invalid'}
          aria-label={`${isOn(trigger) ? 'Pause' : 'Resume'} ${displayName}`}
          onClick={() => pauseOrResume(trigger)}
        >
          {isOn(trigger) ? 'Pause' : 'Resume'}
        </Button>
        <TriggerMenu trigger={trigger} />
      </span>
    </div>
  );
}
