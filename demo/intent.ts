/**
 * How the offline model decides: a line of chat → the action a real model would plan. Rules only,
 * so that the same words always mean the same. Pure.
 */
import type { parseScheduleText } from '../src/index.js';
import { type HintAction, hintAction, hintQuestion } from './hint-intent.js';
import {
  asksToBeReminded,
  isYesOrNo,
  type MemoryAction,
  memoryAction,
  memoryQuestion,
} from './memory-intent.js';
import { type OfferAction, offerAction } from './offer-intent.js';
import { type WhenAction, whenAction, whenQuestion } from './when-intent.js';

export type ChosenAction =
  | MemoryAction
  | OfferAction
  | WhenAction
  | HintAction
  | 'CREATE_TRIGGER'
  | 'LIST_TRIGGERS'
  | 'UPDATE_TRIGGER'
  | 'DELETE_TRIGGER'
  | 'RUN_TRIGGER'
  | 'EXPLAIN_TRIGGER'
  | 'SET_TIME_ZONE'
  | 'SHOW_EXAMPLES'
  | 'REPLY';

export interface ChatTurn {
  text: string;
  /** What the agent said last in this conversation. */
  lastAnswer?: { text: string; action?: string };
  /** The action that waits for an answer, as the plugin's provider names it in the prompt. */
  openQuestion?: string;
  /** The prompt offers the action that looks into the `/when` index. */
  hasIndex?: boolean;
}

export interface ReadingOptions {
  /** The plugin's own reader: it knows what a schedule is better than any rule here. */
  parse: typeof parseScheduleText;
  nowMs: number;
  timezone: string;
}

export const POLITE =
  /^(?:(?:please|ok|okay|hey|hi|so|and|now|cue)[\s,]+)*(?:(?:can|could|would|will) you (?:please )?)?(?:please )?/i;
/** Names something that exists already, which a request for a new one does not. */
const EXISTING =
  /\b(?:reminders?|triggers?|schedules?|scheduled|alarms?|jobs?|routines?|it|that|this|them|(?:the|my) \w+ one|(?:the|my) last one)\b/i;
const LIST =
  /^(?:list|show|what|which|tell me|do i have|have i|are there|give me)\b.*\b(?:reminders?|triggers?|schedules?|scheduled|alarms?|planned|coming up)\b|^list\b|^what(?:'s| is| are| has| have)? (?:been )?(?:paused|failed|failing)\b/i;
const EXPLAIN =
  /^(?:so |but )?(?:why (?:did|do|does|is|isn't|are|aren't|was|wasn't|were|has|hasn't|have|haven't|didn't|doesn't|don't)|how come|explain|what happened (?:to|with))\b.*(?:\b(?:fire|fired|run|ran|running|remind|reminded|reminders?|triggers?|triggered|go off|went off|paused|skipped|failed|fail|late|work)\b|\bit\b)/i;
const TIME_ZONE =
  /\b(?:my|our|the|set|use|change)\b.*\btime ?zone\b|\btime ?zone (?:is|to)\b|\bi(?:'m| am) (?:in|on) [\w/+: ]+\btime\b/i;
/** Somebody's own zone, even in "remember that …". */
const MY_ZONE = /\bmy time ?zone (?:is|to)\b/i;
const RUN = /^(?:run|fire|execute|start|do|trigger)\b.*\b(?:now|right away|immediately|at once)\b/i;
const CHANGE =
  /^(?:pause|unpause|resume|continue|snooze|skip|rename|reschedule|postpone|push back)\b/i;
const MAYBE_CHANGE =
  /^(?:move|change|edit|update|shift|make|set|call|enable|disable|turn (?:on|off)|switch (?:on|off)|stop|start|hold)\b/i;
/** "move morning mail to 10 am": something that exists, called by its name. */
const MOVE = /^(?:move|change|shift|edit) .+ (?:to|for|until) \S/i;
const REMOVE =
  /^(?:delete|remove|cancel|drop|forget|clear|get rid of|stop (?:reminding|telling))\b/i;
const ASKS_TO_SCHEDULE =
  /\b(?:remind me|schedule|wake me|set (?:up )?(?:a|an|another) (?:reminder|alarm|trigger|timer))\b/i;
/** Short answers to a question of ours: to a confirmation, or which of two was meant. */
const ANSWER_WORDS = 12;
/** Small talk and questions, said while a question of ours is open. */
const NO_ANSWER = /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you)\b|\?$/i;
/** In the languages that are read. */
const HELP =
  /^(?:help|commands|examples|what can (?:you do|i (?:do|say|ask))(?: here)?|how do(?:es)? (?:this|you) work|hilfe|was kannst du(?: alles)?|aide|que (?:peux|sais)-tu faire|ayuda|qué puedes hacer|ajuda|o que (?:você )?pode fazer|aiuto|cosa (?:puoi|sai) fare|wat kun je)(?: me| mir)?\W*$/iu;
const OUR_ACTIONS = new Set<string>([
  'CREATE_TRIGGER',
  'UPDATE_TRIGGER',
  'DELETE_TRIGGER',
  'RUN_TRIGGER',
  'EXPLAIN_TRIGGER',
  'SET_TIME_ZONE',
]);

export function chooseAction(turn: ChatTurn, options: ReadingOptions): ChosenAction {
  const text = turn.text.trim().replace(POLITE, '').trim() || turn.text.trim();
  if (HELP.test(text) || HELP.test(turn.text.trim())) return 'SHOW_EXAMPLES';
  const when = whenAction(text, turn) ?? whenAnswer(turn, text);
  if (when !== null) return when;
  if (MY_ZONE.test(text)) return 'SET_TIME_ZONE';
  const hint = hintAction(text, turn.lastAnswer) ?? hintAnswer(turn, text);
  if (hint !== null) return hint;
  const offer =
    offerAction(text, turn.lastAnswer) ?? offerAction(turn.text.trim(), turn.lastAnswer);
  if (offer !== null) return offer;
  const memory = memoryAnswer(turn, text) ?? memoryAction(text, () => isSchedule(text, options));
  if (memory !== null) return memory;
  if (TIME_ZONE.test(text)) return 'SET_TIME_ZONE';
  if (EXPLAIN.test(text)) return 'EXPLAIN_TRIGGER';
  if (LIST.test(text)) return 'LIST_TRIGGERS';
  if (RUN.test(text)) return 'RUN_TRIGGER';
  if (CHANGE.test(text)) return 'UPDATE_TRIGGER';
  const existing = EXISTING.test(text);
  if (existing && REMOVE.test(text)) return 'DELETE_TRIGGER';
  if (existing && MAYBE_CHANGE.test(text) && !ASKS_TO_SCHEDULE.test(text)) return 'UPDATE_TRIGGER';
  // "delete the old logs every Friday at 5 pm" is a new schedule, whatever its first word.
  const reading = options.parse(text, options);
  if (reading.kind === 'schedule' && !isTold(reading.instructions) && !isUndone(text, reading)) {
    return 'CREATE_TRIGGER';
  }
  // A command with a name in it answers no question.
  if (MOVE.test(text)) return 'UPDATE_TRIGGER';
  const asked = questionBefore(turn) ?? openQuestion(turn);
  if (asked !== undefined && isShort(text)) return asked;
  if (REMOVE.test(text)) return 'DELETE_TRIGGER';
  if (reading.kind === 'ambiguous' && !isTold(text)) return 'CREATE_TRIGGER';
  if (ASKS_TO_SCHEDULE.test(text)) return 'CREATE_TRIGGER';
  return asksToBeReminded(text) ? 'CREATE_TRIGGER' : 'REPLY';
}

function isSchedule(text: string, options: ReadingOptions): boolean {
  const reading = options.parse(text, options);
  return reading.kind === 'schedule' && !isTold(reading.instructions);
}

/** The plugin reads a time in any sentence; whether one is wanted is for the model to say, so here. */
const TOLD =
  /^(?:i(?:['’](?:m|ll|ve|d))?|we(?:['’](?:re|ll|ve))?|you(?:['’](?:re|ll|ve))?|he|she|they|it(?:['’]s)?|there(?:['’]s)?|this|that|the|my|our|your|his|her|their|nobody|somebody|everyone|see you|thanks|thank you|have (?:a|fun)|happy|good)\b/i;
const WISH = /^i(?:['’]d| would)? (?:want|need|like|have) to\b|\bremind\b/i;

/** "move the build check to 8:15": a single time behind these words is that of what exists. */
function isUndone(text: string, { schedule }: { schedule: { triggerType: string } }): boolean {
  return schedule.triggerType === 'once' && (MOVE.test(text) || REMOVE.test(text));
}

/** "We close at 6 pm on Saturdays", "See you tomorrow at 9". */
function isTold(words: string): boolean {
  return TOLD.test(words) && !WISH.test(words);
}

/** "What shall I look up?" may be left unanswered: another request is one. */
function whenAnswer({ lastAnswer }: ChatTurn, text: string): WhenAction | null {
  if (lastAnswer === undefined || NO_ANSWER.test(text) || isYesOrNo(text)) return null;
  const isOther = LIST.test(text) || ASKS_TO_SCHEDULE.test(text) || CHANGE.test(text);
  return isShort(text) && !isOther ? whenQuestion(lastAnswer) : null;
}

/** "Of which component?" may be left unanswered, too. */
function hintAnswer({ lastAnswer, text: whole }: ChatTurn, text: string): HintAction | null {
  if (NO_ANSWER.test(whole.trim()) || LIST.test(text) || ASKS_TO_SCHEDULE.test(text)) return null;
  return isShort(text) ? hintQuestion(lastAnswer) : null;
}

/** An answer to a question about memories: the last words, or one that is still open. */
function memoryAnswer(turn: ChatTurn, text: string): MemoryAction | null {
  // "please" and "ok" are half an answer.
  const said = turn.text.trim();
  const isAnswer = isYesOrNo(text) || isYesOrNo(said);
  if (turn.openQuestion === 'FORGET_WORK_MEMORY' && isAnswer) return 'FORGET_WORK_MEMORY';
  if (turn.lastAnswer === undefined || NO_ANSWER.test(said)) return null;
  const asked = memoryQuestion(turn.lastAnswer, text) ?? memoryQuestion(turn.lastAnswer, said);
  if (asked === null || isAnswer) return asked;
  // "What shall I remember?" may be left unanswered: another request is one.
  return isShort(text) && !LIST.test(text) && !ASKS_TO_SCHEDULE.test(text) ? asked : null;
}

function isShort(text: string): boolean {
  return text.split(/\s+/).length <= ANSWER_WORDS;
}

/** The action whose question the person is answering, if our last words were one. */
function questionBefore(turn: ChatTurn): ChosenAction | undefined {
  const last = turn.lastAnswer;
  if (last === undefined || !last.text.includes('?')) return undefined;
  const action = last.action?.split(',')[0]?.trim();
  if (action !== undefined && OUR_ACTIONS.has(action)) return action as ChosenAction;
  return undefined;
}

/**
 * The question that is still open though our last words were others, or are not in the prompt: the
 * host stores none of what it answers over a request that waits ("transport": "http").
 */
function openQuestion(turn: ChatTurn): ChosenAction | undefined {
  const action = turn.openQuestion;
  if (action === undefined || NO_ANSWER.test(turn.text.trim())) return undefined;
  return OUR_ACTIONS.has(action) ? (action as ChosenAction) : undefined;
}

const SCHEDULED = /^\[Scheduled task "(?<name>.*)"(?:, (?<reason>[^\]]*))?\]/;
const SEVERAL = /^\[\d+ scheduled tasks\]/;
const CYCLE_LINE = /^\d+\. (?:.*? \((?<reason>[^)]*)\)|.*?): (?<task>.*)$/;

/**
 * The answer to an instruction that the plugin injected (src/triggers/plan.ts), `null` for
 * anything else.
 */
export function answerToInstruction(text: string): string | null {
  const single = SCHEDULED.exec(text);
  if (single) {
    const task = text.slice(text.indexOf('\n\n') + 2);
    return withReason(saidNow(task), single.groups?.reason);
  }
  if (SEVERAL.test(text)) {
    const lines = text.split('\n').flatMap((line) => {
      const found = CYCLE_LINE.exec(line)?.groups;
      return found?.task === undefined ? [] : [withReason(saidNow(found.task), found.reason)];
    });
    return lines.join('\n');
  }
  return null;
}

function withReason(answer: string, reason: string | undefined): string {
  return reason === undefined ? answer : `${answer} (${reason})`;
}

/** What a person hears when the time has come: "remind me to stretch" → "Reminder: stretch." */
export function saidNow(instructions: string): string {
  const task = instructions
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.!]+$/, '')
    .replace(POLITE, '');
  const remind = /^(?:remind|nudge|ping|alert) (?:me|us)(?: (?:to|about|of|that))? (.+)$/i.exec(
    task,
  );
  if (remind?.[1]) return `Reminder: ${remind[1]}.`;
  const tell = /^(?:tell|ask) (?:me|us) to (.+)$/i.exec(task);
  if (tell?.[1]) return `Time to ${tell[1]}!`;
  const say = /^(?:say|tell (?:me|us) that) ["“']?(.+?)["”']?$/i.exec(task);
  if (say?.[1]) return `${say[1].charAt(0).toUpperCase()}${say[1].slice(1)}.`;
  return `It is time: ${task}. (The small offline model can remind you of this, but not do it.)`;
}
