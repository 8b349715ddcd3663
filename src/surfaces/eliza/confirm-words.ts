/** Short answers to a question of ours: yes, no, which one. Pure. */

const YES =
  /^(?:(?:yes|yeah|yep|yup|ya|y|k|ok|okay|alright|all right|sure|sure thing|of course|absolutely|definitely|certainly|correct|right|exactly|confirm(?:ed)?|agreed|fine|please|go|go ahead|go for it|do it|do that|please do|sounds good|that'?s (?:fine|ok|okay|right|correct|good)|it'?s (?:fine|ok|okay)|why not|i'?m sure|i am sure|that works|make it so|set it up|create it|schedule it|delete (?:them|it|all|them all|it all|everything)|remove (?:them|it|all|them all)|all of them|pause them|thanks|thank you|you can|you may|perfect|great|by all means|affirmative)(?: |$))+$/;
const NO =
  /^(?:(?:no|nope|nah|n|not|cancel|stop|don'?t|do not|never ?mind|forget (?:it|about it|that)|rather not|better not|no way|leave (?:it|them|that)(?: be| alone)?|drop it|skip it|abort|thanks|thank you|please|that|it|now|create it|do (?:it|that)|delete (?:it|them)|set it up|cancel (?:it|that)|wait|hold on|keep (?:it|them)|i changed my mind|changed my mind|scratch that)(?: |$))+$/;
const NO_CORE =
  /^(?:(?:please|thanks|thank you|that|it|now|create it|set it up|do (?:it|that)|delete (?:it|them)) ?)+$/;
/** Alone these answer nothing. */
const POLITE = /^(?:thanks|thank you)$/;
/** "yes, but …" and "no, every 10 minutes instead": what follows is the message. */
const LEAD =
  /^(?:yes|yeah|yep|ok|okay|sure|no|nope|nah)\b[\s,.!:;-]*(?:(?:thanks|thank you|please)\b[\s,.!:;-]*)?(?:but|please|instead|rather|make (?:it|that)|better|then)?\b[\s,]*/i;
const YES_FIRST =
  /^(?:yes|yeah|yep|yup|ya|y|k|ok|okay|alright|all right|sure|of course|right|fine)\b/;
const NO_FIRST = /^(?:no|nope|nah|n)\b/;
const CLAUSE_END = /[,.;:!?\n\u2013\u2014]|\s-+\s/;
const REFUSES = /^(?:please )?(?:not|never|do not|don't)\b/;

/** `null`: it is no bare yes or no. */
export function yesOrNo(text: string): 'yes' | 'no' | null {
  const words = bare(text);
  if (words === '' || words.length > 80) return null;
  if (YES.test(words)) return POLITE.test(words) ? null : 'yes';
  return NO.test(words) && !NO_CORE.test(words) ? 'no' : null;
}

/**
 * What a message is to "Shall I?": a bare yes, a no whatever follows it, or `partly`: a yes with
 * more words, which must not be carried out as it stands. `null`: it begins with neither.
 */
export function answerOf(text: string): 'yes' | 'no' | 'partly' | null {
  const whole = yesOrNo(text);
  if (whole !== null) return whole;
  const words = bare(text);
  const first = yesOrNo(text.split(CLAUSE_END, 1)[0] ?? '');
  if (first === 'no' || NO_FIRST.test(words)) return 'no';
  return first === 'yes' || YES_FIRST.test(words) ? 'partly' : null;
}

/** "not the first", "don't delete two": says what is not meant. */
export function refuses(text: string): boolean {
  return REFUSES.test(bare(text));
}

/** The text without a leading yes or no. */
export function withoutLead(text: string): string {
  return text
    .trim()
    .replace(LEAD, '')
    .replace(/^(?:make|change) (?:it|that) (?:to )?/i, '');
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];

/** "2", "the second one", "number 2", "the last": a place in a list of `count`, from 0, or `null`. */
export function placeNamed(text: string, count: number): number | null {
  const words = bare(text);
  if (words.length > 60) return null;
  const digit = /^(?:the |number |no |nr |option |#)*(\d{1,2})(?: please| one)*$/.exec(words)?.[1];
  const named = ORDINALS.findIndex((word) => new RegExp(`\\b${word}\\b`).test(words));
  const place = /\b(?:last|latter)\b/.test(words)
    ? count - 1
    : /\bformer\b/.test(words)
      ? 0
      : digit !== undefined
        ? Number(digit) - 1
        : named;
  return place >= 0 && place < count ? place : null;
}

function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/’/g, "'")
    .replace(/[^\p{L}\p{N}'#]+/gu, ' ')
    .trim();
}
