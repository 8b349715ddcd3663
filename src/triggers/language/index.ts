/**
 * Reads a schedule and what to do out of an English sentence, without a model. It prefers silence: a
 * schedule needs both words of time and a request to the agent, and what is unclear becomes a question.
 * Pure and total: the same text, moment and zone give the same answer on every machine, and no input
 * makes it throw.
 */
import { describeSchedule } from '../describe.js';
import type { Schedule } from '../schema.js';
import { type ComposeContext, compose } from './compose.js';
import { isRecurring, merged } from './facts.js';
import { instructionsOf } from './instructions.js';
import type { Request } from './judge.js';
import { readSentence, type Sentence } from './reader.js';
import { splitSentences } from './sentences.js';
import { lowAt, type Token, tokenize } from './tokens.js';

/** What a text says. `summary` is the schedule in words, for the confirmation. */
export type ScheduleReading =
  | { kind: 'schedule'; schedule: Schedule; instructions: string; summary: string }
  /** Something was asked for at a time that is not clear, or that cannot be expressed: ask this. */
  | { kind: 'ambiguous'; question: string }
  /** Not a request for a schedule. */
  | { kind: 'none' };

export interface ReadingContext {
  /** The moment that "tomorrow" is relative to. */
  nowMs: number;
  /** IANA name of the user's zone; a zone named in the text goes before it. */
  timezone: string;
}

/** A schedule is looked for in this many first characters; the rest can only be instructions. */
const READ_LIMIT = 2_000;
/** Longer texts are documents, not requests (instructions hold 8 KB at most). */
const TEXT_LIMIT = 8_192;
const TOKEN_LIMIT = 400;
/** Source code and markup hold sentences in comments; nobody says them to the agent. */
const CODE = /(?<!:)\/\/|=>|\);|[{}]|<\/?[a-z][^<>]{0,40}>|&&|\|\||\b(?:const|let|var) \w+ ?=/i;
/** A letter or a recipe: its orders are for whoever reads it. */
const LETTER =
  /^\s*dear (?!(?:cue|eliza|agent|assistant|bot)\b)|\b(?:best|kind|warm|many) (?:regards|wishes)\b|\b(?:sincerely|yours truly|yours faithfully)\b/i;
const RECIPE =
  /(?:^|[.!\n]\s*)(?:preheat|bake|mix|stir|whisk|knead|simmer|boil|fry|roast|grill|marinate|chop|season|pour|drain|serve|sprinkle|melt|saute|peel)\b/i;
/** A line of a crontab: five fields and a file to run. */
const CRONTAB =
  /^[ \t]*(?:@\w{3,10}|(?:[\d*?/,-]{1,40}[ \t]+){4}[\w*?/,#-]{1,40})[ \t]+(?:\S{1,60}[ \t]+){0,2}(?:\S{0,80}\/\S|\S{1,80}\.(?:sh|py|js|ts|rb|php|pl|exe|bat)\b)/m;
const NONE: ScheduleReading = { kind: 'none' };

/** Reads `text`. See the file header for what is promised, `compose.ts` for the defaults. */
export function parseScheduleText(text: string, context: ReadingContext): ScheduleReading {
  if (text.length > TEXT_LIMIT || text.trim() === '' || !Number.isFinite(context.nowMs)) {
    return NONE;
  }
  const unquoted = text.slice(0, READ_LIMIT).replace(/`[^`]*`|"[^"]*"/g, '');
  if (CODE.test(unquoted) || CRONTAB.test(unquoted)) return NONE;
  const tokens = tokenize(text, READ_LIMIT).slice(0, TOKEN_LIMIT);
  const sentences = splitSentences(tokens).map((range) => readSentence(tokens, range));
  if (!sentences.some((sentence) => sentence.type === 'request')) {
    return onlyTimes(sentences) ? ask('What should I do then?') : NONE;
  }
  const chosen = choose(sentences);
  if (chosen === null) return NONE;
  if (sentences.some((sentence) => sentence.type === 'other' && sentence.refused)) {
    return ask('Shall I set this up, or not?');
  }
  if (chosen === 'several') return ask('I can set one schedule at a time. Which one first?');
  if (isAgenda(tokens, sentences, chosen)) return NONE;
  const { head } = chosen.request;
  if (LETTER.test(unquoted))
    return ask('Is that meant for me? Then say when, and what I shall do.');
  if (head.kind === 'do' && !head.asked && RECIPE.test(unquoted)) return NONE;
  if (chosen.request.question !== undefined) return ask(chosen.request.question);
  return finished(text, tokens, sentences, chosen, context);
}

function ask(question: string): ScheduleReading {
  return { kind: 'ambiguous', question };
}

/** "every day at 9" and nothing else. A single moment alone may answer any question. */
function onlyTimes(sentences: readonly Sentence[]): boolean {
  const [only] = sentences;
  return (
    sentences.length === 1 &&
    only?.type === 'time' &&
    only.facts !== null &&
    isRecurring(only.facts)
  );
}

type RequestSentence = Extract<Sentence, { type: 'request' }>;

/** The one sentence that asks for something at a time; fragments ("Tomorrow at 5.") complete it. */
function choose(sentences: Sentence[]): RequestSentence | 'several' | null {
  const requests = sentences.filter((sentence) => sentence.type === 'request');
  const timed = requests.filter(
    ({ request }) => request.facts !== null || request.question !== undefined,
  );
  if (timed.length > 1) return 'several';
  const chosen = timed[0] ?? requests[0];
  if (!chosen) return null;
  for (const sentence of sentences) {
    if (sentence.type !== 'time' || sentence.facts === null) continue;
    const facts = merged(chosen.request.facts ?? {}, sentence.facts);
    if (facts === null) return 'several';
    chosen.request.facts = facts;
  }
  const silent = chosen.request.facts === null && chosen.request.question === undefined;
  return silent ? null : chosen;
}

/** "Mon 9am standup / Tue 10am review", line by line: a plan in which one line looks like an order. */
function isAgenda(
  tokens: readonly Token[],
  sentences: readonly Sentence[],
  chosen: RequestSentence,
): boolean {
  const { head } = chosen.request;
  if (!chosen.leads || head.asked || head.kind === 'remind' || head.kind === 'setup') return false;
  return sentences.some(
    (sentence) =>
      sentence.type === 'other' &&
      sentence.leads &&
      tokens
        .slice(
          Math.min(sentence.range.from, chosen.range.from),
          Math.max(sentence.range.from, chosen.range.from),
        )
        .some((token) => token.kind === 'break'),
  );
}

function finished(
  text: string,
  tokens: readonly Token[],
  sentences: readonly Sentence[],
  chosen: RequestSentence,
  context: ReadingContext,
): ScheduleReading {
  const { request } = chosen;
  const composeContext: ComposeContext = {
    ...context,
    waking: request.head.verb === 'wake' || request.head.selfSufficient === 'wake me up',
  };
  const composed = compose(request.facts ?? {}, composeContext);
  if ('question' in composed) return ask(composed.question);
  const instructions = wholeInstructions(text, tokens, sentences, chosen);
  if (instructions === '') return ask('What should I do then?');
  const { schedule } = composed;
  const summary = describeSchedule(schedule, context.timezone);
  return { kind: 'schedule', schedule, instructions, summary };
}

/**
 * The order, what is said after it, and, where the order points back ("check it"), what was said before.
 */
function wholeInstructions(
  text: string,
  tokens: readonly Token[],
  sentences: readonly Sentence[],
  chosen: RequestSentence,
): string {
  const { request } = chosen;
  const own = instructionsOf(tokens, request.words, request.head, request.used, request.range.to);
  const at = sentences.indexOf(chosen);
  const before = [
    ...sentences
      .slice(0, at)
      .filter((sentence) => sentence.type !== 'time')
      .map((sentence) => textOf(text, tokens, sentence.range)),
    contextOf(text, tokens, request, chosen),
  ].filter((part) => part !== '');
  const after = followingText(text, tokens, sentences.slice(at + 1));
  if (request.empty && before.length === 0 && after === '') return '';
  const order = request.empty && own === '' ? 'remind me' : own;
  const pointsBack = request.empty || POINTS_BACK.test(own);
  const context =
    pointsBack && before.length > 0 ? ` (${before.join(' ').replace(/[.\s,;]+$/u, '')})` : '';
  if (after === '') return order + context;
  const closed = after.startsWith('\n') || order === '' ? '' : '.';
  return `${order}${context}${closed}${after}`.trim();
}

const POINTS_BACK = /\b(?:it|this|that|them|these|those|him|her|they)\b/i;

/** What follows the order, with its line breaks; time fragments and courtesies are left out. */
function followingText(
  text: string,
  tokens: readonly Token[],
  sentences: readonly Sentence[],
): string {
  let joined = '';
  for (const { type, range } of sentences) {
    const said = type === 'time' ? '' : textOf(text, tokens, range);
    if (said !== '') joined += `${tokens[range.from - 1]?.kind === 'break' ? '\n' : ' '}${said}`;
  }
  const lastRead = tokens.at(-1)?.end ?? 0;
  const cut = text.length > READ_LIMIT || tokens.length === TOKEN_LIMIT;
  const unread = cut ? text.slice(lastRead).trim() : '';
  return unread === '' ? joined : `${joined} ${unread}`;
}

/** The statement in front of an order in the same sentence: "I have a call at 5, so remind me …". */
function contextOf(
  text: string,
  tokens: readonly Token[],
  request: Request,
  chosen: RequestSentence,
): string {
  if (request.range.from === chosen.range.from) return '';
  const said = textOf(text, tokens, { from: chosen.range.from, to: request.range.from });
  return said.replace(/[\s,;]+$/u, '').replace(/[\s,;]+(?:so|and|but)$/iu, '');
}

const COURTESY =
  /^(?:hi|hey|hello|yo|thanks?|thank you|thx|please|ok(?:ay)?|cheers|good (?:morning|evening|afternoon)|great|cool|yes|sure|hope you(?:'re| are) (?:well|good|doing well))(?: \w+)?[\s!.,]*$/iu;

function textOf(
  text: string,
  tokens: readonly Token[],
  range: { from: number; to: number },
): string {
  const first = tokens[range.from];
  const last = tokens[range.to - 1];
  if (!first || !last) return '';
  const said = text.slice(first.start, last.end).trim();
  const empty = COURTESY.test(said) || !/\p{L}/u.test(said) || lowAt(tokens, range.from) === 'ok';
  return empty ? '' : said;
}
