/**
 * Repairs typing errors in the words a schedule is made of, and in no others. A word is replaced only
 * when exactly one schedule word is nearest and the written word is not English by itself: "evry" is
 * "every", but "very", "mouth" and "expect" stay what they are.
 */
import { table } from './words.js';

const ALIASES = table({
  tomorrow: 'tmrw tmr tmw tmrrw tmoro tomoro tomo tomoz',
  today: 'tdy',
  tonight: 'tonite tnite',
  please: 'pls plz plse pleas',
  every: 'ev evr',
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
    'mourning mornings moaning warning meaning morn minuet minuets minutia minuted mints mines minus mints ' +
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

/** Units of time: behind "every" or a number even a short or English-looking slip can be nothing else. */
const UNIT_WORDS = (
  'day days week weeks hour hours month months year years minute minutes second seconds ' +
  'morning evening night weekday'
).split(' ');
const NO_UNIT = /^(?:mints?|mines?|months?|moths?|mouths?|mounts?|wee|da|ho|mo|we|ye)$/;

/** The unit meant by `low` where one must stand ("every dya", "15 minuets"), or `low` itself. */
export function repairedUnit(low: string): string {
  if (low.length < 3 || low.length > 9 || NO_UNIT.test(low) || !/^\p{L}+$/u.test(low)) return low;
  const candidates = UNIT_WORDS.filter((word) => word.charAt(0) === low.charAt(0));
  if (candidates.includes(low)) return low;
  // Only letters swapped, left out or doubled: a changed letter makes too many other words.
  const slips = candidates.filter((word) => isSlip(low, word));
  return (slips.length === 1 ? slips[0] : missingLetters(low, slips)) ?? low;
}

function isSlip(low: string, word: string): boolean {
  if (low.length === word.length) {
    return editDistance(low, word) === 1 && sorted(low) === sorted(word);
  }
  return Math.abs(low.length - word.length) === 1 && editDistance(low, word) === 1;
}

const sorted = (word: string): string => [...word].sort().join('');

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

/** Insertions, deletions, substitutions, and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
