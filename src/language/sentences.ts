/**
 * Splits a sentence into when and what. Whoever reads a schedule has decided that one is wanted: the
 * time is taken out, then the few words that only ask for it ("please", "can you", "set a timer for"),
 * and what is left is what to do, in the words of the person.
 */

import { findPieces, isSubordinate } from './expressions.js';
import { type Phrase, type Range, requestAt, type Token, wordAt } from './phrase.js';
import type { TimeExpression } from './schedule-fields.js';

export interface Sentence extends Range {
  pieces: readonly TimeExpression[];
  opening: Opening;
  /** It speaks of time and of nothing else. */
  onlyTime: boolean;
}

/** How a sentence asks, found in its words without the pieces. */
export interface Opening {
  /** It says that something is wanted: "remind me", "can you", "set an alarm". */
  asks: boolean;
  /** The first word of what is kept. */
  keep: number;
  /** The first word of what is to be done; pieces in front of it can only be the schedule's. */
  content: number;
  /** What is written in front of the words that are kept. */
  prefix: string;
  /** Nothing has to follow: an alarm, a timer, "wake me up". */
  complete: boolean;
  /** It is denied, asked about or told; it depends on something that no clock tells. */
  refusal: 'none' | 'condition' | null;
}

export function readSentence(phrase: Phrase, range: Range): Sentence {
  const found = findPieces(phrase, range.from, range.to);
  const pieces = found.filter(isSettled).map((piece) => ({
    ...piece,
    subordinate: isSubordinate(phrase, piece.from, range.from),
    joined:
      /^(?:,|and|or|then|;|-)$/.test(wordAt(phrase, piece.from - 1)) ||
      // "at 4, make that 5"
      (piece.facts.times && [2, 3].some((back) => wordAt(phrase, piece.from - back) === ',')),
  }));
  const rest = wordsBeside(phrase, range, pieces);
  const onlyTime = pieces.length > 0 && rest.every((index) => FILLER.test(wordAt(phrase, index)));
  return { ...range, pieces, opening: readOpening(phrase, range, rest), onlyTime };
}

/** "every Friday this month": a running period limits what it stands beside; elsewhere it limits nothing. */
function isSettled(
  { from, to, facts: { day } }: TimeExpression,
  _: number,
  found: readonly TimeExpression[],
): boolean {
  if (day?.type !== 'ask' || !day.period) return true;
  if (found.some((piece) => piece.to === from || piece.from === to)) return true;
  return day.period.ahead > 0;
}

const FILLER =
  /^(?:[^\p{L}\p{N}"]|please|pls|thanks|thank|you|at|on|in|for|only|and|then|it|ok|okay|that|is|just|to|the|of)?$/u;

function wordsBeside(phrase: Phrase, range: Range, pieces: readonly TimeExpression[]): number[] {
  const inPiece = indexesOf(pieces);
  const words: number[] = [];
  for (let index = range.from; index < range.to; index += 1) {
    if (!inPiece.has(index) && phrase.words[index]?.kind !== 'break') words.push(index);
  }
  return words;
}

export function indexesOf(pieces: readonly TimeExpression[]): Set<number> {
  const indexes = new Set<number>();
  for (const piece of pieces)
    for (let index = piece.from; index < piece.to; index += 1) indexes.add(index);
  return indexes;
}

const LEAD =
  /^(?:(?:[,:.!)-]|(?:hi|hey|hello)(?: there)?|yo|ok|okay|so|and|then|also|well|wait|actually|please|kindly|pls|just|cue|eliza|agent|assistant|bot|olly|alexa|siri|google|computer|for me|i think|when(?:ever)? you (?:can|have time|have a minute|get a chance)|if (?:you can|possible)|(?:can|could|would|will) (?:you|u|ya|we)(?: kindly| mind| be able to)*|(?:i|i'd|we|i would|we would) (?:want|need|like|love|expect) (?:you|u) to|(?:i'd|i would) (?:love|appreciate) it if you (?:could|would)|it would be (?:great|nice|good|lovely|helpful) if you (?:could|would)|(?:make|be) sure(?: that)?(?: you)?(?: to)?|(?:do not|don't|dont) forget to|to)(?= |$) ?)+/;
/** Words that ask for a reminder otherwise than with "remind me". */
const SAID_OTHERWISE: readonly (readonly [RegExp, string])[] = [
  [/^(?:do not|don't|dont) let (?:me|us) forget(?= |$)/, 'remind me'],
  [
    /^(?:i|i'd|we)(?: would)?(?: (?:want|need|like|wish|love))? to be (?:reminded|notified|told|alerted)(?= |$)/,
    'remind me',
  ],
  [
    /^(?:i|i'd|we)(?: would)?(?: (?:want|need|like|wish))? to be (?:woken|waked)(?: up)?(?= |$)/,
    'wake me up',
  ],
  [/^remember(?: me)?(?= to )/, 'remind me'],
];
const SETUP_VERB =
  "(?:(?:could|can|may) (?:i|we) (?:get|have)|(?:set|create|make|add|put|schedule|start|give|send|get|new|i need|i want|i'd like|i would like|we need|need)(?: up)?(?: on)?(?: me| us)?(?: up)?)";
const THING =
  '(reminder|alarm|timer|countdown|alert|notification|wake up call)(?: notification)?(?: set)?(?: up)?(?: for (?:me|us))?';
const CONNECTOR = '(?: (to|about|on|for|of|that|called|named|labeled|saying|:|-)(?= ))?(?= |$)';
const LABEL = "((?:(?!an? |the |my |to |for |that )[\\p{L}'’-]+ ){0,2}?)";
const SETUP = new RegExp(
  `^${SETUP_VERB} (?:(?:an?|the|my|our|another|one|new|recurring) )*${LABEL}${THING}${CONNECTOR}`,
  'u',
);
const BARE_SETUP = new RegExp(
  `^(?:(?=an? |the |my |new |reminder|alarm|timer|countdown)(?:(?:an?|the|my|new) )*)()${THING}${CONNECTOR}`,
  'u',
);
/** "I'd like a summary of my inbox": what is wanted is what to do. */
const WANT =
  /^(?:(?:i|we) (?:want|need|would like)|(?:i'd|we'd) like)(?: to (?:get|receive|have))?(?= (?:an?|the|my) )/;
const WAKE_SETUP = /^set (?:an? |my )?wake up(?: call)?(?= |$)/;
const TASK =
  /^(?:(?:set up|set|create|schedule|make|add) (?:(?:an?|the|another|new|recurring|scheduled) )*(?:task|job|trigger|routine)(?: (?:that runs|to run))?|schedule|cron)(?: (?:to|that|which|and|:))(?= |$)/;
const ADDRESSED =
  /^(?:(?:remind|ping|notify|alert|nudge|tell|warn|wake|get|text|message|poke|buzz|nag|prompt|call|ring|phone|email|inform) (?:me|us)(?: up| back)?|let (?:me|us) know|give me a (?:nudge|call|ring|shout|buzz))(?: (?:to|about|that|of|:))?(?= |$)/;
/** "send me", "ask the team": the time may follow at once, and what is behind it is the content. */
const TO_SOMEBODY = /^\p{L}+ (?:me|us|him|her|them|everyone|everybody)(?= |$)/u;
const SELF_CONTAINED =
  /^(?:ping|alert|notify|nudge|wake|get|text|message|poke|buzz|call|ring|phone|give) (?:me|us)/;
const THINGS: Readonly<Record<string, string>> = {
  alarm: 'tell me that my alarm is going off',
  'wake up call': 'wake me up',
  timer: 'tell me that my timer is up',
  countdown: 'tell me that my timer is up',
};

function readOpening(phrase: Phrase, range: Range, rest: readonly number[]): Opening {
  const text = rest.map((index) => wordAt(phrase, index)).join(' ');
  const lead = LEAD.exec(text)?.[0] ?? '';
  const asked = /\b(?:please|pls|you|u|ya|can|could|would|will|sure)\b|\bforget to\b/.test(lead);
  const said = text.slice(lead.length);
  const at = (length: number): number => rest[countWords(text.slice(0, length))] ?? range.to;
  const opening = (found: Partial<Opening> & { length: number }): Opening => {
    const { length, ...fields } = found;
    const keep = at(lead.length + length);
    const words = countWords(text.slice(0, lead.length + length));
    // "remind me about tomorrow's 3pm meeting at noon": what it is about begins right behind "about".
    const about = /(?:^| )(?:about|of|that|:)$/.test(text.slice(0, lead.length + length).trimEnd());
    const content = about ? (rest[words - 1] ?? keep) + 1 : keep;
    return {
      asks: true,
      keep,
      content,
      prefix: '',
      complete: false,
      refusal: null,
      ...fields,
    };
  };
  const otherwise = SAID_OTHERWISE.find(([words]) => words.test(said));
  if (otherwise) {
    const length = otherwise[0].exec(said)?.[0].length ?? 0;
    return opening({ length, prefix: otherwise[1], complete: otherwise[1] === 'wake me up' });
  }
  const over = PAST.test(said) && requestAt(phrase, range) === null;
  const refusal = refused(said, asked) ?? (over && !asked ? 'none' : null);
  if (refusal) return opening({ length: 0, asks: false, keep: at(lead.length), refusal });
  const wake = WAKE_SETUP.exec(said);
  if (wake) return opening({ length: wake[0].length, prefix: 'wake me up', complete: true });
  const task = TASK.exec(said);
  if (task) return opening({ length: task[0].length });
  const addressed = ADDRESSED.exec(said);
  const bare = BARE_SETUP.exec(said);
  // "my alarm went off at 5" tells of it.
  const behind = countWords(lead) + countWords(bare?.[0] ?? '');
  const tells =
    /^(?:the|my) /.test(said) && !bare?.[3] && rest[behind] === (rest[behind - 1] ?? 0) + 1;
  const setup = addressed ? null : (SETUP.exec(said) ?? (tells ? null : bare));
  if (setup) return opening({ length: setup[0].length, ...setupPrefix(setup) });
  if (addressed) {
    return opening({
      length: addressed[0].length,
      keep: at(lead.length),
      complete: SELF_CONTAINED.test(addressed[0]),
    });
  }
  const want = WANT.exec(said);
  if (want) return opening({ length: want[0].length });
  const somebody = TO_SOMEBODY.exec(said);
  return opening({ length: somebody?.[0].length ?? 0, asks: asked, keep: at(lead.length) });
}

function setupPrefix([, label = '', thing = '', connector]: RegExpExecArray): {
  prefix: string;
  complete: boolean;
} {
  const alone = THINGS[thing];
  const named = label.trim();
  if (alone !== undefined) {
    const tail = connector === 'for' ? ' for' : ':';
    return { prefix: `${alone}${named === '' ? '' : ` (${named})`}${tail}`, complete: true };
  }
  const joint =
    connector === undefined
      ? ':'
      : /^(?:to|that|of|about)$/.test(connector)
        ? ` ${connector}`
        : /^[:-]$/.test(connector)
          ? ':'
          : ' about';
  return {
    prefix:
      named === '' ? `remind me${joint}` : `remind me about ${named}${joint === ':' ? ':' : ''}`,
    complete: named !== '',
  };
}

const countWords = (text: string): number => {
  const trimmed = text.trim();
  return trimmed === '' ? 0 : trimmed.split(' ').length;
};

const DENIED =
  /^(?:(?:(?:i|we|you) )?(?:do not|don't|dont|never|no|no longer|did not|didn't)|(?:stop|quit|cease) \p{L}+ing|(?:pause|resume|snooze|unschedule|reschedule)|(?:stop|cancel|end) .*\b(?:daily|hourly|weekly|monthly|nightly)\b.*)(?= |$)/u;
const ASKED_ABOUT =
  /^(?:(?:what|when|where|why|who|whose|which|how)(?:'s|'re|s)?|is|are|am|was|were|does|did|has|had|should|shall|might|may|isn't|aren't|doesn't|didn't|wasn't|(?:do|have) (?:you|i|we|they|people|people)|can (?:i|we|he|she|they)|could (?:i|we|he|she|they)|would (?:i|we|he|she|they|it))(?= |$)/;
const TOLD =
  /^(?:he|she|they|we|i|you|it|somebody|someone|[\p{L}]+|(?:my|the|our) [\p{L}]+) (?:said|says|told|wrote|writes|typed|used to|asked (?:me|him|her|us|you)|keeps? saying)(?= |$)/u;
/** "we were down 14 with 2:30 left": it is over. */
const PAST =
  /^(?:i|we|you|he|she|it|they|this|that|these|those|there|(?:my|the|our|his|her|their|your)(?: [\p{L}\p{N}'’-]+){1,4}) (?:was|were|had)(?= |$)/u;
const TOLD_BEHIND = / [,-] (?:said|says|wrote|writes) /;
const CONDITION =
  /^(?:if|unless|whenever|when|as soon as|once (?:you|i|we|it|the)|in case|suppose|imagine|assuming)(?= |$)/;
const YOU =
  /\b(?:you|u)(?: (?:can|could|please))* (?:remind|ping|notify|alert|nudge|wake|tell|text|message|warn|buzz|call) (?:me|us)\b/;
/** It is denied, asked about or told, and nothing asks for it. */
function refused(said: string, asked: boolean): Opening['refusal'] {
  if ([DENIED, TOLD, TOLD_BEHIND].some((words) => words.test(said))) return 'none';
  if (CONDITION.test(said)) return 'condition';
  if (asked || SETUP.test(said)) return null;
  // "… at 18:00, can you tell me then?"
  const question = / \?(?: |$)/.test(said) && !ADDRESSED.test(said) && !YOU.test(said);
  return question || ASKED_ABOUT.test(said) ? 'none' : null;
}

const CLOSING =
  /(?:[\s,;:.!?\u2013\u2014-]|\b(?:please|pls|plz|thanks(?: a lot| so much)?|thank you(?: so much| very much)?|thx|ty|cheers|ok(?:ay)?\?|would you|will you|could you|can you|if you can|if possible|if you don['’]t mind|ok|okay))+$/iu;
const GENERIC =
  /^(?:it|this|that|these|those|something|anything|things?|stuff|a|an|the|some|do|so|me|us|to|for|about|please|thanks|thank|you|up|too|again|now|and|of|my|in|on|at|by|or|with|remind|tell|let|know|i|need|want|reminder)$/i;

/** What is to be done, as one text; `''` when nothing is said. */
export function instructionsOf(
  phrase: Phrase,
  sentence: Sentence,
  used: readonly TimeExpression[],
): string {
  const { keep, prefix, complete } = sentence.opening;
  const dropped = droppedWith(phrase, used, sentence);
  const parts: string[] = [];
  let lastEnd = -1;
  for (let index = keep; index < sentence.to; index += 1) {
    const word = phrase.words[index];
    if (!word || dropped.has(index)) continue;
    if (word.kind === 'break') parts.push('\n');
    else {
      if (lastEnd >= 0 && lastEnd < word.start) parts.push(' ');
      parts.push(kept(word));
    }
    lastEnd = word.end;
  }
  const words = tidy(parts.join(''));
  const said = words.split(/[^\p{L}\p{N}'’"]+/u).filter((word) => word !== '');
  if (!complete && said.every((word) => GENERIC.test(word)))
    return used.some((piece) => isMoment(phrase, piece)) ? everythingSaid(phrase, sentence) : '';
  if (prefix === '') return lowered(words);
  if (said.length === 0) return prefix.replace(/(?::| for| to| about| of| that)$/, '');
  return `${prefix} ${words.replace(/^to /i, / to$/.test(prefix) ? '' : 'to ')}`;
}

/** "tell me when it is five pm": the time is what is to be told. */
function isMoment(phrase: Phrase, piece: TimeExpression): boolean {
  return /^(?:when|once|as)$/.test(wordAt(phrase, piece.from));
}

function everythingSaid(phrase: Phrase, { opening, to }: Sentence): string {
  return instructionsOf(
    phrase,
    {
      from: opening.keep,
      to,
      pieces: [],
      opening: { ...opening, complete: true },
      onlyTime: false,
    },
    [],
  );
}

/** A typing error in the verb is not handed on; every other word stays as it was written. */
function kept(word: Token): string {
  const repaired = /^(?:remind|summarize|notify|check|send|write)$/.test(word.low);
  return repaired && word.text.toLowerCase() !== word.low ? word.low : word.text;
}

/** The pieces with the comma and the preposition that held them. */
function droppedWith(
  phrase: Phrase,
  used: readonly TimeExpression[],
  { from }: Range,
): Set<number> {
  const dropped = indexesOf(used);
  for (const piece of used) {
    let before = piece.from - 1;
    while (
      before >= from &&
      /^(?:,|and|-|\(|:|;|of|then|also)$/.test(wordAt(phrase, before)) &&
      (dropped.has(before - 1) || /^[,(]$/.test(wordAt(phrase, before)))
    ) {
      dropped.add(before);
      before -= 1;
    }
    if (/^(?:for|at|on|only|just|like|once|to|by)$/.test(wordAt(phrase, before)))
      dropped.add(before);
    if (/^[,):]$/.test(wordAt(phrase, piece.to))) dropped.add(piece.to);
  }
  return dropped;
}

function tidy(text: string): string {
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .replace(/ ([,.;:!?])/g, '$1')
    .replace(/^[\s,;:.!?)–—-]+/u, '')
    .replace(CLOSING, '')
    .trim();
}

function lowered(text: string): string {
  const first = /^\p{L}+/u.exec(text)?.[0] ?? '';
  if (first === '' || first === 'I' || (first.length > 1 && first === first.toUpperCase()))
    return text;
  return text.charAt(0).toLowerCase() + text.slice(1);
}
