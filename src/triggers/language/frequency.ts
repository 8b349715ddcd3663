/** Repetition without a cycle of days: vague words, "twice a day", and minutes of the hour. */
import { type Read, readInteger, readUnit } from './amounts.js';
import type { Facts } from './facts.js';
import { lowAt, type Token } from './tokens.js';

/** What is said about repetition; `bare` and `adjective` as in `Piece`. */
export interface SaidRecurrence {
  facts: Facts;
  adjective?: boolean;
  vague?: boolean;
  bare?: boolean;
}

export type FoundRecurrence = Read<SaidRecurrence>;

export function found(
  facts: Facts,
  to: number,
  marks: Omit<SaidRecurrence, 'facts'> = {},
): FoundRecurrence {
  return { value: { facts, ...marks }, to };
}

const VAGUE = [
  'sometimes',
  'occasionally',
  'periodically',
  'regularly',
  'frequently',
  'someday',
  'eventually',
  'intermittently',
  'routinely',
  'continuously',
  'constantly',
  'soon',
  'later today',
  'later on',
  'later this week',
  'later',
  'from time to time',
  'once in a while',
  'now and then',
  'now and again',
  'at some point',
  'one of these days',
  'some time',
  'some day',
  'some other time',
  'in a bit',
  'in a while',
  'in a moment',
  'in a little while',
  'in a little bit',
  'a few times a day',
  'several times a day',
  'multiple times a day',
  'a few times a week',
  'several times a week',
  'at random times',
  'at random',
  'as often as possible',
  'on a regular basis',
  'at regular intervals',
  'around the clock',
  'at dawn',
  'at dusk',
  'at sunrise',
  'at sunset',
  'before bed',
  'before bedtime',
  'at bedtime',
  'after lunch',
  'after work',
  'after dinner',
  'before lunch',
  'before dinner',
  'after breakfast',
  'at dinnertime',
  'end of day',
  'at the end of the day',
  'eod',
].map((phrase) => phrase.split(' '));
const vagueByFirst = new Map<string, string[][]>();
for (const phrase of VAGUE) {
  const first = phrase[0] ?? '';
  vagueByFirst.set(first, [...(vagueByFirst.get(first) ?? []), phrase]);
}

/** "sometimes", "from time to time", "in a few minutes". */
export function readVagueAdverb(tokens: readonly Token[], index: number): FoundRecurrence | null {
  let best = 0;
  for (const phrase of vagueByFirst.get(lowAt(tokens, index)) ?? []) {
    if (
      phrase.length > best &&
      phrase.every((word, offset) => lowAt(tokens, index + offset) === word)
    )
      best = phrase.length;
  }
  if (best > 0) return found({}, index + best, { vague: true });
  // "in a few minutes", "in some days"
  if (lowAt(tokens, index) === 'in') {
    const a = lowAt(tokens, index + 1) === 'a' ? 1 : 0;
    if (
      /^(?:few|some|several)$/.test(lowAt(tokens, index + 1 + a)) &&
      readUnit(tokens, index + 2 + a)
    ) {
      return found({}, index + 3 + a, { vague: true });
    }
  }
  return null;
}

/** "twice a day", "3 times per week", "once an hour", "once every two hours". */
export function readTimesPer(tokens: readonly Token[], index: number): FoundRecurrence | null {
  const low = lowAt(tokens, index);
  let count = low === 'once' ? 1 : low === 'twice' ? 2 : low === 'thrice' ? 3 : 0;
  let at = index + 1;
  if (count === 0) {
    const number = readInteger(tokens, index);
    if (!number || !/^times?$/.test(lowAt(tokens, number.to))) return null;
    count = number.value;
    at = number.to + 1;
  }
  const article = lowAt(tokens, at);
  const unit = readUnit(tokens, at + 1);
  if (!/^(?:a|an|per|each|every)$/.test(article) || !unit || unit === 'second') {
    return article === 'daily' ? found({ perUnit: { count, unit: 'day' } }, at + 1) : null;
  }
  if (count === 1) return found({ every: { count: 1, unit } }, at + 2);
  return found({ perUnit: { count, unit } }, at + 2);
}

/** "on the hour", "at quarter past every hour", "at 15 minutes past the hour", "on the half hour". */
export function readMinuteOfHour(tokens: readonly Token[], index: number): FoundRecurrence | null {
  const low = lowAt(tokens, index);
  if (!/^(?:on|at)$/.test(low)) return null;
  let at = index + 1;
  if (lowAt(tokens, at) === 'the' && lowAt(tokens, at + 1) === 'hour')
    return found({ minuteOfHour: 0 }, at + 2);
  if (
    lowAt(tokens, at) === 'the' &&
    /^(?:top|start|beginning)$/.test(lowAt(tokens, at + 1)) &&
    lowAt(tokens, at + 2) === 'of'
  ) {
    const every = /^(?:every|each)$/.test(lowAt(tokens, at + 3));
    if (/^(?:the|every|each)$/.test(lowAt(tokens, at + 3)) && lowAt(tokens, at + 4) === 'hour') {
      return found(
        every ? { every: { count: 1, unit: 'hour' }, minuteOfHour: 0 } : { minuteOfHour: 0 },
        at + 5,
      );
    }
    return null;
  }
  if (
    lowAt(tokens, at) === 'the' &&
    lowAt(tokens, at + 1) === 'half' &&
    lowAt(tokens, at + 2) === 'hour'
  ) {
    return found({ minuteOfHour: 30 }, at + 3);
  }
  let minutes: number | null = null;
  if (/^(?:a)$/.test(lowAt(tokens, at))) at += 1;
  if (lowAt(tokens, at) === ':') at += 1;
  const word = lowAt(tokens, at);
  if (word === 'quarter') minutes = 15;
  else if (word === 'half') minutes = 30;
  const number = minutes === null ? readInteger(tokens, at) : null;
  if (number) minutes = number.value;
  if (minutes === null || minutes > 59) return null;
  at = number ? number.to : at + 1;
  if (lowAt(tokens, index + 1) === ':' && !readUnit(tokens, at))
    return found({ minuteOfHour: minutes }, at);
  if (/^(?:minutes|minute|mins|min)$/.test(lowAt(tokens, at))) at += 1;
  const relation = lowAt(tokens, at);
  if (!/^(?:past|after|to|before|of)$/.test(relation)) return null;
  at += 1;
  const every = /^(?:every|each)$/.test(lowAt(tokens, at));
  if (!(every || lowAt(tokens, at) === 'the') || lowAt(tokens, at + 1) !== 'hour') return null;
  const minute = relation === 'past' || relation === 'after' ? minutes : (60 - minutes) % 60;
  return found(
    every ? { every: { count: 1, unit: 'hour' }, minuteOfHour: minute } : { minuteOfHour: minute },
    at + 2,
  );
}
