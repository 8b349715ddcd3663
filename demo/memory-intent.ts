/**
 * How the offline model tells words about work memory from words about reminders. Rules only. Pure.
 */

export type MemoryAction =
  | 'STORE_WORK_MEMORY'
  | 'RECALL_WORK_MEMORY'
  | 'LINK_WORK_MEMORIES'
  | 'FORGET_WORK_MEMORY'
  | 'SYNTHESIZE_WISDOM';

const ID = /(?<!\w)mem_[0-9a-f-]{8,36}/gi;
const RELATED =
  /\b(?:caused?|causes|led|leads|because|due|result(?:ed)?|supersede[sd]?|replace[sd]?|block(?:s|ed)?|depends|waits|related|relates|link(?:ed)?|connect(?:ed)?)\b|_(?:by|to)\b/i;
/** What makes it a reminder whatever else is said. */
const REMINDERS = /\b(?:reminders?|triggers?|schedules?|alarms?|jobs?|routines?|timers?)\b/i;

/** "remember to …" is to be reminded. */
const TO_DO =
  /^(?:(?:please )?(?:remember|don['’]t forget|do not forget)) (?:me )?to (?!(?:your |my |the |work )*memory\b)/i;
const STORE =
  /^(?:(?:remember|memori[sz]e|keep in mind|don['’]t forget|do not forget|write down|note(?: down)?|take (?:a )?notes?|save|store|record|log)\b(?:\s+(?:that|this|down|it|a note|as a note|for later|for (?:everyone|everybody|the)\b|(?:to|in|as) (?:a |an |the |your |my )?(?:work )?memory)\b|\s*[:{]|$)|(?:store|save|record)\b.*\{|make a note\b)/i;
/** Without a "that" it is remembered unless it is a schedule. */
const MAYBE_STORE = /^(?:remember|memori[sz]e|keep in mind)\s+\S/i;
const RECALL =
  /^(?:(?:do|what (?:do|did|else do)|which .{1,40} do) (?:you|we) (?:still )?(?:remember|recall|know|learn|note)\b|(?:search|look (?:in|through|up in)|check|browse) (?:in )?(?:your |the |my )?(?:work )?memor(?:y|ies)\b|(?:what|anything|something) (?:is |do you have )?in (?:your|the|my) (?:work )?memory\b|(?:show|list)(?: me)? (?:all |my |the |your |our )*(?:work )?memor(?:y|ies)\b|what did i (?:tell|say|teach)\b)/i;
const RECALL_COMMAND = /^recall\b/i;
const REFERENCE = /(?:^|\s)(?:file|session|pattern|task|tag|agent):\S/i;
const SYNTHESIZE =
  /^(?:(?:synthesi[sz]e|distill?)\b|(?:sum up|summari[sz]e|condense)\b.*\b(?:wisdom|learnings?|lessons?|memor(?:y|ies)|learned|learnt|chapters?)\b|what have (?:we|you) (?:learned|learnt)\b|what wisdom\b)/i;
const REMOVE = /^(?:forget|delete|erase|wipe|remove|drop)\b/i;
const TOLD =
  /\b(?:memor(?:y|ies)|(?:what(?:ever)?|everything|all) (?:that )?(?:i|we|you|there is)\b|(?:my|the|your|all|our) notes?\b|about me\b|all you know\b)/i;
const FORGET =
  /^forget (?:about\b|(?:absolutely )?everything\b|all of it\b|me\b|that (?:i|we|my|our|he|she|they|the|you)\b)/i;
const SAID_NO_OR_YES =
  /^(?:yes|yeah|yep|yup|y|no|nope|nah|n|not|ok|okay|sure|never ?mind|forget (?:it|them|those)|delete (?:it|them|those)|keep (?:it|them)|cancel|stop|do (?:it|that)|don['’]t|do not|go ahead|go on|of course|rather not|please do|wait)\b[^?]{0,60}$/i;

/** Whether it is a schedule is asked only where both could be meant. */
export function memoryAction(text: string, isSchedule: () => boolean): MemoryAction | null {
  const named = text.match(ID) ?? [];
  if (named.length > 1 && !/^(?:remember|store|note|save)\b/i.test(text) && RELATED.test(text)) {
    return 'LINK_WORK_MEMORIES';
  }
  if (TO_DO.test(text)) return null;
  if (REMOVE.test(text))
    return forgets(text, named.length > 0, isSchedule) ? 'FORGET_WORK_MEMORY' : null;
  if (STORE.test(text)) return 'STORE_WORK_MEMORY';
  if (MAYBE_STORE.test(text)) return isSchedule() ? null : 'STORE_WORK_MEMORY';
  if (RECALL.test(text)) return 'RECALL_WORK_MEMORY';
  const seeks = RECALL_COMMAND.test(text) || named.length > 0 || REFERENCE.test(text);
  if (seeks) return isSchedule() ? null : 'RECALL_WORK_MEMORY';
  if (SYNTHESIZE.test(text)) return isSchedule() ? null : 'SYNTHESIZE_WISDOM';
  return null;
}

function forgets(text: string, named: boolean, isSchedule: () => boolean): boolean {
  if (named) return true;
  // "delete the old notes every Friday at 5 pm" is a new schedule.
  if (TOLD.test(text)) return /^forget\b/i.test(text) || !isSchedule();
  return FORGET.test(text) && !REMINDERS.test(text);
}

/** "Remember to …" asks for a reminder even without a time; the plugin asks when. */
export function asksToBeReminded(text: string): boolean {
  return TO_DO.test(text);
}

/** The action that the text answers, if the agent's last words were its question. */
export function memoryQuestion(
  last: { text: string; action?: string },
  text: string,
): MemoryAction | null {
  const action = last.action?.split(',')[0]?.trim();
  switch (action) {
    case 'FORGET_WORK_MEMORY':
      if (/^Shall I\? Say yes or no\.$/m.test(last.text)) {
        return SAID_NO_OR_YES.test(text) ? action : null;
      }
      return /What shall I forget\?/.test(last.text) ? action : null;
    case 'STORE_WORK_MEMORY':
      return /^What shall I remember\?/.test(last.text) ? action : null;
    case 'RECALL_WORK_MEMORY':
      return /^What shall I look for\?/.test(last.text) ? action : null;
    default:
      return null;
  }
}

/** Whether it is an answer to "Shall I?". */
export function isYesOrNo(text: string): boolean {
  return SAID_NO_OR_YES.test(text);
}
