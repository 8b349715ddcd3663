/**
 * Runs detectors side by side so that none of them can harm anybody: one that throws is counted, one
 * that hangs is left behind after a while, and one that keeps hanging is not asked for a minute. A
 * detector that blocks the event loop cannot be stopped from inside its own process.
 */
import { performance } from 'node:perf_hooks';
import { type Clock, MINUTE_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Log } from '../shared/log.js';
import type { Cue, Detection, DetectorName, OfferContent } from './types.js';

/** One question to one detector. */
export interface DetectorCall {
  detector: DetectorName;
  /** What it is asked about, for the operator. */
  subject: string;
  run: () => Promise<Detection>;
}

/** What a detector said, for the operator. */
export interface DetectorReport extends Pick<Cue, 'subject' | 'strength' | 'evidence'> {
  name: DetectorName;
  ms: number;
  notified: boolean;
  error?: string;
}

interface DetectorRun {
  detector: DetectorName;
  /** `null`: it failed, hung or was not asked; `error` of the report says which. */
  detection: Detection | null;
  report: DetectorReport;
}

/** Of one detector, since the start. */
export interface DetectorCounts {
  evaluated: number;
  notified: number;
  failed: number;
  timedOut: number;
  lastError?: string;
  /** It hung several times and is not asked for a minute. */
  resting: boolean;
  ms: { median: number | null; p95: number | null };
}

/** Long for a look-up, short for a person: a detector is expected to need a few milliseconds. */
const TIMEOUT_MS = 2_000;
/** Calls of one detector that hang at a time before it is left alone for a minute. */
const MOST_HANGING = 3;
const TIMES_KEPT = 500;
/** Of a content that another module has made. */
const MOST_LINES = 10;

interface Tally extends Omit<DetectorCounts, 'resting' | 'ms'> {
  hanging: number;
  restUntilMs: number;
  times: number[];
}

export type DetectorRunner = ReturnType<typeof createDetectorRunner>;

export function createDetectorRunner(deps: {
  clock: Clock;
  log: Log;
  timeoutMs?: number | undefined;
}) {
  const { clock, log, timeoutMs = TIMEOUT_MS } = deps;
  const tallies = new Map<DetectorName, Tally>();

  function tallyOf(name: DetectorName): Tally {
    const counts = { evaluated: 0, notified: 0, failed: 0, timedOut: 0 };
    const tally = tallies.get(name) ?? { ...counts, hanging: 0, restUntilMs: 0, times: [] };
    tallies.set(name, tally);
    return tally;
  }

  /** A clock that was set back does not make the rest longer. */
  function isResting({ restUntilMs }: Tally): boolean {
    const restMs = restUntilMs - clock.now();
    return restMs > 0 && restMs <= MINUTE_MS;
  }

  async function one({ detector, subject, run }: DetectorCall): Promise<DetectorRun> {
    const tally = tallyOf(detector);
    const startedMs = performance.now();
    const since = () => Math.round((performance.now() - startedMs) * 100) / 100;
    const failed = (error: string, ms: number): DetectorRun => {
      const report = { name: detector, ms, notified: false, subject, strength: 0, evidence: [] };
      return { detector, detection: null, report: { ...report, error } };
    };
    if (isResting(tally)) return failed('not asked: it hung several times', 0);
    tally.evaluated += 1;
    try {
      const detection = bounded(await inTime(run, tally));
      const ms = since();
      tally.times.push(ms);
      if (tally.times.length > TIMES_KEPT) tally.times.shift();
      const { cue, shouldNotify: notified } = detection;
      if (notified) tally.notified += 1;
      const { strength, evidence } = cue;
      const report = { name: detector, ms, notified, subject: cue.subject, strength, evidence };
      return { detector, detection, report };
    } catch (error) {
      const message = messageOf(error);
      if (!(error instanceof Hung)) tally.failed += 1;
      tally.lastError = message;
      log.warn({ detector, error: message }, 'a detector failed');
      return failed(message, since());
    }
  }

  /** @throws Hung, or what the detector threw */
  async function inTime(run: DetectorCall['run'], tally: Tally): Promise<Detection> {
    let timer: NodeJS.Timeout | undefined;
    let late = false;
    const patience = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        late = true;
        tally.timedOut += 1;
        tally.hanging += 1;
        if (tally.hanging >= MOST_HANGING) tally.restUntilMs = clock.now() + MINUTE_MS;
        reject(new Hung(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
    });
    // Also a detector that throws before it returns a promise.
    const work = Promise.resolve().then(run);
    const settled = () => {
      if (late) tally.hanging -= 1;
    };
    work.then(settled, settled);
    try {
      return await Promise.race([work, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    /** Side by side, each within the time-out; never rejects. In the order of the calls. */
    run: (calls: readonly DetectorCall[]): Promise<DetectorRun[]> => Promise.all(calls.map(one)),
    counts: (): Partial<Record<DetectorName, DetectorCounts>> =>
      Object.fromEntries(
        [...tallies].map(([name, tally]) => {
          const { hanging: _hanging, restUntilMs: _restUntilMs, times, ...counts } = tally;
          const ms = { median: percentile(times, 0.5), p95: percentile(times, 0.95) };
          return [name, { ...counts, resting: isResting(tally), ms }];
        }),
      ),
  };
}

/**
 * What another module brings is cut to what could ever be shown: a thousand lines would be composed, and
 * measured in tokens, a thousand times.
 */
function bounded(detection: Detection): Detection {
  const { content } = detection;
  if (content?.kind !== 'hintMatch' && content?.kind !== 'whenMatch') return detection;
  const memories = detection.memories.slice(0, MOST_LINES);
  // Of either kind the memories are its own.
  const few = { ...content, memories: content.memories.slice(0, MOST_LINES) } as OfferContent;
  return { ...detection, memories, content: few };
}

class Hung extends Error {}

function percentile(times: readonly number[], share: number): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
