/** What the factories of this room are made of, and the port through which it knows the autonomous rooms. */
import type {
  AutonomousInstruction,
  DeliveryOutcome,
  DeliveryRequest,
  RunDescriptor,
} from '../host/index.js';
import type { Records } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Ids } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Budget, BudgetSettings } from './budget.js';
import type { Ledger } from './ledger.js';
import type { TaskStore } from './store.js';

export interface TriggerSettings {
  enabled: boolean;
  /** Why nothing that is due runs here, and what to do; `null`: it runs. */
  paused: string | null;
  minIntervalMs: number;
  maxPerCreator: number;
  maxPerAgent: number;
  hotWindowMs: number;
  allowSeconds: boolean;
}

/** Every factory takes these. */
export interface Parts {
  records: Records;
  store: TaskStore;
  ledger: Ledger;
  budget: Budget;
  autonomy: AutonomyPort;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** This process, as the leases name it. */
  owner: string;
  settings: () => TriggerSettings & BudgetSettings;
  /** Kill switches: why nothing is dispatched, or `null`. */
  stopped: () => string | null;
  onStep?: StepObserver | undefined;
}

/** The autonomous rooms, as far as a run needs them. */
export interface AutonomyPort {
  /** Why nothing can run now, `null` when it can. */
  unavailable(): Promise<string | null>;
  /** What a `next_autonomy_cycle` run waits for, in words. */
  cycleReason(): Promise<string>;
  inject(request: AutonomousInstruction): Promise<RunDescriptor>;
  /** An answer stored by a process that died before it could record it. */
  storedAnswer(triggerRunId: string): Promise<{ text: string; responseId: string } | null>;
  /** Whether an answer that may have arrived before a crash is to be sent again. */
  resendsUnknown(): boolean;
  /** Removes what old runs have left in the host's tables; called once an hour. */
  tidy(nowMs: number): Promise<void>;
  /** The clock was set back: what waits for a time that lies far ahead now must not. */
  clockSetBack(): Promise<void>;
  deliver(attempt: DeliveryRequest, onSending: () => Promise<void>): Promise<DeliveryOutcome>;
}

/** Steps of a dispatch, in order; a test can stop the process exactly there. */
export const DISPATCH_STEPS = ['claimed', 'injected', 'answered', 'delivered', 'recorded'] as const;
export type DispatchStep = (typeof DISPATCH_STEPS)[number];
export type StepObserver = (step: DispatchStep, triggerRunId: string) => void | Promise<void>;
