/**
 * Reads a time and what to do then out of an English sentence, without a model. Whoever asks has decided
 * that a schedule is wanted; what is read here is which. Every word that could tell a time is either
 * expressed by the schedule or asked about. Pure and total: the same text, moment and zone give the same
 * answer on every machine, and no input makes it throw.
 */
import { listed } from '../shared/text.js';
import { fromEvent } from './event.js';
import { exceptionAt, isBareNumber, isJoint, leftOver, offsetAt } from './expressions.js';
import { type Phrase, phraseOf, requestAt, splitSentences, touches, wordAt } from './phrase.js';
import {
  type AnySchedule,
  type Compose,
  isAnchored,
  isRecurring,
  isSubDaily,
  type MadeBy,
  merged,
  mergedAll,
  type ScheduleFields,
  type TimeExpression,
  WEEKDAY_OF_DATE,
} from './schedule-fields.js';
import {
  indexesOf,
  instructionsOf,
  type Opening,
  readSentence,
  type Sentence,
} from './sentences.js';

/** A request without the time that is asked about, and without any: what a corrected time completes. */
type Rest = { rest?: readonly string[] };
export type RequestReading<S> =
  | { kind: 'schedule'; schedule: S; instructions: string }
  | ({ kind: 'ambiguous'; question: string } & Rest)
  | { kind: 'none' };

/** Longer texts are documents, not requests (instructions hold 8 KB at most). */
const TEXT_LIMIT = 8_192;
/** Nobody says these to the agent, though they hold times. */
const CODE =
  /(?<!:)\/\/|=>|\);|[{}]|<\/?[a-z][^<>]{0,40}>|&&|\|\||\b(?:const|let|var) \w+ ?=|^[ \t]*(?:@\w{3,10}|(?:[\d*?/,-]{1,40}[ \t]+){4}[\w*?/,#-]{1,40})[ \t]+(?:\S{1,60}[ \t]+){0,2}(?:\S{0,80}\/\S|\S{1,80}\.(?:sh|py|js|ts|rb|php|pl|exe|bat)\b)/im;
const NONE = { kind: 'none' } as const;
const HAPPENS = 'Is that when I shall do it, or when it happens?';

const ask = (question: string) => ({ kind: 'ambiguous', question }) as const;

/** Whether a text holds source code, markup or a crontab outside of quotation marks. */
export const isCode = (text: string): boolean =>
  CODE.test(text.slice(0, 2_000).replace(/`[^`]*`|"[^"]*"/g, ''));

/** Reads a request and its time. See the file header for what is promised. */
export function readRequest<S extends AnySchedule>(
  text: string,
  compose: Compose<S>,
  mayHoldCode = false,
): RequestReading<S> {
  if (text.length > TEXT_LIMIT || text.trim() === '') return NONE;
  if (!mayHoldCode && isCode(text)) return NONE;
  const phrase = phraseOf(text);
  const sentences = splitSentences(phrase).map((range) => readSentence(phrase, range));
  const chosen = choose(sentences);
  if (chosen === 'none') return withoutTime(phrase, sentences);
  if (chosen === 'several') return ask(SEVERAL);
  if (chosen === 'only time') return ask('What should I do then?');
  const waking = /\b(?:wake|get) (?:me )?up\b|\bwake me\b|\balarm\b/.test(
    textOf(phrase, chosen.sentence),
  );
  const reading = readChosen(text, phrase, sentences, chosen, (fields) => compose(fields, waking));
  if (reading.kind !== 'ambiguous') return reading;
  const { pieces } = chosen.sentence;
  const asked = pieces.filter(({ facts }) => facts.ask ?? (facts.day?.type === 'ask' || undefined));
  const task = (without: readonly TimeExpression[]): string =>
    wholeInstructions(text, phrase, sentences, chosen.sentence, without);
  const others = pieces.filter((piece) => !asked.includes(piece));
  const time = others.map(({ from, to }) =>
    text.slice(phrase.words[from]?.start, phrase.words[to - 1]?.end),
  );
  // What stands in front of the request is in no instructions.
  const timed = [...time, task(pieces)].join(' ');
  const rest = (asked.length > 0 ? [task(asked), timed, task(pieces)] : [task(pieces)]).filter(
    (words) => words !== '',
  );
  return rest.length > 0 ? { ...reading, rest } : reading;
}

/** The time of a text that says when and nothing else: "every day at 9", "tomorrow at noon". */
export function readTimeAlone<S>(
  text: string,
  compose: Compose<S>,
): { kind: 'schedule'; schedule: S } | { kind: 'ambiguous'; question: string } | { kind: 'none' } {
  if (text.length > TEXT_LIMIT) return NONE;
  const phrase = phraseOf(text);
  const sentence = readSentence(phrase, { from: 0, to: phrase.words.length });
  if (!sentence.onlyTime) return NONE;
  const selected = select(sentence, (fields) => 'schedule' in compose(fields, false));
  if ('question' in selected) return ask(selected.question);
  const composed = compose(selected.facts, false);
  return 'question' in composed
    ? ask(composed.question)
    : { kind: 'schedule', schedule: composed.schedule };
}

/** Whether a text says that something is wanted ("remind me", "can you", "set an alarm"), with or without a time. */
export function asksForSomething(text: string): boolean {
  return openingsOf(text).some(({ asks }) => asks);
}

/** Whether a text only denies, asks about the world or tells: "what happens at 9?". */
export function asksForNothing(text: string): boolean {
  const openings = openingsOf(text);
  return openings.length > 0 && openings.every(({ refusal }) => refusal === 'none');
}

function openingsOf(text: string): Opening[] {
  if (text.length > TEXT_LIMIT) return [];
  const phrase = phraseOf(text);
  return splitSentences(phrase).map((range) => readSentence(phrase, range).opening);
}

/** A request whose words of time could not be read at all is asked about; without such words it is none. */
function withoutTime(
  phrase: Phrase,
  sentences: readonly Sentence[],
): ReturnType<typeof ask> | typeof NONE {
  for (const sentence of sentences) {
    if (sentence.onlyTime || sentence.opening.refusal !== null) continue;
    const left = unread(phrase, sentence, sentence.pieces, false);
    if (left.length > 0) return ask(notUnderstood(left));
    if (sentence.opening.asks && sentence.pieces.length > 0) return ask('When should I do that?');
  }
  return NONE;
}

interface Chosen {
  sentence: Sentence;
  /** Sentences of words of time only, which complete it: "Tomorrow at 5." */
  fragments: Sentence[];
}

const holdsTime = (sentence: Sentence): boolean =>
  sentence.pieces.some((piece) => isAnchored(piece.facts));

/** The one sentence that asks for something at a time. */
function choose(sentences: readonly Sentence[]): Chosen | 'none' | 'several' | 'only time' {
  const fragments = sentences.filter((sentence) => sentence.onlyTime);
  const others = sentences.filter(
    (sentence) => !sentence.onlyTime && sentence.opening.refusal !== 'none',
  );
  const timed = others.filter(holdsTime);
  if (fragments.length === 0 && timed.length === 0) return 'none';
  const asking = others.filter((sentence) => sentence.opening.asks);
  const askingTimed = asking.filter(holdsTime);
  if (askingTimed.length > 1) return 'several';
  const [asked] = askingTimed.length > 0 ? askingTimed : fragments.some(holdsTime) ? asking : [];
  if (asked) return { sentence: asked, fragments };
  if (timed.length > 1) return 'several';
  const sentence = timed[0] ?? others.find((other) => other.to > other.from);
  if (sentence) return { sentence, fragments };
  const refused = sentences.some((other) => !other.onlyTime && other.opening.refusal === 'none');
  const recurring = fragments.some((other) =>
    other.pieces.some((piece) => isRecurring(piece.facts)),
  );
  // A single moment alone may answer any question.
  return recurring && !refused ? 'only time' : 'none';
}

function readChosen<S extends AnySchedule>(
  text: string,
  phrase: Phrase,
  sentences: readonly Sentence[],
  { sentence, fragments }: Chosen,
  compose: MadeBy<S>,
): RequestReading<S> {
  const isWhole = (facts: ScheduleFields): boolean => 'schedule' in compose(facts);
  const counted = fromEvent(phrase, sentences, sentence, compose);
  if (counted && 'unclear' in counted)
    return ask(
      notUnderstood(
        phrase.words.slice(counted.unclear.from, counted.unclear.to).map((word) => word.text),
      ),
    );
  const selected = counted ?? select(sentence, isWhole);
  if ('question' in selected) return ask(selected.question);
  let facts: ScheduleFields | null = selected.facts;
  for (const piece of fragments.flatMap((fragment) => fragment.pieces))
    facts = facts && merged(facts, piece.facts);
  if (facts === null) return ask(SEVERAL);
  if (sentence.opening.refusal === 'condition')
    return ask('I can only go by the clock. At what time shall I do that?');
  if (isWhole(facts) && isTold(phrase, sentences, sentence, selected.used)) return ask(HAPPENS);
  const noClock = selected.used.find(
    ({ facts: { ask }, to }) => ask !== undefined && phrase.words[to - 1]?.kind === 'clock',
  );
  if (noClock?.facts.ask !== undefined) return ask(noClock.facts.ask);
  const left = unread(phrase, sentence, selected.used, isWhole(facts));
  if (left.length > 0) return ask(notUnderstood(left));
  const composed = compose(facts);
  if ('question' in composed) return ask(composed.question);
  const dropped = counted?.dropped ?? selected.used;
  const instructions = wholeInstructions(
    text,
    phrase,
    sentences,
    sentence,
    dropped,
    counted?.event,
  );
  if (instructions === '') return ask('What should I do then?');
  const scheduleOf = (said: ScheduleFields): string | null => {
    const made = compose(said);
    return 'schedule' in made ? JSON.stringify(made.schedule) : null;
  };
  const others = sentences.filter((other) => other !== counted?.event);
  const around = saidAround(phrase, others, sentence, facts, scheduleOf);
  if (around.length > 0) return ask(notUnderstood(around));
  return { kind: 'schedule', schedule: composed.schedule, instructions };
}

function notUnderstood(words: readonly string[]): string {
  const quoted = words.slice(0, 6).map((word) => `"${word}"`);
  const say = quoted.length > 1 ? 'say' : 'says';
  return `I do not know what ${listed(quoted)} ${say} about the time. When exactly should I do that?`;
}

const textOf = (phrase: Phrase, { from, to }: { from: number; to: number }): string =>
  phrase.text.slice(phrase.offsets[from], phrase.offsets[to]);

const POINTS_BACK = /\b(?:it|this|that|them|these|those|him|her|they)\b/i;

/** What is asked for, what is said after it, and, where it points back ("check it"), what was said before. */
function wholeInstructions(
  text: string,
  phrase: Phrase,
  sentences: readonly Sentence[],
  sentence: Sentence,
  used: readonly TimeExpression[],
  event: Sentence | null = null,
): string {
  const own = instructionsOf(phrase, sentence, used);
  const at = sentences.indexOf(sentence);
  const before = sentences
    .slice(0, at)
    .filter((other) => !other.onlyTime)
    .map((other) => writtenText(text, phrase, other))
    .filter((words) => words !== '');
  const after = followingText(text, phrase, sentences.slice(at + 1));
  if (own === '' && before.length === 0 && after === '') return '';
  const request = own === '' ? 'remind me' : own;
  const pointsBack = own === '' || event !== null || POINTS_BACK.test(own);
  const around =
    pointsBack && before.length > 0 ? ` (${before.join(' ').replace(/[.\s,;]+$/u, '')})` : '';
  if (after === '') return request + around;
  return `${request}${around}${after.startsWith('\n') ? '' : '.'}${after}`.trim();
}

/** What follows, with its line breaks; fragments of time and courtesies are left out. */
function followingText(text: string, phrase: Phrase, sentences: readonly Sentence[]): string {
  let joined = '';
  for (const sentence of sentences) {
    const said = sentence.onlyTime ? '' : writtenText(text, phrase, sentence);
    const line = phrase.words[sentence.from - 1]?.kind === 'break' ? '\n' : ' ';
    if (said !== '') joined += `${line}${said}`;
  }
  const lastRead = phrase.words.at(-1)?.end ?? 0;
  const rest = text.slice(lastRead).trim();
  return /[\p{L}\p{N}]/u.test(rest) ? `${joined} ${rest}` : joined;
}

const COURTESY =
  /^(?:hi|hey|hello|yo|thanks?|thank you|thx|please|ok(?:ay)?|cheers|good (?:morning|evening|afternoon)|great|cool|yes|sure|hope you(?:'re| are) (?:well|good|doing well))(?: \w+)?[\s!.,]*$/iu;

function writtenText(text: string, phrase: Phrase, range: { from: number; to: number }): string {
  let last = range.to - 1;
  while (last > range.from && wordAt(phrase, last) === '\n') last -= 1;
  const said = text.slice(phrase.words[range.from]?.start, phrase.words[last]?.end).trim();
  return COURTESY.test(said) || !/\p{L}/u.test(said) ? '' : said;
}

/** What the pieces of a sentence say together, or the question that they leave. */
type Selection = { facts: ScheduleFields; used: TimeExpression[] } | { question: string };

const SEVERAL = 'I can set one schedule at a time. Which one first?';

/**
 * Everything that is said about time is one schedule. Where two pieces contradict each other, a day or
 * time in what is to be done ("… about the call at 5pm") is left there if those in front of it are a
 * schedule by themselves; anything else is asked about.
 * @param isWhole whether facts make a schedule without a question
 */
function select(sentence: Sentence, isWhole: (facts: ScheduleFields) => boolean): Selection {
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
  const firsts = [
    (piece: TimeExpression) => piece.from < content,
    (piece: TimeExpression) => !piece.subordinate,
  ].map((isFirst) => plain.filter(isFirst));
  const outside = firsts.find((pieces) => {
    const facts = mergedAll(pieces);
    return facts !== null && isWhole(facts);
  });
  const own = outside && mergedAll(outside);
  if (!outside || !own) return { question: holdsWeekdayOfDate(plain) ? WEEKDAY_OF_DATE : SEVERAL };
  const others = plain.filter((piece) => !outside.includes(piece));
  const inContent = others.every(
    ({ facts, vague, joined }) => vague || (isPoint(facts) && !joined),
  );
  return inContent ? withAdjectives(sentence, own, outside) : { question: SEVERAL };
}

/** "every Friday the 13th": cron cannot say both at once. */
function holdsWeekdayOfDate(pieces: readonly TimeExpression[]): boolean {
  const isDate = ({ facts: { day, monthDays } }: TimeExpression) =>
    monthDays !== undefined || day?.type === 'monthDay' || day?.type === 'date';
  return pieces.some(({ facts }) => facts.weekdays !== undefined) && pieces.some(isDate);
}

/** "meditate for 10 minutes": how long it lasts, unless something is to be repeated within the day. */
function isLength({ from, facts }: TimeExpression, { pieces, opening }: Sentence): boolean {
  const { span, ...others } = facts;
  if (span === undefined || span.ms === 0 || Object.keys(others).length > 0) return false;
  const subDaily = pieces.some((piece) => isSubDaily(piece.facts));
  return from > opening.content && !subDaily && !pieces.some((piece) => piece.to === from);
}

/** "at 4pm plan the next 3 days": of what is done once, days may be what it is about. */
function isLoose({ from, facts }: TimeExpression, { pieces, opening }: Sentence): boolean {
  if (!facts.span || from < opening.content) return false;
  return !pieces.some((piece) => piece.to === from || isRecurring(piece.facts));
}

function isTimed(facts: ScheduleFields): boolean {
  const time = facts.times ?? facts.window ?? facts.delay ?? facts.cron;
  return time !== undefined || isSubDaily(facts);
}

/** A day, a time or a part of the day, which may as well be part of a name. */
function isPoint(facts: ScheduleFields): boolean {
  const points = new Set(['day', 'times', 'part', 'delay', 'zone']);
  return Object.keys(facts).every((key) => points.has(key));
}

function withAdjectives(
  sentence: Sentence,
  facts: ScheduleFields,
  used: readonly TimeExpression[],
): Selection {
  if (isRecurring(facts) || facts.day || facts.delay) return { facts, used: [...used] };
  const adjective = sentence.pieces.find((piece) => piece.adjective);
  const both = adjective && merged(facts, adjective.facts);
  if (!adjective || !both) return { facts, used: [...used] };
  return { facts: both, used: [...used, adjective] };
}

/** The words of time in a sentence that the schedule does not express; `isWhole`: it is one without them. */
function unread(
  phrase: Phrase,
  sentence: Sentence,
  used: readonly TimeExpression[],
  isWhole: boolean,
): string[] {
  const taken = indexesOf(used);
  const kept = indexesOf(
    sentence.pieces.filter(
      (piece) =>
        !used.includes(piece) &&
        !isAnotherTime(phrase, piece) &&
        piece.facts.zone === undefined &&
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

/**
 * "cinema at 2 remind me at 1 to get ready": what is asked for behind a statement has that time. "In
 * three weeks on the Monday at 9": no word stands between the two that could be what to do.
 */
function isOfRequest(
  phrase: Phrase,
  sentence: Sentence,
  piece: TimeExpression,
  used: readonly TimeExpression[],
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
function isAnotherTime(phrase: Phrase, { from }: TimeExpression): boolean {
  const at = /^(?:at|on|in|for|the)$/.test(wordAt(phrase, from - 1)) ? from - 2 : from - 1;
  return /^(?:again|another|not|except|excluding|besides|but|then|also|and|or|plus)$/.test(
    wordAt(phrase, at),
  );
}

/** A subject of two words and more, or a pronoun with its verb: "the bus leaves", "it starts". */
const SUBJECT =
  /^(?:(?:the|my|our|his|her|their|your|this|that|these|those)(?: [^\s,:-]+){2,}|(?:it|he|she|they|there|we|you)(?: [^\s,:-]+)+)$/;
/** Behind a time they make it a part of the subject: "lunch at 12 was nice". */
const FINITE =
  /^(?:is|isn't|are|aren't|was|wasn't|were|weren't|has|had|got|did|didn't|does|doesn't)$/;
/** What is said or written may hold times of its own. */
const QUOTING = /^(?:that|saying|says)$/;

/** "the bus leaves at 9", "write a mail saying we meet at 9", "translate this text: see you at 9". */
function isTold(
  phrase: Phrase,
  sentences: readonly Sentence[],
  sentence: Sentence,
  used: readonly TimeExpression[],
): boolean {
  const { asks, content, prefix } = sentence.opening;
  if (requestAt(phrase, sentence) !== null || prefix !== '' || used.length === 0) return false;
  const first = Math.min(...used.map((piece) => piece.from));
  let words = 0;
  for (let index = content; index < first; index += 1) {
    const word = wordAt(phrase, index);
    // A word or two in front of a colon are a heading.
    if (word === ':' && words > 2) return true;
    if (!touches(phrase, index)) words += 1;
    const quoted = phrase.words[index + 1]?.kind === 'quote';
    if (index > content && QUOTING.test(word) && !quoted) return true;
    // "a poem about rainy mondays": no preposition says that the days are those of the schedule.
    const bare = used.some(({ from }) => /day|ing|night/.test(wordAt(phrase, from)));
    if (index > content && word === 'about' && bare) return true;
  }
  if (asks || sentences.some((other) => requestAt(phrase, other) !== null)) return false;
  if (used.some(({ to }) => FINITE.test(wordAt(phrase, to)))) return true;
  // "thanks, the 7 o'clock reminder worked".
  const opened = wordAt(phrase, sentence.from + 1) === ',' ? sentence.from + 2 : sentence.from;
  if (first <= opened) return false;
  const until = first > opened + 1 ? first : sentence.to;
  const inPiece = indexesOf(used);
  const subject = phrase.words.slice(opened, until).filter((_, at) => !inPiece.has(opened + at));
  return SUBJECT.test(subject.map(({ low }) => low).join(' '));
}

/**
 * The words of time around `sentence` that would change its schedule. A request with a day of its own
 * keeps it whatever was said in front of it; one with a clock time alone may mean the day of the event.
 * @param scheduleOf the schedule of facts as text, null where they leave a question
 */
function saidAround(
  phrase: Phrase,
  sentences: readonly Sentence[],
  sentence: Sentence,
  facts: ScheduleFields,
  scheduleOf: (facts: ScheduleFields) => string | null,
): string[] {
  const indexes = new Set<number>();
  const whole = scheduleOf(facts);
  for (const other of sentences) {
    if (other === sentence || other.onlyTime) continue;
    const ahead = other.from < sentence.from;
    const inPiece = indexesOf(other.pieces);
    for (let index = other.from; index < other.to; index += 1) {
      const exception = isRecurring(facts) ? exceptionAt(phrase, index) : null;
      const to = offsetAt(phrase, index) ?? exception;
      for (let at = index; to !== null && at < Math.min(to, other.to); at += 1) indexes.add(at);
      if (ahead && !inPiece.has(index) && isBareNumber(phrase, index, other)) indexes.add(index);
    }
    for (const piece of other.pieces) {
      if (!bearsOn(facts, piece, ahead)) continue;
      const both = merged(facts, piece.facts);
      if (both !== null && scheduleOf(both) === whole) continue;
      for (const index of indexesOf([piece])) indexes.add(index);
    }
  }
  return [...indexes].sort((a, b) => a - b).map((index) => phrase.words[index]?.text ?? '');
}

function bearsOn(
  facts: ScheduleFields,
  { facts: said, ...piece }: TimeExpression,
  ahead: boolean,
): boolean {
  if (piece.adjective || piece.vague || said.day?.type === 'past') return false;
  if (isRecurring(facts)) return Boolean(said.until ?? said.start ?? said.except ?? said.window);
  if (!ahead) return said.day !== undefined && !piece.subordinate;
  if (facts.day || facts.delay) return false;
  return said.day !== undefined || said.onDays !== undefined || isRecurring(said);
}
