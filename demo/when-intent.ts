/**
 * How the offline model tells words about the project's `/when` knowledge from others: commands, entries
 * to be written, and questions about what the project knows. What one person told the agent is work
 * memory ("what do you remember"). Rules only. Pure.
 */
import type { KnownEntry } from './prompt.js';

export type WhenAction = 'RECALL_WHEN' | 'REMEMBER_WHEN';

const LEAD = '^[^\\S\\n]*(?:[-*+] )?[*_`]*';
const REMEMBER = new RegExp(`${LEAD}/remember(?![\\w-])`, 'im');
/** "add to the index: a | b | c", "remember /when a | b | c". */
const ENTRY =
  /^(?=[^|\n]*(?:\bindex\b|\/(?:when|how)\b))[^|\n]*\b(?:remember|add|note|store|save|record|write)\b[^|\n]*\|[^|\n]+\|/im;
const COMMAND = new RegExp(`${LEAD}/(?:when|how)(?=[\\s§\\\\]|$)`, 'im');
/** "let me check: /when writing mock tests" */
const LED = /^[^/"“”|\n]{1,200}[:,] +[*_`]*\/(?:when|how)(?=[\s§])[^.!?\n]+$/i;
/** Words about commands, not one. */
const TALKED_ABOUT = /\b(?:not|never|without|like|example|e\.g\.|such as|instead of)\b|n['’]t\b/i;

const PROJECT =
  '(?:the |our |this )(?:project|team|index|code ?base|repo(?:sitory)?|knowledge(?: base)?|decisions?(?: files?)?|docs)';
const RULE =
  '(?:rules?|conventions?|decisions?|approach|practices?|patterns?|guidelines?|polic(?:y|ies))';
const QUESTIONS = [
  '(?:what|how much) (?:else )?do we know\\b',
  'do we know (?:anything|something|how|what|why|when|where)\\b',
  `(?:what|does|do|has) (?:does |do |has )?${PROJECT} (?:know|say|tell|have|recommend|decide)`,
  'what (?:have|did) we (?:decided?|agreed?|settled?)\\b',
  `what(?:['’]s| is| are) (?:our|the (?:project|team)['’]?s?) (?:\\w+ ){0,2}${RULE}\\b`,
  `(?:do we have|is there|are there) (?:a|an|any) (?:\\w+ ){0,2}${RULE} (?:for|on|about|of)\\b`,
  'how (?:do|should) we\\b',
  `(?:look up|search|find|check)\\b.* (?:in|of|from) ${PROJECT}\\b`,
  `(?:search|look in|look into|check|ask) ${PROJECT}\\b`,
];
const QUESTION = new RegExp(`^(?:so |but )?(?:${QUESTIONS.join('|')})`, 'i');
/** What the agent does at times, and what it remembers, have their own actions. */
const OTHERS = /\b(?:reminders?|triggers?|schedules?|scheduled|alarms?|memor(?:y|ies))\b/i;

/**
 * @param text what was said, without politeness
 * @param turn `hasIndex`: whether the project has knowledge to ask; a command is understood without
 */
export function whenAction(
  text: string,
  turn: { lastAnswer?: { text: string; action?: string }; hasIndex?: boolean },
): WhenAction | null {
  if (REMEMBER.test(text) || ENTRY.test(text)) return 'REMEMBER_WHEN';
  if (COMMAND.test(text)) return 'RECALL_WHEN';
  if (LED.test(text) && !TALKED_ABOUT.test(text)) return 'RECALL_WHEN';
  if (!turn.hasIndex || OTHERS.test(text)) return null;
  return QUESTION.test(text) ? 'RECALL_WHEN' : null;
}

/** The action that asked what to look up, as its last words. */
export function whenQuestion(last: { text: string; action?: string }): WhenAction | null {
  const isAsked = last.action?.split(',')[0]?.trim() === 'RECALL_WHEN';
  return isAsked && last.text.startsWith('What shall I look up?') ? 'RECALL_WHEN' : null;
}

/** The answer to what has no action of its own, but bears on lines of the index; null without any. */
export function answerFromIndex(entries: readonly KnownEntry[]): string | null {
  if (entries.length === 0) return null;
  // Between quotation marks: a command of its own would be carried out in the next turn.
  const lines = entries.map(({ command, header }) => `"${command}" (${header})`);
  return `The project knows something that bears on this. Say ${lines.join(' or ')} to read it.`;
}
