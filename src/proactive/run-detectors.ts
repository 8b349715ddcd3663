/**
 * Runs detectors side by side so that none of them can harm anybody: one that throws is counted, one
 * that hangs is left behind after a while, and one that keeps hanging is not asked for a minute. A
 * detector that blocks the event loop cannot be stopped from inside its own process.
 */
import { performance } from 'node:perf_hooks';
import { type Clock, MINUTE_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Log } from '../shared/log.js';
import type { Decision, ProactiveHealth } from './offer-types.js';
import type { Detection, DetectorName, OfferContent } from './types.js';

/** One question to one detector. */
export interface DetectorCall {
  detector: DetectorName;
  /** What it is asked about, for the operator. */
  subject: string;
  run: () => Promise<Detection>;
}

export interface DetectorRun {
  detector: DetectorName;
  /** `null`: it failed, hung or was not asked; `error` says which. */
  detection: Detection | null;
  report: Decision['detectors'][number];
}

export interface DetectorRunner {
  /** Side by side, each within the time-out; never rejects. In the order of the calls. */
  run(calls: readonly DetectorCall[]): Promise<DetectorRun[]>;
  /** Counts since start. */
  counts(): Record<string, Omit<ProactiveHealth['detectors'][string], 'enabled'>>;
}

/** Long for a look-up, short for a person: a detector is expected to need a few milliseconds. */
const TIMEOUT_MS = 2_000;
/** Calls of one detector that hang at a time before it is left alone for a minute. */
const MOST_HANGING = 3;
const TIMES_KEPT = 500;
/** Of a content that another room has made. */
const MOST_LINES = 10;

interface Tally {
  evaluated: number;
  notified: number;
  failed: number;
  timedOut: number;
  lastError?: string;
  hanging: number;
  restUntilMs: number;
  times: number[];
}

export function createDetectorRunner(deps: {
  clock: Clock;
  log: Log;
  timeoutMs?: number | undefined;
}): DetectorRunner {
  const { clock, log, timeoutMs = TIMEOUT_MS } = deps;
  const tallies = new Map<DetectorName, Tally>();

  function tallyOf(name: DetectorName): Tally {
    const known = tallies.get(name);
    if (known) return known;
    const fresh: Tally = {
      evaluated: 0,
      notified: 0,
      failed: 0,
      timedOut: 0,
      hanging: 0,
      restUntilMs: 0,
      times: [],
    };
    tallies.set(name, fresh);
    return fresh;
  }

  /** Time left, ms. A clock that was set back does not make it longer. */
  function restOf({ restUntilMs }: Tally): number {
    const restMs = restUntilMs - clock.now();
    return restMs <= MINUTE_MS ? Math.max(0, restMs) : 0;
  }

  async function one(call: DetectorCall): Promise<DetectorRun> {
    const tally = tallyOf(call.detector);
    const report = { name: call.detector, ms: 0, notified: false, subject: call.subject };
    const nothing = { ...report, strength: 0, evidence: [] };
    if (restOf(tally) > 0) {
      const error = 'not asked: it hung several times';
      return { detector: call.detector, detection: null, report: { ...nothing, error } };
    }
    tally.evaluated += 1;
    const startedMs = performance.now();
    try {
      const detection = bounded(await inTime(call, tally));
      const ms = round(performance.now() - startedMs);
      remember(tally.times, ms);
      const { cue, shouldNotify } = detection;
      if (shouldNotify) tally.notified += 1;
      return {
        detector: call.detector,
        detection,
        report: {
          ...report,
          ms,
          notified: shouldNotify,
          subject: cue.subject,
          strength: cue.strength,
          evidence: cue.evidence,
        },
      };
    } catch (error) {
      const message = messageOf(error);
      if (!(error instanceof Hung)) tally.failed += 1;
      tally.lastError = message;
      log.warn({ detector: call.detector, error: message }, 'a detector failed');
      const ms = round(performance.now() - startedMs);
      return {
        detector: call.detector,
        detection: null,
        report: { ...nothing, ms, error: message },
      };
    }
  }

  /** @throws Hung, or what the detector threw */
  async function inTime(call: DetectorCall, tally: Tally): Promise<Detection> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        tally.timedOut += 1;
        tally.hanging += 1;
        if (tally.hanging >= MOST_HANGING) tally.restUntilMs = clock.now() + MINUTE_MS;
        reject(new Hung(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
    });
    // Also a detector that throws before it returns a promise.
    const work = Promise.resolve().then(call.run);
    let late = false;
    const settled = () => {
      if (late) tally.hanging -= 1;
    };
    work.then(settled, settled);
    try {
      return await Promise.race([work, patience]);
    } catch (error) {
      late = error instanceof Hung;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    run: (calls) => Promise.all(calls.map(one)),
    counts: () =>
      Object.fromEntries(
        [...tallies].map(([name, tally]) => [
          name,
          {
            evaluated: tally.evaluated,
            notified: tally.notified,
            failed: tally.failed,
            timedOut: tally.timedOut,
            ...(tally.lastError === undefined ? {} : { lastError: tally.lastError }),
            resting: restOf(tally) > 0,
            ms: { median: percentile(tally.times, 0.5), p95: percentile(tally.times, 0.95) },
          },
        ]),
      ),
  };
}

/**
 * What another room brings is cut to what could ever be shown: a thousand lines would be composed, and
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

function remember(times: number[], ms: number): void {
  times.push(ms);
  if (times.length > TIMES_KEPT) times.shift();
}

function percentile(times: readonly number[], share: number): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
