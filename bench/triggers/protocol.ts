/** What the parent asks of a child process and what it gets back. */
import type { BlockDuring } from '../statement-watch.js';
import type { DueMode } from './due-times.js';

export interface ScenarioRequest {
  way: 'cue' | 'plain';
  size: number;
  quick: boolean;
  /** Rounds of triggers that come due together; 0: leave that part out. */
  dueRounds: number;
  duePerRound: number;
  dueModes: readonly DueMode[];
}

/** Milliseconds by name of the measurement; the names are the same for both ways. */
export type Samples = Partial<Record<SampleName, number[]>>;

export type SampleName =
  | 'tick'
  | 'beat.idle'
  | 'beat.due'
  | 'create.many'
  | 'create.many.each'
  | 'create.gaps'
  | 'create.one'
  | 'list'
  | 'get'
  | 'health'
  | 'claim.won'
  | 'claim.lost'
  | 'lease.cas'
  | 'due.same.worst'
  | 'due.same.each'
  | 'due.spread.worst'
  | 'due.spread.each'
  | 'due.begun.worst'
  | 'due.begun.each'
  | 'statement'
  | 'statement.cpu';

export interface ScenarioReport {
  samples: Samples;
  /** Longest block of each statement after start-up, with what was going on. */
  blocks: BlockDuring[];
}

export function addTo(samples: Samples, name: SampleName, values: number[]): void {
  samples[name] = [...(samples[name] ?? []), ...values];
}
