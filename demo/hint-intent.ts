/**
 * How the offline model tells words about hints (how a component is built, tested, run) from words about
 * memories and reminders. Rules only. Pure.
 */

export type HintAction = 'SET_HINT' | 'GET_HINT' | 'BUMP_HINT' | 'FORGET_HINT';

const HINT = /\bhints?\b/i;
const FORGET = /^(?:forget|delete|remove|drop|erase|clear)\b/i;
const SET = /^(?:set|add|create|make|define|save|store|remember|note|keep|change|update|hint:)\b/i;
const ASKED =
  /^how (?:do|can|should|would|is|are|to)\b.{0,40}\b(?:build|built|compile|bundle|run|start|started|test|tested|lint|deploy|deployed|install|release)\b|^what(?:['’]s| is| are) the [^?]{0,60}\b(?:command|script|port|directory|folder) (?:of|for)\b/i;
const HELPED =
  /^(?:(?:yes|great|thanks|cool|nice)[,! ]+)*(?:that|it|this) (?:worked|helped|works|did it|did the trick)\b/i;
const BUMP = /^bump\b/i;

/** Questions that what was given, or is to be told, answers. */
const ASKS: Readonly<Record<HintAction, RegExp>> = {
  SET_HINT: /^Did you mean the hint [\s\S]*Say yes or no\.$/,
  GET_HINT: /^Of which component\?/,
  BUMP_HINT: /^Which one helped\?/,
  FORGET_HINT: /Shall I\? Say yes or no\.$|^Which hint do you mean\?/,
};

/** @param text what was said, without politeness */
export function hintAction(
  text: string,
  last?: { text: string; action?: string },
): HintAction | null {
  const speaksOf = HINT.test(text);
  if (BUMP.test(text)) return 'BUMP_HINT';
  if (FORGET.test(text)) return speaksOf ? 'FORGET_HINT' : null;
  if (SET.test(text) && speaksOf) return 'SET_HINT';
  if (speaksOf && !/\b(?:reminders?|triggers?|memor(?:y|ies))\b/i.test(text)) return 'GET_HINT';
  if (ASKED.test(text)) return 'GET_HINT';
  const given = last?.action?.split(',')[0]?.trim();
  return given?.endsWith('_HINT') && HELPED.test(text) ? 'BUMP_HINT' : null;
}

/** The action whose question about hints the text answers, if that was the agent's last word. */
export function hintQuestion(
  last: { text: string; action?: string } | undefined,
): HintAction | null {
  const action = last?.action?.split(',')[0]?.trim();
  const asks = Object.entries(ASKS).find(([name]) => name === action)?.[1];
  return last !== undefined && asks?.test(last.text) ? (action as HintAction) : null;
}
