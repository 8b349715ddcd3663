/** Which words of a sentence say what it is about. Pure. */
import { saysWhat, wordsOf } from './directives.js';

const PRONOUN = /^(?:it|this|that|they|these|those|everything|nothing|something)$/;
const GENERAL =
  /^(?:fail(?:s|ed|ing)?|keeps?|kept|breaks?|broken?|work(?:s|ed|ing)?|crash(?:es|ed|ing)?|slow|wrong|doesn't|didn't|don't|can't|cannot|isn't|won't|errors?|problem|issue|bug|happens?|happened|getting|get|got|see|seeing|there's|i've|it's|that's|has|have|been|very|really|always|completely|seems?|looks?|why|when|if)$/;
/** About the conversation or the moment, or how somebody finds it. */
const SOCIAL =
  /^(?:show|explain|describe|read|hi|hello|hey|morning|evening|afternoon|thanks?|thx|cheers|sorry|welcome|bye|goodbye|lol|haha|yeah|yep|yup|nope|nah|sure|great|nice|cool|awesome|perfect|excellent|lovely|amazing|wonderful|good|bad|weather|joke|weekend|holidays?|lunch|coffee|dinner|breakfast|birthday|congrats|congratulations|happy|glad|tired|question|questions|idea|ideas|thoughts?|moment|minute|second|think|know|guess|believe|agree|said|say|says|tell|ask|asked|sounds?|like|love|wait|hold|help|talk|chat|discuss|session|conversation|let|lets|let's|i'm|i'll|i'd|we're|we'll|you're|he's|she's|they're|what|what's|who|who's|where|where's|which|how|how's|could|would|should|will|may|might|must|about|too|than|because|had|did|does|want|need|wants|needs|come|go|going|gone|day|week|later|ever|never|only|even|much|many|lot|lots|little|every|while|after|before|since|into|from|if|her|him|his|she|he|their|its|them)$/;

/** Words that say something, not counting the first when it is a verb of the frame. */
export function contentOf(text: string): number {
  return wordsOf(text).filter((word) => !saysNothing(word)).length;
}

/** As `contentOf`, and the word is neither general nor one of small talk. */
export function themeOf(text: string): number {
  const said = text.replace(
    /\b(?:last|previous|this|next) (?:session|time|conversation|chat)\b/gi,
    '',
  );
  return wordsOf(said).filter(
    (word) => word.length > 1 && !GENERAL.test(word) && !SOCIAL.test(word) && !saysNothing(word),
  ).length;
}

/** Whether a report says what has the problem: "it failed again" does not. */
export function hasSubject(text: string): boolean {
  return wordsOf(text).some(
    (word) => word.length > 1 && !PRONOUN.test(word) && !GENERAL.test(word) && !saysNothing(word),
  );
}

function saysNothing(word: string): boolean {
  return !saysWhat(`x ${word}`);
}
