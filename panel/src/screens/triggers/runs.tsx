/** The runs of every trigger, and one of them whole. */
import { useState } from 'react';
import type { TriggerSummary } from '../../../../src/index.js';
import { counted, duration } from '../../format.js';
import { Badge, Empty, Failure, Loaded, Loading, Section } from '../../parts/basics.js';
import { Dialog } from '../../parts/dialog.js';
import { List } from '../../parts/list.js';
import { deliveryText, RUN_TONES, RunWhole } from '../../parts/run.js';
import { Time } from '../../parts/time.js';
import { useAsk, usePages } from '../../queries.js';
import { goTo, linkTo } from '../../route.js';
import type { Run } from '../../shapes.js';

const idOf = ({ triggerRunId }: Run): string => triggerRunId;

export function AllRuns() {
  const [status, setStatus] = useState('');
  const { items, total, more, look, error, refetch, data } = usePages<Run>(
    'runs',
    { status },
    idOf,
  );
  return (
    <Section title="Runs" aside={data && <span className="quiet">{counted(total, 'run')}</span>}>
      <search className="filters">
        <label>
          <span className="unseen">Status</span>
          <select value={status} onChange={(event) => setStatus(event.target.value)}>
            <option value="">Any status</option>
            {Object.keys(RUN_TONES).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </search>
      {data === undefined && !error && <Loading lines={6} />}
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data !== undefined && items.length === 0 && (
        <Empty title={status === '' ? 'Nothing has run yet.' : `No run is ${status}.`}>
          {status === '' && (
            <p>
              <a href={linkTo('triggers', 'new')}>Create a trigger</a>, and run it at once to see
              what it does.
            </p>
          )}
        </Empty>
      )}
      {items.length > 0 && (
        <List
          label="Runs"
          items={items}
          idOf={idOf}
          rowHeight={59}
          more={more}
          look={look}
          pressed={({ triggerId, triggerRunId }, { key }) =>
            key === 'Enter' && goTo('triggers', triggerId, triggerRunId)
          }
        >
          {(run) => <RunRow run={run} />}
        </List>
      )}
    </Section>
  );
}

export const outcomeOf = ({ error, answer, reason }: Run): string =>
  error ?? answer ?? reason ?? 'No answer.';

function RunRow({ run }: { run: Run }) {
  const { status, displayName, triggerId, triggerRunId, startedAt, latencyMs } = run;
  const outcome = outcomeOf(run);
  return (
    <div className="run-row">
      <span className="status">
        <Badge tone={RUN_TONES[status]}>{status}</Badge>
      </span>
      <a
        className="name clip"
        href={linkTo('triggers', triggerId, triggerRunId)}
        title={displayName}
      >
        <bdi>{displayName}</bdi>
      </a>
      <span className="outcome quiet clip" title={outcome}>
        <bdi>{outcome}</bdi>
      </span>
      <span className="at quiet">
        <Time at={startedAt} />
      </span>
      <span className="how quiet clip">
        {[latencyMs === undefined ? [] : duration(latencyMs), deliveryText(run)].flat().join(', ')}
      </span>
    </div>
  );
}

export function RunDrawer({ id, close }: { id: string; close: () => void }) {
  const query = useAsk<{ run: Run; trigger: TriggerSummary | null }>('runs', `/runs/${id}`);
  return (
    <Dialog
      look="drawer"
      title={query.data?.run.displayName ?? 'Run'}
      close={close}
      foot={
        query.data?.trigger && (
          <a className="button" href={linkTo('triggers', query.data.trigger.id)}>
            Its trigger
          </a>
        )
      }
    >
      <Loaded query={query} lines={8}>
        {({ run, trigger }) => <RunWhole run={run} instructions={trigger?.instructions} />}
      </Loaded>
    </Dialog>
  );
}
