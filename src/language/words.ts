/** The closed vocabularies of schedule English. Everything is lower case. */
import { editDistance } from '../shared/edit-distance.js';

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
export const MONTH_NAMES =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
export const MONTHS: Readonly<Record<string, number>> = Object.fromEntries(
  MONTH_NAMES.map((name, index) => [name.toLowerCase(), index + 1]),
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

const ALIASES = table({
  tomorrow: 'tmrw tmr tmw tmrrw tmoro tomoro tomo tomoz',
  today: 'tdy',
  tonight: 'tonite tnite',
  please: 'pls plz plse pleas',
  every: 'ev evr',
  day: 'dya daay',
  days: 'dyas dasy',
  week: 'wek weke weeek',
  weeks: 'wekes weks',
  year: 'yaer',
  night: 'nigth nihgt',
  minute: 'minuet',
  minutes: 'minuets',
  weekday: 'wkday',
  weekdays: 'wkdays',
  weekend: 'wknd',
  midnight: 'midnite',
  morning: 'morn',
  remind: 'reminde',
  first: 'frist fisrt firts',
  third: 'thrid',
  check: 'chekc chcek cehck',
  send: 'sned sedn',
  write: 'wrtie',
});

const VOCABULARY = (
  'sunday monday tuesday wednesday thursday friday saturday sundays mondays tuesdays ' +
  'wednesdays thursdays fridays saturdays today tomorrow tonight every everyday weekday ' +
  'weekdays weekend weekends morning afternoon evening midnight minute minutes second ' +
  'seconds hour hours hourly daily weekly monthly yearly annually nightly month months ' +
  'quarter january february august september october november december between until remind ' +
  'reminder please schedule summarize notify'
).split(' ');

/** English words within reach of the vocabulary that must not be repaired. */
const ENGLISH = new Set(
  (
    'ever very never fever every everyone everything everybody everywhere eventually event events even evens evenly evenings ' +
    'mouth moth moths mouths mount mounts north sixths tenths monty monday money monkey monthlies ' +
    'mourning mornings moaning warning meaning morn minutia minuted mints mines minus mints ' +
    'reminds reminded reminding reminders remained remain remains remand remake rewind rewinds rescind render renders remainder remainders rejoinder ' +
    'schedules scheduled scheduler schedulers scheduling summarizes summarized summarizer summarised notified notifies notes noting ' +
    'pleased pleases plead pleat release lease crease ' +
    'seconded seconder secondly secondary sector sectors reckons beckons ' +
    'house houses hourglass honour honors humour humor hoard hoards hound hounds hour hours ' +
    'dairy daisy dally dailies dainty daddy weakly weedy weekly weaken weakens weakened weakend nightie knightly tightly ' +
    'toady toad toads toddy toddler toys tody toady untie unties until untied until unit units unity ' +
    'quarters quartet quartets quarterly quarted quieter augusts auguste gust january febrile octave sundry sundae sunny sunder friary frilly ' +
    'quartz betweens tomorrows tonights middays midrights early yearling years dearly pearly clearly nearly ' +
    'evenness evading evening evenings annual annul annually manually mutually actually weekday workday workdays worldly ' +
    'afternoons evens mouthful monthly moths earthly yearly yeast hourly surly sourly sunday someday saturate saturated'
  ).split(' '),
);

const byInitial = new Map<string, string[]>();
for (const word of VOCABULARY) {
  const initial = word.charAt(0);
  byInitial.set(initial, [...(byInitial.get(initial) ?? []), word]);
}
const vocabulary = new Set(VOCABULARY);

/** The schedule word meant by `low` (lower case), or `low` itself. */
export function repaired(written: string): string {
  const low = written.replace(/^2/, 'to');
  const alias = ALIASES[low];
  if (alias !== undefined) return alias;
  if (low.length < 4 || low.length > 11 || vocabulary.has(low) || ENGLISH.has(low)) return low;
  if (/\d/.test(low)) return low;
  const reach = low.length >= 7 ? 2 : 1;
  const { words, distance } = nearest(low, byInitial.get(low.charAt(0)) ?? [], reach);
  const best = words.length === 1 ? words[0] : missingLetters(low, words);
  if (best === undefined) return low;
  // Two letters off is a typing error only where most of a long word is left.
  if (distance === 2 && (!sharesEnds(low, best) || best.length < 7)) return low;
  return best;
}

function nearest(
  low: string,
  candidates: readonly string[],
  reach: number,
): { words: string[]; distance: number } {
  let words: string[] = [];
  let distance = reach;
  for (const word of candidates) {
    if (Math.abs(word.length - low.length) > reach) continue;
    const own = editDistance(low, word);
    if (own < distance) words = [];
    if (own <= distance) {
      words.push(word);
      distance = own;
    }
  }
  return { words, distance };
}

/** Of several near words the only one that `low` is with letters left out: "minuts" is "minutes". */
function missingLetters(low: string, words: readonly string[]): string | undefined {
  const whole = words.filter((word) => {
    let at = 0;
    for (const letter of word) if (letter === low.charAt(at)) at += 1;
    return at === low.length;
  });
  return whole.length === 1 ? whole[0] : undefined;
}

function sharesEnds(a: string, b: string): boolean {
  return a.slice(0, 2) === b.slice(0, 2) && a.slice(-1) === b.slice(-1);
}
