/** One trigger, all of it. */
import type { ReactNode } from 'react';
import type { TriggerSummary } from '../../../../src/index.js';
import { counted, duration, shortDate } from '../../format.js';
import { Badge, Button, Facts, isGone, Loaded } from '../../parts/basics.js';
import { Dialog } from '../../parts/dialog.js';
import { RUN_TONES, RunDots } from '../../parts/run.js';
import { Time } from '../../parts/time.js';
import { useAsk } from '../../queries.js';
import { goTo, linkTo } from '../../route.js';
import type { Run } from '../../shapes.js';
import { isOn, pauseOrResume, runNow, TriggerMenu, useMarks } from './actions.js';
import { outcomeOf } from './runs.js';
import { StateBadge } from './table.js';

const HISTORY = 60;
const WHOLE_RUNS = 5;

export function TriggerDrawer({ id, close }: { id: string; close: () => void }) {
  const query = useAsk<{ trigger: TriggerSummary }>('triggers', `/triggers/${id}`);
  const trigger = isGone(query.error) ? undefined : query.data?.trigger;
  return (
    <Dialog
      look="drawer"
      title={trigger?.displayName ?? 'Trigger'}
      close={close}
      foot={trigger && <Foot trigger={trigger} close={close} />}
    >
      <Loaded query={query} lines={4}>
        {(data) => <Whole trigger={data.trigger} />}
      </Loaded>
      {trigger && <Why id={trigger.id} />}
      <History id={trigger?.id ?? id} />
    </Dialog>
  );
}

function Foot({ trigger, close }: { trigger: TriggerSummary; close: () => void }) {
  const { running } = useMarks();
  const isBroken = trigger.state === 'invalid';
  const isRunning = running.has(trigger.id);
  return (
    <>
      <TriggerMenu trigger={trigger} removed={close} />
      <span className="grow" />
      <Button disabled={isBroken} onClick={() => pauseOrResume(trigger)}>
        {isOn(trigger) ? 'Pause' : 'Resume'}
      </Button>
      <Button disabled={isBroken} onClick={() => goTo('triggers', trigger.id, 'edit')}>
        Edit
      </Button>
      <Button look="main" disabled={isBroken || isRunning} onClick={() => void runNow(trigger)}>
        {isRunning ? 'Running…' : 'Run now'}
      </Button>
    </>
  );
}

function Whole({ trigger }: { trigger: TriggerSummary }) {
  return (
    <>
      <p className="lead">
        <StateBadge trigger={trigger} /> {trigger.scheduleText}
      </p>
      {trigger.stateReason !== undefined && <p className="quiet">{trigger.stateReason}</p>}
      <h3>Instructions</h3>
      <pre dir="auto">{trigger.instructions}</pre>
      <Facts facts={factsOf(trigger)} />
    </>
  );
}

const MISSED = { skip: 'left out', once: 'made up for by one run', all: 'made up for, each' };

function factsOf(trigger: TriggerSummary): readonly (readonly [string, ReactNode])[] {
  const { nextRunAtMs, lastRunAtIso, lastStatus, lastError, runCount, maxRuns } = trigger;
  const { timezone, wakeMode, createdBy, deliverTo, startAtIso, untilIso } = trigger;
  const { maxFailures, failureCount, timeoutMs, overlapPolicy, missedRunPolicy } = trigger;
  const facts: [string, ReactNode][] = [
    ['Next run', nextRunAtMs === null ? 'None' : <NextRun key="next" atMs={nextRunAtMs} />],
  ];
  const add = (name: string, value: ReactNode, isThere: unknown): void => {
    if (isThere !== undefined && isThere !== null) facts.push([name, value]);
  };
  add('Last run', <LastRun at={lastRunAtIso ?? 0} status={lastStatus} />, lastRunAtIso);
  add('Last error', lastError, lastError);
  add('Runs', maxRuns === undefined ? runCount : `${runCount} of ${maxRuns}`, runCount);
  add(
    'Failed in a row',
    `${failureCount}${maxFailures ? ` of ${maxFailures}` : ''}`,
    failureCount || undefined,
  );
  add('Timezone', timezone, timezone);
  add('From', <Time at={startAtIso ?? 0} />, startAtIso);
  add('Until', <Time at={untilIso ?? 0} />, untilIso);
  add('Wakes', wakeMode === 'inject_now' ? 'at once' : 'with the next autonomy cycle', wakeMode);
  add('Takes at most', duration(timeoutMs ?? 0), timeoutMs);
  add(
    'While it runs',
    overlapPolicy === 'queue' ? 'the next one waits' : 'the next one is skipped',
    overlapPolicy,
  );
  add('Missed runs are', MISSED[missedRunPolicy?.mode ?? 'once'], missedRunPolicy);
  add('Answers go to', <code>{deliverTo?.roomId}</code>, deliverTo);
  add('Made by', createdBy, createdBy);
  add('Id', <code>{trigger.id}</code>, trigger.id);
  return facts;
}

function NextRun({ atMs }: { atMs: number }) {
  return (
    <>
      {shortDate(atMs)},{' '}
      <span className="quiet">
        <Time at={atMs} />
      </span>
    </>
  );
}

function LastRun({ at, status }: { at: number | string; status: string | undefined }) {
  return (
    <>
      {status}, <Time at={at} />
    </>
  );
}

/** Why it runs when it does, or why it does not. */
function Why({ id }: { id: string }) {
  const query = useAsk<{ reasons: string[] }>('triggers', `/triggers/${id}/why`);
  return (
    <>
      <h3>Why?</h3>
      <Loaded query={query}>
        {({ reasons }) => (
          <ul className="reasons" aria-label="Why it runs or does not">
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function History({ id }: { id: string }) {
  const query = useAsk<{ runs: Run[]; total: number }>('runs', `/triggers/${id}/runs`, {
    limit: HISTORY,
  });
  // Runs outlive their trigger; where there is neither, that is said above.
  if (isGone(query.error)) return null;
  return (
    <>
      <h3>History</h3>
      <Loaded query={query}>
        {({ runs, total }) =>
          runs.length === 0 ? (
            <p className="quiet">It has not run yet.</p>
          ) : (
            <>
              <RunDots runs={runs} />
              <ul className="last-runs" aria-label="Last runs">
                {runs.slice(0, WHOLE_RUNS).map((run) => (
                  <li key={run.triggerRunId}>
                    <Badge tone={RUN_TONES[run.status]}>{run.status}</Badge>
                    <a
                      className="grow clip"
                      href={linkTo('triggers', run.triggerId, run.triggerRunId)}
                    >
                      <bdi>{outcomeOf(run)}</bdi>
                    </a>
                    <span className="quiet">
                      <Time at={run.startedAt} />
                    </span>
                  </li>
                ))}
              </ul>
              {total > runs.length && (
                <p className="quiet">
                  The last {runs.length} of {counted(total, 'run')}.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}
