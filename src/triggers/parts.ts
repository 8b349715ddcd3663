/** What the factories of this room are made of, and the port through which it knows the autonomous rooms. */
import type { ModelCalls } from '../host/index.js';
import type { Records } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Ids } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Budget, BudgetSettings } from './budget.js';
import type { Ledger } from './ledger.js';
import type { TriggerWakeMode } from './schema.js';
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

export interface InjectionRequest {
  text: string;
  source: 'trigger';
  triggerId: string;
  triggerRunId: string;
  wakeMode: TriggerWakeMode;
  originRoomId?: string;
  creatorEntityId?: string;
  displayName?: string;
  timeoutMs?: number;
  /** Asked when its turn in the room has come: the text as it is now, or `null`: leave it. */
  confirm?: () => Promise<string | null>;
}

export interface InjectionResult {
  status: 'success' | 'failed';
  messageId: string;
  responseId?: string;
  roomId: string;
  responded: boolean;
  text: string;
  thought?: string;
  actions: { name: string; success: boolean; text?: string; error?: string }[];
  modelCalls?: ModelCalls[];
  error?: string;
  late?: Promise<InjectionResult>;
}

export interface DeliveryAttempt {
  triggerRunId: string;
  roomId: string;
  source?: string;
  text: string;
  thought?: string;
  wasSending: boolean;
  attempts: number;
}

export interface DeliveryResult {
  state: 'pending' | 'delivered' | 'unknown' | 'failed';
  messageId: string;
  error?: string;
  retryAfterMs?: number;
}

/** The autonomous rooms, as far as a run needs them. */
export interface AutonomyPort {
  /** Why nothing can run now, `null` when it can. */
  unavailable(): Promise<string | null>;
  /** What a `next_autonomy_cycle` run waits for, in words. */
  cycleReason(): Promise<string>;
  inject(request: InjectionRequest): Promise<InjectionResult>;
  /** An answer stored by a process that died before it could record it. */
  storedAnswer(triggerRunId: string): Promise<{ text: string; responseId: string } | null>;
  /** Whether an answer that may have arrived before a crash is to be sent again. */
  resendsUnknown(): boolean;
  /** Removes what old runs have left in the host's tables; called once an hour. */
  tidy(nowMs: number): Promise<void>;
  /** The clock was set back: what waits for a time that lies far ahead now must not. */
  clockSetBack(): Promise<void>;
  deliver(attempt: DeliveryAttempt, onSending: () => Promise<void>): Promise<DeliveryResult>;
}

/** Steps of a dispatch, in order; a test can stop the process exactly there. */
export const DISPATCH_STEPS = ['claimed', 'injected', 'answered', 'delivered', 'recorded'] as const;
export type DispatchStep = (typeof DISPATCH_STEPS)[number];
export type StepObserver = (step: DispatchStep, triggerRunId: string) => void | Promise<void>;
