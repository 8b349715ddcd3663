/**
 * Reads a schedule and what to do out of an English sentence, without a model. Whoever asks has decided
 * that a schedule is wanted; what is read here is which. Every word that could tell a time is either
 * expressed by the schedule or asked about. Pure and total: the same text, moment and zone give the same
 * answer on every machine, and no input makes it throw.
 */
import { describeSchedule } from '../describe.js';
import type { Schedule } from '../schema.js';
import { type ComposeContext, compose } from './compose.js';
import { fromEvent } from './event.js';
import { type Facts, isAnchored, isRecurring, merged, type Piece } from './facts.js';
import { saidAround } from './other-sentences.js';
import { type Phrase, phraseOf, wordAt } from './phrase.js';
import {
  holdsTwo,
  instructionsOf,
  readSentence,
  SEVERAL,
  type Sentence,
  select,
  unread,
} from './request.js';
import { requestAt, splitSentences } from './sentences.js';
import { isReported, isTold } from './statements.js';

/** What a text says. `summary` is the schedule in words, for the confirmation. */
export type ScheduleReading =
  | { kind: 'schedule'; schedule: Schedule; instructions: string; summary: string }
  /** Something was asked for at a time that is not clear, or that cannot be expressed: ask this. */
  | {
      kind: 'ambiguous';
      question: string;
      /** The request without the time that is asked about, and without any: what a corrected time completes. */
      rest?: readonly string[];
    }
  /** No time is said in it, or it is no request. */
  | { kind: 'none' };

export interface ReadingContext {
  /** The moment that "tomorrow" is relative to. */
  nowMs: number;
  /** IANA name of the user's zone; a zone named in the text goes before it. */
  timezone: string;
}

/** Longer texts are documents, not requests (instructions hold 8 KB at most). */
const TEXT_LIMIT = 8_192;
/** Source code, markup and lines of a crontab hold times; nobody says them to the agent. */
const CODE =
  /(?<!:)\/\/|=>|\);|[{}]|<\/?[a-z][^<>]{0,40}>|&&|\|\||\b(?:const|let|var) \w+ ?=|^[ \t]*(?:@\w{3,10}|(?:[\d*?/,-]{1,40}[ \t]+){4}[\w*?/,#-]{1,40})[ \t]+(?:\S{1,60}[ \t]+){0,2}(?:\S{0,80}\/\S|\S{1,80}\.(?:sh|py|js|ts|rb|php|pl|exe|bat)\b)/im;
const NONE: ScheduleReading = { kind: 'none' };
const HAPPENS = 'Is that when I shall do it, or when it happens?';

const ask = (question: string): ScheduleReading => ({ kind: 'ambiguous', question });

/** Reads `text`. See the file header for what is promised, `compose.ts` for the defaults. */
export function parseScheduleText(text: string, context: ReadingContext): ScheduleReading {
  if (text.length > TEXT_LIMIT || text.trim() === '' || !Number.isFinite(context.nowMs)) {
    return NONE;
  }
  if (CODE.test(text.slice(0, 2_000).replace(/`[^`]*`|"[^"]*"/g, ''))) return NONE;
  const phrase = phraseOf(text);
  const sentences = splitSentences(phrase).map((range) => readSentence(phrase, range));
  const chosen = choose(sentences);
  if (chosen === 'none') return withoutTime(phrase, sentences);
  if (chosen === 'several') return ask(SEVERAL);
  if (chosen === 'only time') return ask('What should I do then?');
  const reading = readRequest(text, phrase, sentences, chosen, context);
  if (reading.kind !== 'ambiguous') return reading;
  const { pieces } = chosen.sentence;
  const asked = pieces.filter(({ facts }) => facts.ask ?? (facts.day?.type === 'ask' || undefined));
  const task = (without: readonly Piece[]): string =>
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

/** The schedule of a text that says when and nothing else: "every day at 9", "tomorrow at noon". */
export function parseTimeText(
  text: string,
  context: ReadingContext,
): Exclude<ScheduleReading, { kind: 'schedule' }> | { kind: 'schedule'; schedule: Schedule } {
  if (text.length > TEXT_LIMIT || !Number.isFinite(context.nowMs)) return { kind: 'none' };
  const phrase = phraseOf(text);
  const sentence = readSentence(phrase, { from: 0, to: phrase.words.length });
  if (!sentence.onlyTime) return { kind: 'none' };
  const composeContext = { ...context, waking: false };
  const selected = select(sentence, (facts) => 'schedule' in compose(facts, composeContext));
  if ('question' in selected) return { kind: 'ambiguous', question: selected.question };
  const composed = compose(selected.facts, composeContext);
  return 'question' in composed
    ? { kind: 'ambiguous', question: composed.question }
    : { kind: 'schedule', schedule: composed.schedule };
}

/** Whether a text says that something is wanted ("remind me", "can you", "set an alarm"), with or without a time. */
export function asksForSomething(text: string): boolean {
  if (text.length > TEXT_LIMIT) return false;
  const phrase = phraseOf(text);
  return splitSentences(phrase).some((range) => readSentence(phrase, range).opening.asks);
}

/** A request whose words of time could not be read at all is asked about; without such words it is none. */
function withoutTime(phrase: Phrase, sentences: readonly Sentence[]): ScheduleReading {
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

const isTimed = (sentence: Sentence): boolean =>
  sentence.pieces.some((piece) => isAnchored(piece.facts));

/** The one sentence that asks for something at a time. */
function choose(sentences: readonly Sentence[]): Chosen | 'none' | 'several' | 'only time' {
  const fragments = sentences.filter((sentence) => sentence.onlyTime);
  const others = sentences.filter(
    (sentence) => !sentence.onlyTime && sentence.opening.refusal !== 'none',
  );
  const timed = others.filter(isTimed);
  if (fragments.length === 0 && timed.length === 0) return 'none';
  const asking = others.filter((sentence) => sentence.opening.asks);
  const askingTimed = asking.filter(isTimed);
  if (askingTimed.length > 1) return 'several';
  const [asked] = askingTimed.length > 0 ? askingTimed : fragments.some(isTimed) ? asking : [];
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

function readRequest(
  text: string,
  phrase: Phrase,
  sentences: readonly Sentence[],
  { sentence, fragments }: Chosen,
  context: ReadingContext,
): ScheduleReading {
  const composeContext: ComposeContext = {
    ...context,
    waking: /\b(?:wake|get) (?:me )?up\b|\bwake me\b|\balarm\b/.test(textOf(phrase, sentence)),
  };
  const isWhole = (facts: Facts): boolean => 'schedule' in compose(facts, composeContext);
  const counted = fromEvent(phrase, sentences, sentence, composeContext);
  if (counted && 'unclear' in counted)
    return ask(
      notUnderstood(
        phrase.words.slice(counted.unclear.from, counted.unclear.to).map((word) => word.text),
      ),
    );
  const selected = counted ?? select(sentence, isWhole);
  if ('question' in selected) return ask(selected.question);
  let facts: Facts | null = selected.facts;
  for (const piece of fragments.flatMap((fragment) => fragment.pieces))
    facts = facts && merged(facts, piece.facts);
  if (facts === null) return ask(SEVERAL);
  const { refusal } = sentence.opening;
  if (refusal === 'condition')
    return ask('I can only go by the clock. At what time shall I do that?');
  if (refusal === 'existing' && !isRecurring(facts) && !leads(sentence, selected.used))
    return ask('Shall I do that at that time, or is it about something that is set up already?');
  if (isWhole(facts) && isTold(phrase, sentences, sentence, selected.used)) return ask(HAPPENS);
  const left = unread(phrase, sentence, selected.used, isWhole(facts));
  if (left.length > 0) return ask(notUnderstood(left));
  if (holdsTwo(phrase, sentence)) return ask(SEVERAL);
  if (!isRecurring(facts) && isReported(phrase, sentence, selected.used)) return ask(HAPPENS);
  if (!isRecurring(facts) && isDeadline(phrase, sentence, selected.used))
    return ask('Shall I do that then, or remind you before?');
  const composed = compose(facts, composeContext);
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
  const scheduleOf = (said: Facts): string | null => {
    const made = compose(said, composeContext);
    return 'schedule' in made ? JSON.stringify(made.schedule) : null;
  };
  const others = sentences.filter((other) => other !== counted?.event);
  const around = saidAround(phrase, others, sentence, facts, scheduleOf);
  if (around.length > 0) return ask(notUnderstood(around));
  const { schedule } = composed;
  return {
    kind: 'schedule',
    schedule,
    instructions,
    summary: describeSchedule(schedule, context.timezone),
  };
}

/** "please arrive by 9am": a deadline is the time of a reminder and of what is repeated, of nothing else. */
function isDeadline(phrase: Phrase, sentence: Sentence, used: readonly Piece[]): boolean {
  const by = used.some(({ from, facts }) => facts.times && wordAt(phrase, from) === 'by');
  return by && requestAt(phrase, sentence) === null;
}

function leads(sentence: Sentence, used: readonly Piece[]): boolean {
  return used.every((piece) => piece.from < sentence.opening.content);
}

function notUnderstood(words: readonly string[]): string {
  const quoted = words.slice(0, 6).map((word) => `"${word}"`);
  const list =
    quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}` : quoted[0];
  const say = quoted.length > 1 ? 'say' : 'says';
  return `I do not know what ${list} ${say} about the time. When exactly should I do that?`;
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
  used: readonly Piece[],
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
