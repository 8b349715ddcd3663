/** What is left out, and how often at all: "except Sunday", "no weekends", "3 times". */
import { type Read, readInteger } from './amounts.js';
import type { Facts } from './facts.js';
import { lowAt, type Token } from './tokens.js';
import { readDayList } from './weekdays.js';

export function readExcept(tokens: readonly Token[], index: number): Read<Facts> | null {
  const words = tokens
    .slice(index, index + 2)
    .map((token) => token.low)
    .join(' ');
  let at: number;
  if (
    /^(?:except for|other than|apart from|but not|save for|with the|and not|but skip|not on|but never)$/.test(
      words,
    )
  )
    at = index + 2;
  else if (/^(?:except|excluding|excl|minus|skipping|besides|but|without|no)\b/.test(words))
    at = index + 1;
  else return null;
  // "do not on Fridays …" denies what follows.
  if (
    words === 'not on' &&
    /^(?:do|does|did|will|would|should|please)$/.test(lowAt(tokens, index - 1))
  )
    return null;
  const plainBut = lowAt(tokens, index) === 'but' && at === index + 1;
  const no = lowAt(tokens, index) === 'no';
  if (/^(?:on|for|at|during)$/.test(lowAt(tokens, at))) at += 1;
  const the = /^(?:the|public|bank|national)$/.test(lowAt(tokens, at)) ? at + 1 : at;
  const days = readDayList(tokens, the);
  if (days && (!no || /s$/.test(lowAt(tokens, days.to - 1))))
    return { value: { except: days.value }, to: days.to };
  if (/^(?:holidays|holiday|vacations|vacation)$/.test(lowAt(tokens, the))) {
    return {
      value: {
        ask: 'I do not know the holidays, so I cannot leave them out. Shall I do it on those days too?',
      },
      to: the + 1,
    };
  }
  if (
    plainBut ||
    no ||
    lowAt(tokens, index) === 'without' ||
    /^(?:with|and)$/.test(lowAt(tokens, index))
  )
    return null;
  return {
    value: { ask: 'I cannot leave out that exception. On which days or hours should it happen?' },
    to: Math.max(at, index + 1),
  };
}

/** "3 times", "five times in total": how often at all. */
export function readRuns(tokens: readonly Token[], index: number): Read<Facts> | null {
  if (lowAt(tokens, index) === 'twice') return { value: { runs: 2 }, to: index + 1 };
  const number = readInteger(tokens, index);
  if (!number || number.value < 1 || lowAt(tokens, number.to) !== 'times') return null;
  let to = number.to + 1;
  if (lowAt(tokens, to) === 'in' && lowAt(tokens, to + 1) === 'total') to += 2;
  else if (lowAt(tokens, to) === 'only' || lowAt(tokens, to) === 'total') to += 1;
  return { value: { runs: number.value }, to };
}
