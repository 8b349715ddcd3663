/** Groups of weekdays: "on weekdays", "Mon-Fri", "Tuesdays and Thursdays", "Saturday mornings". */
import type { Read } from './amounts.js';
import { weekdayAt } from './dates.js';
import type { Facts } from './facts.js';
import { type FoundRecurrence, found } from './frequency.js';
import { lowAt, type Token } from './tokens.js';
import {
  type DayPart,
  PARTS,
  PLURAL_PARTS,
  PLURAL_WEEKDAYS,
  WEEKDAYS,
  WEEKEND,
  WORKDAYS,
} from './words.js';

const EVERY_DAY: Facts['every'] = { count: 1, unit: 'day' };
/** Groups of days that have a name of their own. */
const DAY_GROUPS: Readonly<Record<string, readonly number[]>> = {
  weekday: WORKDAYS,
  weekdays: WORKDAYS,
  workday: WORKDAYS,
  workdays: WORKDAYS,
  weekend: WEEKEND,
  weekends: WEEKEND,
};
/** Weekday names joined by commas, "and", "to": sorted day numbers. At least one. */
export function readDayList(tokens: readonly Token[], index: number): Read<number[]> | null {
  const days = new Set<number>();
  let to = index;
  while (days.size < 7) {
    let from = to;
    if (days.size > 0) {
      while (/^(?:,|and|&|or|\/|\+|on|every|each)$/.test(lowAt(tokens, from)) && from < to + 4)
        from += 1;
      if (from === to) break;
    }
    const here = dayOrGroup(tokens, from);
    if (!here) break;
    const joint = lowAt(tokens, here.to);
    const last = /^(?:-|–|—|to|through|thru|till|until)$/.test(joint)
      ? dayOrGroup(tokens, here.to + 1)
      : null;
    if (last && here.value.length === 1 && last.value.length === 1) {
      for (let day = here.value[0] ?? 0; ; day = (day + 1) % 7) {
        days.add(day);
        if (day === last.value[0]) break;
      }
      to = last.to;
    } else {
      for (const day of here.value) days.add(day);
      to = here.to;
    }
  }
  return days.size > 0 ? { value: [...days].sort((a, b) => a - b), to } : null;
}

function dayOrGroup(tokens: readonly Token[], index: number): Read<readonly number[]> | null {
  const low = lowAt(tokens, index);
  const weekday =
    weekdayAt(tokens, index) ??
    (Object.hasOwn(PLURAL_WEEKDAYS, low) ? PLURAL_WEEKDAYS[low] : undefined);
  if (weekday !== undefined) return { value: [weekday], to: index + 1 };
  if (Object.hasOwn(DAY_GROUPS, low))
    return {
      value: DAY_GROUPS[low] ?? [],
      to: /^days?$/.test(lowAt(tokens, index + 1)) ? index + 2 : index + 1,
    };
  if (/^(?:business|working|work|week)$/.test(low) && /^days?$/.test(lowAt(tokens, index + 1)))
    return { value: WORKDAYS, to: index + 2 };
  if (/^(?:weeknight|weeknights)$/.test(low)) return { value: WORKDAYS, to: index + 1 };
  return null;
}

/** "on weekdays", "Mon-Fri", "Tuesdays and Thursdays", "mornings". One plural or a range makes it repeat. */
export function readDayGroup(tokens: readonly Token[], index: number): FoundRecurrence | null {
  let at = index;
  if (/^(?:only|just)$/.test(lowAt(tokens, at))) at += 1;
  if (/^(?:on|during|in|from|over)$/.test(lowAt(tokens, at))) at += 1;
  if (lowAt(tokens, at) === 'the' && /^(?:weekends|weekdays|weekend)$/.test(lowAt(tokens, at + 1)))
    at += 1;
  const part = lowAt(tokens, at);
  if (Object.hasOwn(PLURAL_PARTS, part)) {
    return (at > index && lowAt(tokens, index) !== 'on') || at === index
      ? found({ every: EVERY_DAY, part: PLURAL_PARTS[part] as DayPart }, at + 1, { bare: true })
      : null;
  }
  if (
    lowAt(tokens, index) === 'during' &&
    lowAt(tokens, index + 1) === 'the' &&
    lowAt(tokens, index + 2) === 'week'
  ) {
    return found({ weekdays: [...WORKDAYS] }, index + 3);
  }
  const days = readDayList(tokens, at);
  if (!days) return null;
  const said = tokens.slice(at, days.to);
  // A group that starts with "every" inside the list repeats too: "Mondays and every Friday".
  const nights = Object.hasOwn(PLURAL_PARTS, lowAt(tokens, days.to));
  const plural =
    nights ||
    said.some(
      (token) =>
        Object.hasOwn(PLURAL_WEEKDAYS, token.low) ||
        /^(?:weekdays|workdays|weekends|days|weeknights|every|each)$/.test(token.low),
    );
  const range = said.some((token) => /^(?:-|–|—|to|through|thru|till|until)$/.test(token.low));
  if (plural || range) {
    const only = lowAt(tokens, days.to) === 'only' ? 1 : 0;
    return withPart(tokens, { weekdays: days.value }, days.to + only, at === index);
  }
  if (
    days.value.length > 1 &&
    said.every(
      (token) =>
        Object.hasOwn(WEEKDAYS, token.low) ||
        !/\w/.test(token.low) ||
        /^(?:and|or|on)$/.test(token.low),
    )
  ) {
    const then = at === index ? lowAt(tokens, days.to) : 'at';
    if (!/^(?:at|@|,|\.|morning|evening|)$/.test(then) && !/^\d/.test(then)) return null;
    const facts = { ask: 'Every week on those days, or only once?', onDays: days.value };
    return found(facts, days.to, { bare: at === index });
  }
  return null;
}

/** "every Saturday morning", "weekdays in the evening". */
export function withPart(
  tokens: readonly Token[],
  facts: Facts,
  index: number,
  bare = false,
): FoundRecurrence {
  const low = lowAt(tokens, index);
  const part = Object.hasOwn(PARTS, low)
    ? PARTS[low]
    : Object.hasOwn(PLURAL_PARTS, low)
      ? PLURAL_PARTS[low]
      : undefined;
  return found(
    part ? { ...facts, part } : facts,
    part ? index + 1 : index,
    bare ? { bare: true } : {},
  );
}
