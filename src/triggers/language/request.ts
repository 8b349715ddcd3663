/**
 * Splits a sentence into when and what. Whoever reads a schedule has decided that one is wanted: the
 * time is taken out, then the few words that only ask for it ("please", "can you", "set a timer for"),
 * and what is left is what to do, in the words of the person.
 */
import {
  type Facts,
  isAnchored,
  isRecurring,
  isSubDaily,
  merged,
  mergedAll,
  type Piece,
  WEEKDAY_OF_DATE,
} from './facts.js';
import type { Phrase } from './phrase.js';
import { wordAt } from './phrase.js';
import { findPieces, isJoint, isSubordinate, leftOver } from './pieces.js';
import { type Range, requestAt } from './sentences.js';
import type { Token } from './tokens.js';

export interface Sentence extends Range {
  pieces: readonly Piece[];
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
  /** It is denied, asked about, told, or about something that exists. */
  refusal: 'none' | 'existing' | 'condition' | null;
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
  { from, to, facts: { day } }: Piece,
  _: number,
  found: readonly Piece[],
): boolean {
  if (day?.type !== 'ask' || !day.period) return true;
  if (found.some((piece) => piece.to === from || piece.from === to)) return true;
  return day.period.ahead > 0;
}

const FILLER =
  /^(?:[^\p{L}\p{N}"]|please|pls|thanks|thank|you|at|on|in|for|only|and|then|it|ok|okay|that|is|just|to|the|of)?$/u;

function wordsBeside(phrase: Phrase, range: Range, pieces: readonly Piece[]): number[] {
  const inPiece = indexesOf(pieces);
  const words: number[] = [];
  for (let index = range.from; index < range.to; index += 1) {
    if (!inPiece.has(index) && phrase.words[index]?.kind !== 'break') words.push(index);
  }
  return words;
}

export function indexesOf(pieces: readonly Piece[]): Set<number> {
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
const EXISTING =
  /^(?:delete|remove|cancel|clear|dismiss|unschedule|skip|pause|resume|disable|enable|turn off|switch off|snooze|reschedule|postpone|move|change|edit|rename|modify|shift|list|show(?: me)?|what are)(?= ).* (?:reminders?|alarms?|timers?|triggers?|notifications?|alerts?|it|that)(?= |$)/;
const YOU =
  /\b(?:you|u)(?: (?:can|could|please))* (?:remind|ping|notify|alert|nudge|wake|tell|text|message|warn|buzz|call) (?:me|us)\b/;
/** What a time behind these words belongs to is not said: to the thing, or to the doing. */
const UNDOING =
  /^(?:delete|remove|cancel|clear|dismiss|drop|unschedule|get rid of|move|change|reschedule|postpone|push|shift|bring forward)(?= )/;

function refused(said: string, asked: boolean): Opening['refusal'] {
  if ([DENIED, TOLD, TOLD_BEHIND, EXISTING].some((words) => words.test(said))) return 'none';
  if (CONDITION.test(said)) return 'condition';
  if (asked) return UNDOING.test(said) ? 'existing' : null;
  const question = / \?(?: |$)/.test(said) && !ADDRESSED.test(said) && !SETUP.test(said);
  // "… at 18:00, can you tell me then?"
  if ((ASKED_ABOUT.test(said) && !SETUP.test(said)) || (question && !YOU.test(said))) return 'none';
  return UNDOING.test(said) ? 'existing' : null;
}

/** What the pieces of a sentence say together, or the question that they leave. */
export type Selection = { facts: Facts; used: Piece[] } | { question: string };

export const SEVERAL = 'I can set one schedule at a time. Which one first?';

/**
 * Everything that is said about time is one schedule. Where two pieces contradict each other, a day or
 * time in what is to be done ("… about the call at 5pm") is left there if those in front of it are a
 * schedule by themselves; anything else is asked about.
 * @param isWhole whether facts make a schedule without a question
 */
export function select(sentence: Sentence, isWhole: (facts: Facts) => boolean): Selection {
  const pieces = sentence.pieces.filter((piece) => !isLength(piece, sentence));
  if (pieces.some((piece) => isLoose(piece, sentence)))
    return { question: 'Once, or every day for that long?' };
  const sure = pieces.filter((piece) => !piece.adjective && !piece.vague);
  const said = mergedAll(sure);
  // "tonight before bed" is not the eight of the evening that "tonight" alone would be.
  const open =
    said?.part && !isTimed(said) && pieces.some((each) => each.vague && !each.subordinate);
  if (said && !open && isWhole(said)) return withAdjectives(sentence, said, sure);
  const plain = pieces.filter((piece) => !piece.adjective);
  const together = mergedAll(plain);
  if (together) return withAdjectives(sentence, together, plain);
  const { content } = sentence.opening;
  const firsts = [(piece: Piece) => piece.from < content, (piece: Piece) => !piece.subordinate].map(
    (isFirst) => plain.filter(isFirst),
  );
  const outside = firsts.find((pieces) => {
    const facts = mergedAll(pieces);
    return facts !== null && isWhole(facts);
  });
  const own = outside && mergedAll(outside);
  if (!outside || !own) return { question: holdsWeekdayOfDate(plain) ? WEEKDAY_OF_DATE : SEVERAL };
  const others = plain.filter((piece) => !outside.includes(piece));
  const inContent = others.every(
    ({ facts, vague, joined }) => vague || (isPoint(facts) && !joined && !completes(own, facts)),
  );
  return inContent ? withAdjectives(sentence, own, outside) : { question: SEVERAL };
}

/** "every Friday the 13th": cron cannot say both at once. */
function holdsWeekdayOfDate(pieces: readonly Piece[]): boolean {
  const isDate = ({ facts: { day, monthDays } }: Piece) =>
    monthDays !== undefined || day?.type === 'monthDay' || day?.type === 'date';
  return pieces.some(({ facts }) => facts.weekdays !== undefined) && pieces.some(isDate);
}

/** "meditate for 10 minutes": how long it lasts, unless something is to be repeated within the day. */
function isLength({ from, facts }: Piece, { pieces, opening }: Sentence): boolean {
  const { span, ...others } = facts;
  if (span === undefined || span.ms === 0 || Object.keys(others).length > 0) return false;
  const subDaily = pieces.some((piece) => isSubDaily(piece.facts));
  return from > opening.content && !subDaily && !pieces.some((piece) => piece.to === from);
}

/** "at 4pm plan the next 3 days": of what is done once, days may be what it is about. */
function isLoose({ from, facts }: Piece, { pieces, opening }: Sentence): boolean {
  if (!facts.span || from < opening.content) return false;
  return !pieces.some((piece) => piece.to === from || isRecurring(piece.facts));
}

/** "every morning bar Sunday at 9": the nine is that of the morning, whatever stands in between. */
function completes(own: Facts, { times }: Facts): boolean {
  return times !== undefined && !isTimed(own) && merged(own, { times }) !== null;
}

function isTimed(facts: Facts): boolean {
  const time = facts.times ?? facts.window ?? facts.delay ?? facts.cron;
  return time !== undefined || isSubDaily(facts);
}

/** A day, a time or a part of the day, which may as well be part of a name. */
function isPoint(facts: Facts): boolean {
  const points = new Set(['day', 'times', 'part', 'delay', 'zone']);
  return Object.keys(facts).every((key) => points.has(key));
}

function withAdjectives(sentence: Sentence, facts: Facts, used: readonly Piece[]): Selection {
  if (isRecurring(facts) || facts.day || facts.delay) return { facts, used: [...used] };
  const adjective = sentence.pieces.find((piece) => piece.adjective);
  const both = adjective && merged(facts, adjective.facts);
  if (!adjective || !both) return { facts, used: [...used] };
  return { facts: both, used: [...used, adjective] };
}

/** The words of time in a sentence that the schedule does not express; `isWhole`: it is one without them. */
export function unread(
  phrase: Phrase,
  sentence: Sentence,
  used: readonly Piece[],
  isWhole: boolean,
): string[] {
  const taken = indexesOf(used);
  const kept = indexesOf(
    sentence.pieces.filter(
      (piece) =>
        !used.includes(piece) &&
        !isAnotherTime(phrase, piece) &&
        piece.facts.zone === undefined &&
        !isUnclearDate(phrase, piece) &&
        !isOfRequest(phrase, sentence, piece, used),
    ),
  );
  const anchors = sentence.pieces.some((piece) => isAnchored(piece.facts))
    ? taken
    : new Set<number>();
  return leftOver(
    phrase,
    sentence,
    anchors,
    kept,
    isWhole ? sentence.opening.content : sentence.to,
  );
}

/** "29 February 2027", "3/4": a date that does not exist or may be two. */
function isUnclearDate(phrase: Phrase, { from, to, facts, subordinate }: Piece): boolean {
  if (facts.day?.type !== 'ask' || subordinate) return false;
  return phrase.words.slice(from, to).some(({ text }) => /\d/.test(text));
}

/**
 * "cinema at 2 remind me at 1 to get ready": what is asked for behind a statement has that time. "In
 * three weeks on the Monday at 9": no word stands between the two that could be what to do.
 */
function isOfRequest(
  phrase: Phrase,
  sentence: Sentence,
  piece: Piece,
  used: readonly Piece[],
): boolean {
  if (piece.subordinate) return false;
  const request = requestAt(phrase, sentence) ?? sentence.from;
  if (request > sentence.opening.content && piece.from > request) return true;
  // "an hour before the 3pm call": the time of the event is expressed.
  if (used.some(({ facts }) => facts.offset)) return false;
  const taken = indexesOf(used);
  let before = piece.from - 1;
  while (before > sentence.from && !taken.has(before) && isJoint(wordAt(phrase, before)))
    before -= 1;
  return taken.has(before);
}

/** "… and again at 8:30", "… but not on 1 October": it belongs to the schedule, wherever it stands. */
function isAnotherTime(phrase: Phrase, { from }: Piece): boolean {
  const at = /^(?:at|on|in|for|the)$/.test(wordAt(phrase, from - 1)) ? from - 2 : from - 1;
  return /^(?:again|another|not|except|excluding|besides|but|then|also|and|or|plus)$/.test(
    wordAt(phrase, at),
  );
}

const CLOSING =
  /(?:[\s,;:.!?\u2013\u2014-]|\b(?:please|pls|plz|thanks(?: a lot| so much)?|thank you(?: so much| very much)?|thx|ty|cheers|ok(?:ay)?\?|would you|will you|could you|can you|if you can|if possible|if you don['’]t mind|ok|okay))+$/iu;
const GENERIC =
  /^(?:it|this|that|these|those|something|anything|things?|stuff|a|an|the|some|do|so|me|us|to|for|about|please|thanks|thank|you|up|too|again|now|and|of|my|in|on|at|by|or|with|remind|tell|let|know|i|need|want|reminder)$/i;

/** What is to be done, as one text; `''` when nothing is said. */
export function instructionsOf(phrase: Phrase, sentence: Sentence, used: readonly Piece[]): string {
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
function isMoment(phrase: Phrase, piece: Piece): boolean {
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

/** Another "remind me to …" behind something that is to be done, with a time of its own. */
export function holdsTwo(phrase: Phrase, { from, to, opening, pieces }: Sentence): boolean {
  for (let index = opening.content + 1; index < to - 2; index += 1) {
    const said = [0, 1, 2].map((step) => wordAt(phrase, index + step)).join(' ');
    if (!/^remind me (?:to|about|of|that)$/.test(said)) continue;
    const before = pieces.some((piece) => piece.from < opening.content);
    const behind = pieces.some((piece) => piece.from > opening.content);
    return before && behind && from < index;
  }
  return false;
}

/** A typing error in the verb is not handed on; every other word stays as it was written. */
function kept(word: Token): string {
  const repaired = /^(?:remind|summarize|notify|check|send|write)$/.test(word.low);
  return repaired && word.text.toLowerCase() !== word.low ? word.low : word.text;
}

/** The pieces with the comma and the preposition that held them. */
function droppedWith(phrase: Phrase, used: readonly Piece[], { from }: Range): Set<number> {
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
