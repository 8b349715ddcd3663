/** What the triggers room needs from others, handed in by the composition root. */
import type { TriggerWakeMode } from './schema.js';

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
