/**
 * Signs in a message that the reader of schedules could not read: may a model be asked about it at
 * all? A model is never allowed to make a schedule of something that is clearly no request. Pure.
 */
import { asksForSomething } from '../../triggers/index.js';

const TIME_SIGN =
  /\d|\b(?:every|each|daily|hourly|weekly|monthly|yearly|tomorrow|tonight|today|noon|midnight|morning|afternoon|evening|night|week|month|minutes?|hours?|seconds?|days?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|later|soon|one|two|three|four|five|ten|half)\b/i;

const REQUEST =
  /\b(?:remind\w*|tell me|let me know|notify|alert|ping|wake|nudge|message me|text me|email me|write me|send|post|check|schedule|set|create|make|add|start|please|pls|can you|could you|would you|will you|i want|i need|i'?d like|i would like|don'?t let me forget|run|summari[sz]e|report|give me|show me|ask me|call me|do|monitor|watch|poke|buzz|keep)\b/i;
const CALLED_OFF =
  /\b(?:don'?t|do not|never|no need to|stop|quit) (?:ever )?(?:remind|tell|ping|notify|alert|wake|send|schedule|message|nudge|set|create)/i;
/** What opens a question about the world rather than a request put as a question. */
const ASKS =
  /^(?:\W*(?:and|but|so|hey|hi|hello|ok|okay|well)\W+)*(?:why|what|what'?s|when|who|where|which|how|did|does|do you|is|are|was|were|has|have|had|should|am i|isn'?t|aren'?t)\b/i;
const POLITE_QUESTION = /\b(?:can|could|would|will) (?:you|u)\b|\bplease\b|\bpls\b/i;
/** Enough of these and the message is English, which the reader should have understood. */
const ENGLISH =
  /\b(?:the|is|are|was|were|and|of|it|its|it's|my|to|a|an|in|at|i|we|you|he|she|they|that|this|with|for|on|has|have|been|from|our|there|when|every)\b/gi;

/** Whether a text says that something is wanted of the agent, whatever else it lacks. */
export function isAsking(text: string): boolean {
  return asksForSomething(text) || (REQUEST.test(text) && !isClearlyNoRequest(text));
}

export function hasTimeSign(text: string): boolean {
  return TIME_SIGN.test(text);
}

/** True for questions about the world, statements in English and requests that something not be done. */
export function isClearlyNoRequest(text: string): boolean {
  const said = text.trim();
  if (CALLED_OFF.test(said)) return true;
  const polite = POLITE_QUESTION.test(said);
  if ((ASKS.test(said) || /\?\s*$/.test(said)) && !polite) return true;
  if (REQUEST.test(said)) return false;
  return (said.match(ENGLISH)?.length ?? 0) >= 2;
}
