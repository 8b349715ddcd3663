/** What a look at the agent should tell: is it well, what comes, what came, what waits for an answer. */
import type { Offer } from '../../../src/index.js';
import { counted, duration, timeOfDay } from '../format.js';
import { useConnection } from '../live.js';
import { Badge, Button, Empty, Loaded, Section, type Tone } from '../parts/basics.js';
import { deliveryText, RUN_TONES } from '../parts/run.js';
import { Time, useNow } from '../parts/time.js';
import { useAsk, useChange } from '../queries.js';
import { linkTo } from '../route.js';
import type { Health, Run, Upcoming } from '../shapes.js';

const DAY_MS = 86_400_000;
const LAST_RUNS = 12;

export function Today() {
  return (
    <>
      <HealthLine />
      <Warnings />
      <Next />
      <LastRuns />
    </>
  );
}

const HEALTH: Record<Health['status'], { tone: Tone; text: string }> = {
  ok: { tone: 'good', text: 'Everything works.' },
  paused: { tone: 'info', text: 'Nothing runs, as you wish.' },
  starting: { tone: 'info', text: 'It is starting.' },
  degraded: { tone: 'warn', text: 'It works, but not as it should.' },
  failing: { tone: 'bad', text: 'Something does not work.' },
};

function HealthLine() {
  const query = useAsk<Health>('health', '/health');
  // How it was is not how it is.
  if (useConnection() === 'lost') {
    return (
      <p className="health bad">
        <Badge tone="bad">no answer</Badge> The server does not answer.
      </p>
    );
  }
  return (
    <Loaded query={query} lines={1}>
      {({ status, reasons }) => {
        const { tone, text } = HEALTH[status];
        return (
          <p className={`health ${tone}`}>
            <Badge tone={tone}>{status}</Badge> {reasons.length === 0 ? text : reasons.join(' · ')}
          </p>
        );
      }}
    </Loaded>
  );
}

/** Warnings that nobody has answered. */
function Warnings() {
  const query = useAsk<{ offers: Offer[] }>('offers', '/offers', {
    kind: 'conflictWarning',
    limit: 50,
  });
  const answer = useChange<{ id: string; how: 'acknowledge' | 'dismiss' }>(
    ({ id, how }) => ({ path: `/offers/${id}/${how}` }),
    ['offers'],
  );
  const waiting = (query.data?.offers ?? []).filter(
    ({ state, requiresAcknowledgment }) =>
      requiresAcknowledgment && (state === 'pending' || state === 'shown'),
  );
  if (waiting.length === 0) return null;
  return (
    <Section title="Waiting for an answer">
      <ul className="cards">
        {waiting.map(({ id, subject, text, createdAt }) => (
          <li key={id} className="card warn">
            <p className="card-title">
              {subject} <Time at={createdAt} />
            </p>
            <pre>{text}</pre>
            <div className="actions">
              <Button onClick={() => answer.mutate({ id, how: 'acknowledge' })}>Acknowledge</Button>
              <Button look="ghost" onClick={() => answer.mutate({ id, how: 'dismiss' })}>
                Dismiss
              </Button>
              <a href={linkTo('offers', id)}>Why?</a>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The next 24 hours on a line, and as a list for those who read or cannot see a line. */
function Next() {
  const query = useAsk<Upcoming>(
    'triggers',
    '/triggers/upcoming',
    { hours: 24 },
    { everyMs: 60_000 },
  );
  return (
    <Section title="The next 24 hours">
      <Loaded query={query}>
        {({ occurrences, truncated }) =>
          occurrences.length === 0 ? (
            <Empty title="Nothing is due.">
              <p>
                <a href={linkTo('triggers', 'new')}>Create a trigger</a>, or say in the chat: “every
                weekday at 9 summarize my inbox”.
              </p>
            </Empty>
          ) : (
            <>
              <TimeLine occurrences={occurrences} />
              <Occurrences occurrences={occurrences} truncated={truncated} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function TimeLine({ occurrences }: Pick<Upcoming, 'occurrences'>) {
  const now = useNow();
  const hour = new Date(now);
  hour.setMinutes(0, 0, 0);
  const marks = Array.from({ length: 4 }, (_, n) => hour.getTime() + (n + 1) * (DAY_MS / 4));
  const placed = (atMs: number) => `${((atMs - now) / DAY_MS) * 100}%`;
  return (
    <div className="time-line" aria-hidden="true">
      {marks
        .filter((atMs) => atMs < now + 0.94 * DAY_MS)
        .map((atMs) => (
          <span key={atMs} className="mark" style={{ left: placed(atMs) }}>
            {timeOfDay(atMs)}
          </span>
        ))}
      {occurrences
        .filter(({ atMs }) => atMs >= now && atMs <= now + DAY_MS)
        .map(({ triggerId, displayName, atMs }) => (
          <a
            key={`${triggerId} ${atMs}`}
            tabIndex={-1}
            className="dot"
            style={{ left: placed(atMs) }}
            href={linkTo('triggers', triggerId)}
            title={`${timeOfDay(atMs)} ${displayName}`}
          >
            <span className="unseen">{displayName}</span>
          </a>
        ))}
    </div>
  );
}

/** Triggers in the order of their next run; one that comes often is one line. */
function Occurrences({ occurrences, truncated }: Upcoming) {
  const byTrigger = new Map<string, Upcoming['occurrences']>();
  for (const one of occurrences) {
    byTrigger.set(one.triggerId, [...(byTrigger.get(one.triggerId) ?? []), one]);
  }
  const lines = [...byTrigger.values()].slice(0, 20);
  return (
    <ol className="lines">
      {lines.map(([first, ...others]) =>
        first === undefined ? null : (
          <li key={first.triggerId}>
            <span className="when">
              <Time at={first.atMs} />
            </span>
            <a className="grow" href={linkTo('triggers', first.triggerId)}>
              {first.displayName}
            </a>
            <span className="quiet">
              {first.scheduleText}
              {others.length > 0 && `, ${others.length + 1} times`}
            </span>
          </li>
        ),
      )}
      {(truncated || byTrigger.size > lines.length) && (
        <li>
          <a href={linkTo('triggers')}>All triggers</a>
        </li>
      )}
    </ol>
  );
}

function LastRuns() {
  const query = useAsk<{ runs: Run[]; total: number }>('runs', '/runs', { limit: 50 });
  return (
    <Section title="Last runs" aside={<a href={linkTo('triggers', 'runs')}>All runs</a>}>
      <Loaded query={query}>
        {({ runs, total }) => {
          if (runs.length === 0) {
            return <Empty title="Nothing has run yet." />;
          }
          const isFailed = ({ status }: Run) => Number(RUN_TONES[status] === 'bad');
          const shown = runs.toSorted((a, b) => isFailed(b) - isFailed(a)).slice(0, LAST_RUNS);
          const failed = runs.filter(isFailed).length;
          return (
            <>
              {failed > 0 && (
                <p className="quiet">
                  {failed} of the last {counted(runs.length, 'run')} failed.
                </p>
              )}
              <ul className="lines">
                {shown.map((run) => (
                  <RunLine key={run.triggerRunId} run={run} />
                ))}
              </ul>
              {total > runs.length && <p className="quiet">{counted(total, 'run')} in all</p>}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function RunLine({ run }: { run: Run }) {
  const { status, displayName, triggerId, triggerRunId, startedAt, latencyMs } = run;
  return (
    <li className="run-line">
      <Badge tone={RUN_TONES[status]}>{status}</Badge>
      <div className="grow">
        <a href={linkTo('triggers', triggerId, triggerRunId)}>{displayName}</a>
        <p className="quiet clip">{run.error ?? run.reason ?? run.answer ?? 'No answer.'}</p>
      </div>
      <span className="quiet end">
        {startedAt !== undefined && <Time at={startedAt} />}
        <span>
          {[latencyMs === undefined ? [] : duration(latencyMs), deliveryText(run)]
            .flat()
            .join(', ')}
        </span>
      </span>
    </li>
  );
}
