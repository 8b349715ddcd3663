/** What a run of a trigger asks of the autonomous rooms, and what they say of it. */
import type { ModelCalls } from './model-calls.js';

/** One instruction for the agent, to be carried out in a SELF room of its own. */
export interface AutonomousInstruction {
  text: string;
  source: 'trigger' | 'loop';
  triggerId: string;
  /** Every id of this run is derived from it, so a repeat meets what is already stored. */
  triggerRunId: string;
  wakeMode: 'inject_now' | 'next_autonomy_cycle';
  /** Conversation the trigger came from; absent: the shared room. */
  originRoomId?: string;
  /** Whose rights our own actions have inside the run. */
  creatorEntityId?: string;
  displayName?: string;
  /** From the start of the run, ms. Default 5 minutes. */
  timeoutMs?: number;
  /**
   * Asked when its turn in the room has come, which may be long after: the text as it is now, or
   * `null`: leave it.
   */
  confirm?: () => Promise<string | null>;
}

/** How one turn of the pipeline ended. */
export interface RunDescriptor {
  status: 'success' | 'failed';
  /** The host's run id, for its logs. */
  runId?: string;
  messageId: string;
  /** Id of the stored answer; set when there is one. */
  responseId?: string;
  roomId: string;
  /** False for a deliberate IGNORE/NONE and for actions without text. */
  responded: boolean;
  text: string;
  thought?: string;
  actions: ActionOutcome[];
  /** What it asked of models up to its end; empty: nothing, or it is not known. */
  modelCalls?: ModelCalls[];
  error?: string;
  /** Set when the time-out passed; `late` then resolves when the host really ends the run. */
  late?: Promise<RunDescriptor>;
}

export interface ActionOutcome {
  name: string;
  success: boolean;
  text?: string;
  error?: string;
}

export interface DeliveryRequest {
  triggerRunId: string;
  roomId: string;
  /** Name of a send handler; absent: the room's own source. */
  source?: string;
  text: string;
  thought?: string;
  /** True when an earlier attempt recorded that it was about to send and never came back. */
  wasSending: boolean;
  /** Attempts made before this one. */
  attempts: number;
}

export interface DeliveryOutcome {
  state: 'pending' | 'delivered' | 'unknown' | 'failed';
  messageId: string;
  error?: string;
  /** Wait this long before the next attempt (only with `pending`), ms. */
  retryAfterMs?: number;
}
