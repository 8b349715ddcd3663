/** What goes into an autonomous room and what comes out (seed `trigger-runtime.md` §5.4, DESIGN §5). */

export interface ActionOutcome {
  name: string;
  success: boolean;
  text?: string;
  error?: string;
}

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
  error?: string;
  /** Set when the time-out passed; `late` then resolves when the host really ends the run. */
  late?: Promise<RunDescriptor>;
}

export const AUTONOMY_SERVICE = 'AUTONOMY';
export const AUTONOMY_LOOP_TASK = 'AUTONOMY_THINK';
/** Marks our instructions on the message, next to the seed's trigger fields. */
export const INSTRUCTION_TYPE = 'autonomous_instruction';
