/** What every part of the suite gathers while it works. */
import type { IAgentRuntime } from '@elizaos/core';
import { databaseOf } from '../../src/records/index.js';
import { type BlockDuring, watchStatements } from '../statement-watch.js';
import type { PartReport, SampleName, Samples } from './protocol.js';

export interface Watched {
  samples: Samples;
  add(name: SampleName, values: readonly number[]): void;
  /** Statements of the work are blamed on `during`. */
  phase(during: string, work: () => Promise<void>): Promise<void>;
  report(): PartReport;
}

/** Blocks below this say nothing. */
const WORTH_TELLING_MS = 20;

export function watched(runtime: IAgentRuntime): Watched {
  const watch = watchStatements(databaseOf(runtime));
  const samples: Samples = {};
  const blocks: BlockDuring[] = [];
  watch.take();
  return {
    samples,
    // Not spread into a call: gaps come by the ten thousand.
    add(name, values) {
      samples[name] = [...(samples[name] ?? []), ...values];
    },
    async phase(during, work) {
      watch.take();
      await work();
      for (const block of watch.take()) blocks.push({ ...block, during });
    },
    report() {
      return {
        samples: {
          ...samples,
          statement: blocks.map((block) => block.ms),
          'statement.cpu': blocks.map((block) => block.cpuMs),
        },
        blocks: blocks.filter((block) => block.ms >= WORTH_TELLING_MS),
      };
    },
  };
}

/** Milliseconds of one piece of work. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
