/** The closed vocabularies of schedule English. Everything is lower case. */

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

export const ONE_WORDS: ReadonlyMap<string, number> = new Map(
  ONES.map((word, value) => [word, value]),
);
export const TEN_WORDS: ReadonlyMap<string, number> = new Map(
  TENS.map((word, index) => [word, (index + 2) * 10]),
);

const ORDINAL_WORDS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
export const ORDINALS: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  ...Object.fromEntries(ORDINAL_WORDS.map((word, index) => [word, index + 1])),
  thirtieth: 30,
});

/** 0 is Sunday, as in cron and in `LocalParts`. */
export const WEEKDAY_NAMES = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;
export const WEEKDAYS: Readonly<Record<string, number>> = Object.fromEntries(
  WEEKDAY_NAMES.map((name, day) => [name.toLowerCase(), day]),
);
const MONTH_NAMES =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
export const MONTHS: Readonly<Record<string, number>> = Object.fromEntries(
  MONTH_NAMES.map((name, index) => [name, index + 1]),
);

export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

/** Without a prototype, so that "constructor" is no word of time. */
export function table(entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const words: Record<string, string> = Object.create(null);
  for (const [word, spellings] of Object.entries(entries)) {
    for (const spelling of spellings.split(' ')) words[spelling] = word;
  }
  return words;
}

export const UNIT_SPELLINGS = table({
  second: 'second seconds sec secs',
  minute: 'minute minutes min mins',
  hour: 'hour hours hr hrs',
  day: 'day days',
  week: 'week weeks wk wks',
  fortnight: 'fortnight fortnights',
  month: 'month months',
  year: 'year years yr yrs',
});

/** Other spellings of one word. */
export const SPELLINGS = table({
  sunday: 'sun',
  monday: 'mon',
  tuesday: 'tue tues',
  wednesday: 'wed weds',
  thursday: 'thu thur thurs',
  friday: 'fri',
  saturday: 'sat',
  sundays: 'suns',
  mondays: 'mons',
  fridays: 'fris',
  saturdays: 'sats',
  january: 'jan',
  february: 'feb',
  march: 'mar',
  april: 'apr',
  june: 'jun',
  july: 'jul',
  august: 'aug',
  september: 'sep sept',
  october: 'oct',
  november: 'nov',
  december: 'dec',
  every: 'each',
  until: "till til 'til",
  through: 'thru',
  at: '@',
  and: '& n',
  '-': '– —',
  christmas: 'xmas',
  today: "todays today's",
  tomorrow: "tomorrows tomorrow's",
  "o'clock": 'oclock o’clock',
  weekday: 'workday',
  weekdays: 'workdays',
  noon: 'midday noontime lunchtime',
  annually: 'annual',
  couple: 'pair',
  last: 'final',
  before: 'b4 bfr',
  labeled: 'labelled',
});

export const WORKDAYS: readonly number[] = [1, 2, 3, 4, 5];
export const WEEKEND: readonly number[] = [0, 6];

/** Parts of the day; the hour is what "tomorrow morning" means when no time is given. */
export type DayPart = 'morning' | 'afternoon' | 'evening' | 'night';

export const PART_HOUR: Readonly<Record<DayPart, number>> = {
  morning: 9,
  afternoon: 14,
  evening: 18,
  night: 20,
};

/** Days with a name that are the same every year: month, day. */
export const NAMED_DAYS: Readonly<Record<string, readonly [number, number]>> = {
  'christmas eve': [12, 24],
  'christmas day': [12, 25],
  christmas: [12, 25],
  'boxing day': [12, 26],
  "new year's eve": [12, 31],
  'new years eve': [12, 31],
  "new year's day": [1, 1],
  'new years day': [1, 1],
  halloween: [10, 31],
  "valentine's day": [2, 14],
  'valentines day': [2, 14],
};
