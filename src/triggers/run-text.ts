/** The words of a run: what the agent is told, and the line a person reads in the ledger. Pure. */
import type { TriggerConfig, TriggerRun } from './schema.js';

/**
 * The instruction as the agent sees it. It says that the time has come, because a model that reads
 * only "remind me to stretch" schedules it a second time.
 */
function instructionText(trigger: TriggerConfig, run: TriggerRun): string {
  const late = run.reason === undefined ? '' : `, ${run.reason}`;
  return (
    `[Scheduled task "${trigger.displayName}"${late}] The time has come: do this now. ` +
    'It is already scheduled, do not schedule it again. ' +
    'What you reply is sent to the chat where it was asked for.\n\n' +
    trigger.instructions
  );
}

/** Several waiting instructions of one conversation, taken in one turn of the autonomy loop. */
function sharedText(items: readonly { trigger: TriggerConfig; run: TriggerRun }[]): string {
  const lines = items.map(
    ({ trigger, run }, index) =>
      `${index + 1}. ${trigger.displayName}${run.reason === undefined ? '' : ` (${run.reason})`}: ${trigger.instructions}`,
  );
  return (
    `[${items.length} scheduled tasks] They have waited for this turn: do all of them now, once. ` +
    'They are already scheduled, do not schedule them again.\n\n' +
    lines.join('\n')
  );
}

/** What the agent is told in one turn. */
export function turnText(items: readonly { trigger: TriggerConfig; run: TriggerRun }[]): string {
  const [one] = items;
  return one && items.length === 1 ? instructionText(one.trigger, one.run) : sharedText(items);
}

/** One line about a run, stored as the text of its row. */
export function runLine(displayName: string, status: string, reason?: string): string {
  return `${displayName}: ${status}${reason === undefined ? '' : ` (${reason})`}`;
}
