/**
 * Reads what was there before, and again in the background while that fails: a database that is away
 * for a moment at the start must not leave the agent without its offers for as long as it runs.
 */
import { messageOf } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';

export interface OfferLoader {
  /** Resolves after the try that is under way, or after a new one; never rejects. */
  load(): Promise<void>;
  /** In words, why what was there before is not known; `null`: it is. */
  problem(): string | null;
  /** Ends the try that is under way; waits a second for it at most. */
  stop(): Promise<void>;
}

export interface OfferLoaderDeps {
  /** Has to return soon once `isStopped`; returns false when it did so before its end. */
  read: (isStopped: () => boolean) => Promise<boolean>;
  log: Log;
  /** Waits between the tries, ms; the last one is repeated. */
  waitsMs?: readonly number[] | undefined;
}

const WAITS_MS = [1_000, 5_000, 30_000, 60_000];
const STOP_WAIT_MS = 1_000;

export function createOfferLoader({ read, log, waitsMs = WAITS_MS }: OfferLoaderDeps): OfferLoader {
  let problem: string | null = 'offers of before are being read';
  let loading: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let stopped = false;

  async function attempt(): Promise<void> {
    try {
      if (await read(() => stopped)) problem = null;
    } catch (error) {
      problem = `offers of before could not be read: ${messageOf(error)}`;
      log.error({ reason: messageOf(error) }, 'offers of before could not be read');
    }
    if (problem === null || stopped) return;
    loading = null;
    const waitMs = waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 0;
    failures += 1;
    timer = setTimeout(() => void load(), waitMs);
    timer.unref();
  }

  function load(): Promise<void> {
    clearTimeout(timer);
    if (!stopped) loading ??= attempt();
    return loading ?? Promise.resolve();
  }

  return {
    load,
    problem: () => problem,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      if (loading !== null) await atMost(STOP_WAIT_MS, loading);
    },
  };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
