/** How runs are shown: in lists, as dots of a history, and whole. */
import { count, counted, duration, shortDate } from '../format.js';
import { linkTo } from '../route.js';
import type { Run } from '../shapes.js';
import { Badge, Facts, type Tone } from './basics.js';
import { Time } from './time.js';

export const RUN_TONES: Record<Run['status'], Tone> = {
  success: 'good',
  failed: 'bad',
  skipped: 'quiet',
  deferred: 'warn',
  running: 'info',
};

const DELIVERY: Record<NonNullable<Run['delivery']>['state'], string> = {
  none: 'not sent to a chat',
  pending: 'waits to be delivered',
  delivering: 'is being delivered',
  delivered: 'delivered',
  unknown: 'unknown whether it arrived',
  failed: 'not delivered',
};

export function deliveryText({ delivery }: Run): string {
  return delivery === undefined ? 'not sent to a chat' : DELIVERY[delivery.state];
}

/** Runs as dots, oldest at the left; each opens its run. */
export function RunDots({ runs }: { runs: readonly Run[] }) {
  return (
    <ol className="dots" aria-label="Runs, oldest first">
      {runs.toReversed().map(({ triggerId, triggerRunId, status, startedAt }) => (
        <li key={triggerRunId}>
          <a
            className={RUN_TONES[status]}
            href={linkTo('triggers', triggerId, triggerRunId)}
            title={`${shortDate(startedAt)}: ${status}`}
          >
            <span className="unseen">{`${shortDate(startedAt)}: ${status}`}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}

/** One run, whole: what was asked, what was done, what was answered, where it went. */
export function RunWhole({ run, instructions }: { run: Run; instructions: string | undefined }) {
  const { status, cause, attempt, scheduledForMs, startedAt, finishedAt, latencyMs } = run;
  return (
    <>
      <p>
        <Badge tone={RUN_TONES[status]}>{status}</Badge> {run.error ?? run.reason}
      </p>
      <h3>Instruction</h3>
      <pre>{instructions ?? 'The trigger is gone; its runs are kept.'}</pre>
      <h3>Actions</h3>
      {(run.actions ?? []).length === 0 ? (
        <p className="quiet">None.</p>
      ) : (
        <ol>
          {run.actions?.map(({ name, success, text, error }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list of a run does not change
            <li key={index}>
              <Badge tone={success ? 'good' : 'bad'}>{success ? 'done' : 'failed'}</Badge>{' '}
              <code>{name}</code> {error ?? text}
            </li>
          ))}
        </ol>
      )}
      <h3>Answer</h3>
      {run.answer === undefined ? <p className="quiet">None.</p> : <pre>{run.answer}</pre>}
      {run.lateAnswer !== undefined && (
        <>
          <h3>Answer that came too late</h3>
          <pre>{run.lateAnswer}</pre>
        </>
      )}
      {run.modelCalls !== undefined && (
        <>
          <h3>Model calls</h3>
          <ul>
            {run.modelCalls.map(({ model, provider, calls, ms, tokens }) => (
              <li key={`${model} ${provider}`}>
                <code>{model}</code> of {provider}: {counted(calls, 'call')}, {duration(ms)}
                {tokens !== undefined &&
                  `, ${count(tokens.prompt)} tokens read and ${count(tokens.completion)} written`}
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Delivery</h3>
      <p>
        {deliveryText(run)}
        {run.delivery?.error !== undefined && `: ${run.delivery.error}`}
      </p>
      <Facts
        facts={[
          ['Due', <Time key="due" at={scheduledForMs} />],
          ['Started', <Time key="started" at={startedAt} />],
          ...(finishedAt === undefined
            ? []
            : [['Finished', <Time key="finished" at={finishedAt} />] as const]),
          ...(latencyMs === undefined ? [] : [['Took', duration(latencyMs)] as const]),
          ['Cause', cause],
          ['Attempt', String(attempt)],
          ['Id', <code key="id">{run.triggerRunId}</code>],
        ]}
      />
    </>
  );
}
