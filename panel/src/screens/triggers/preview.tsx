/** What a schedule in words means, while it is typed. */
import { useEffect, useState } from 'react';
import { ApiError, ask } from '../../api.js';
import { shortDate } from '../../format.js';
import { messageOf } from '../../parts/basics.js';
import { Time } from '../../parts/time.js';
import type { Preview } from '../../shapes.js';

const TYPING_MS = 250;

export interface Reading {
  /** What was read; what is typed may be further on. */
  text: string;
  preview?: Preview;
  problem?: string;
}

/** `null` while nothing is typed. What was read last is kept until what is typed has been read. */
export function useReading(typed: string, timezone: string): Reading | null {
  const [reading, setReading] = useState<Reading | null>(null);
  const text = typed.trim();
  useEffect(() => {
    if (text === '') {
      setReading(null);
      return;
    }
    const leaving = new AbortController();
    const { signal } = leaving;
    const timer = setTimeout(() => {
      ask<Preview>('/triggers/preview', { body: { text, timezone }, signal }).then(
        (preview) => setReading({ text, preview }),
        (error: unknown) => {
          if (!signal.aborted) setReading({ text, problem: problemOf(error) });
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text, timezone]);
  return reading;
}

function problemOf(error: unknown): string {
  const finding = error instanceof ApiError ? error.findings[0] : undefined;
  return finding?.text ?? messageOf(error, { text: 'The sentence', timezone: 'The timezone' });
}

/** The zone of whoever looks at the page. */
export const viewerZone = (): string =>
  new Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';

/** Under the field that it belongs to: the schedule and its next runs, or why there is none. */
export function ReadingText({
  id,
  reading,
  typed,
  isTimeOnly = false,
}: {
  id: string;
  reading: Reading | null;
  typed: string;
  /** What is to be done then stands elsewhere. */
  isTimeOnly?: boolean;
}) {
  const isOld = reading?.text !== typed.trim();
  return (
    <div id={id} className={`reading ${isOld ? 'old' : ''}`} aria-live="polite">
      {reading?.problem !== undefined && <p className="problem">{reading.problem}</p>}
      {reading?.preview && <PreviewText preview={reading.preview} isTimeOnly={isTimeOnly} />}
    </div>
  );
}

function PreviewText({
  preview: { scheduleText, instructions, nextRuns },
  isTimeOnly,
}: {
  preview: Preview;
  isTimeOnly: boolean;
}) {
  return (
    <>
      <p>
        <strong>{scheduleText}</strong>
        {!isTimeOnly && instructions !== undefined && (
          <>
            {': '}
            <bdi>{instructions}</bdi>
          </>
        )}
      </p>
      <ol className="next-runs" aria-label="Next runs">
        {nextRuns.map(({ atMs }) => (
          <li key={atMs}>
            {shortDate(atMs)}{' '}
            <span className="quiet">
              <Time at={atMs} />
            </span>
          </li>
        ))}
      </ol>
      {nextRuns.length === 0 && <p className="problem">It would never run.</p>}
    </>
  );
}
