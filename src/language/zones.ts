/**
 * Time zones as people write them behind a time: "9am PST", "9 Berlin time", "14:00 UTC+2",
 * "Europe/London". Abbreviations mean the zone where most of their writers live, clock changes
 * included: a New Yorker's "EST" in July is New York time.
 */
import { isTimeZone, timeZoneProblem } from '../shared/zones.js';
import { lowAt, type Read, type Token, tokenize } from './phrase.js';

/** `zone` is an IANA name; '' is "my time", the zone of the user; null is one we cannot express. */
export interface NamedZone {
  zone: string | null;
  said: string;
  /** The name of its daylight saving time, which holds for a part of the year only. */
  daylight?: boolean;
}

/** From the names of each zone to the zone. */
function zonesOf(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([zone, said]) => said.split(', ').map((name) => [name, zone])),
  );
}

const ABBREVIATIONS = zonesOf({
  UTC: 'utc, gmt, zulu',
  'America/Los_Angeles': 'pst, pdt, pt',
  'America/New_York': 'est, edt, et',
  'America/Chicago': 'cst, cdt, ct',
  'America/Denver': 'mst, mdt, mt',
  'Europe/Paris': 'cet, cest',
  'Europe/London': 'bst',
  'Europe/Lisbon': 'wet',
  'Europe/Athens': 'eet, eest',
  'Europe/Moscow': 'msk',
  'Asia/Kolkata': 'ist',
  'Asia/Tokyo': 'jst',
  'Asia/Seoul': 'kst',
  'Asia/Singapore': 'sgt',
  'Asia/Hong_Kong': 'hkt',
  'Australia/Sydney': 'aest, aedt',
  'Australia/Perth': 'awst',
  'Australia/Adelaide': 'acst',
  'Pacific/Auckland': 'nzst, nzdt',
  'Africa/Johannesburg': 'sast',
  'America/Sao_Paulo': 'brt',
  'America/Anchorage': 'akst',
  'Pacific/Honolulu': 'hst',
});
const DAYLIGHT = /^(?:pdt|edt|cdt|mdt|cest|bst|eest|aedt|nzdt)$/;
/** Also words or initials: they are zones only in capitals. */
const NEEDS_CAPITALS = new Set(['pt', 'et', 'ct', 'mt', 'wet']);

const PLACES = zonesOf({
  'America/New_York':
    'eastern, east coast, nyc, ny, boston, miami, washington, atlanta, philadelphia',
  'America/Los_Angeles':
    'pacific, west coast, la, sf, san francisco, seattle, las vegas, san diego, california, portland',
  'America/Chicago': 'central, austin, dallas, houston, texas',
  'America/Denver': 'mountain',
  'Europe/Paris': 'central european, french, france',
  'America/Toronto': 'montreal, ottawa',
  'America/Sao_Paulo': 'rio',
  'Europe/London': 'uk, british, edinburgh, manchester',
  'Europe/Berlin': 'german, germany, munich, hamburg, frankfurt, cologne',
  'Europe/Madrid': 'barcelona, spanish',
  'Europe/Rome': 'milan, italian',
  'Europe/Zurich': 'geneva',
  'Europe/Kyiv': 'kiev',
  'Asia/Kolkata': 'india, indian, mumbai, delhi, new delhi, bangalore, bengaluru, chennai',
  'Asia/Tokyo': 'japan, japanese, osaka',
  'Asia/Shanghai': 'china, beijing',
  'Asia/Seoul': 'korea',
  'Asia/Dubai': 'abu dhabi',
  'Australia/Sydney': 'canberra',
  'Pacific/Honolulu': 'hawaii',
});

const FOLLOWS_A_CITY = new Set([
  '',
  ',',
  '.',
  '?',
  '!',
  ')',
  ';',
  ':',
  '\n',
  'to',
  'and',
  'every',
  'please',
]);

/** "5pm Eastern": these stand for a zone and for nothing else behind a time. */
const AMERICAN = /^(?:eastern|pacific|central|mountain)$/;

let cities: Map<string, string> | null = null;

const MARKS = /\p{M}/gu;

/** The zone of a place; "São Paulo" is looked up as "sao paulo". */
function cityZone(written: string): string | undefined {
  const name = written.normalize('NFD').replace(MARKS, '');
  if (Object.hasOwn(PLACES, name)) return PLACES[name];
  if (!cities) {
    cities = new Map();
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const city = zone
        .slice(zone.lastIndexOf('/') + 1)
        .replaceAll('_', ' ')
        .toLowerCase();
      if (!cities.has(city)) cities.set(city, zone === 'Asia/Calcutta' ? 'Asia/Kolkata' : zone);
    }
    cities.set('kolkata', 'Asia/Kolkata');
    cities.set('kyiv', 'Europe/Kyiv');
  }
  return cities.get(name);
}

/** Cities of zones whose names are words of their own. */
const ALSO_WORDS = /^(?:center|resolute|wake|easter|midway|troll)$/;

/** An abbreviation, place or city that names a zone, in any letter case. */
export function isZoneName(word: string): boolean {
  if (Object.hasOwn(ABBREVIATIONS, word)) return true;
  return cityZone(word) !== undefined && !ALSO_WORDS.test(word);
}

/** A zone standing at `index`, with "(…)", "in … time" and the word "time" around it. */
export function readZone(tokens: readonly Token[], index: number): Read<NamedZone> | null {
  const low = lowAt(tokens, index);
  if (low === '(' || low === ',') {
    const inner = readZone(tokens, index + 1);
    if (!inner) return null;
    if (low === ',') return inner.value.zone === '' ? null : inner;
    return lowAt(tokens, inner.to) === ')' ? { value: inner.value, to: inner.to + 1 } : null;
  }
  if (low === 'in' || low === 'the') {
    const inner = readZone(tokens, index + 1);
    return inner && /time$|zone$/.test(lowAt(tokens, inner.to - 1)) ? inner : null;
  }
  if (
    (low === 'my' || low === 'local' || low === 'our') &&
    /^(?:time|timezone)$/.test(lowAt(tokens, index + 1))
  ) {
    return { value: { zone: '', said: 'local time' }, to: index + 2 };
  }
  if (
    low === 'my' &&
    /^(?:local)$/.test(lowAt(tokens, index + 1)) &&
    lowAt(tokens, index + 2) === 'time'
  ) {
    return { value: { zone: '', said: 'local time' }, to: index + 3 };
  }
  return readIana(tokens, index) ?? readAbbreviation(tokens, index) ?? readCity(tokens, index);
}

/** "9am Central Park", "10am mountain bike tour". */
function isName(tokens: readonly Token[], index: number, to: number): boolean {
  const next = lowAt(tokens, to);
  if (/^(?:on|in|for|today|tomorrow|tonight|with|about|\d.*)$/.test(next)) return false;
  return tokens[index]?.text === tokens[index]?.low || /^[A-Z]/.test(tokens[to]?.text ?? '');
}

function readIana(tokens: readonly Token[], index: number): Read<NamedZone> | null {
  const here = tokens[index];
  if (here?.kind !== 'word' || !here.text.includes('/') || !isTimeZone(here.text)) return null;
  const proper = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === here.low);
  return afterTime(tokens, index + 1, proper ?? here.text, here.text);
}

function readAbbreviation(tokens: readonly Token[], index: number): Read<NamedZone> | null {
  const here = tokens[index];
  if (here?.kind !== 'word' || !Object.hasOwn(ABBREVIATIONS, here.low)) return null;
  if (NEEDS_CAPITALS.has(here.low) && here.text !== here.text.toUpperCase()) return null;
  const zone = ABBREVIATIONS[here.low] ?? 'UTC';
  const sign = lowAt(tokens, index + 1);
  const offset = tokens[index + 2];
  if (
    zone === 'UTC' &&
    (sign === '+' || sign === '-') &&
    offset &&
    /^\d{1,2}(?::?\d{2})?$/.test(offset.low)
  ) {
    const [hours = '0', minutes = '00'] = offset.low.split(':');
    // POSIX signs: Etc/GMT-2 is two hours ahead of Greenwich. There is no such name for half hours.
    const fixed = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
    const known = minutes === '00' && (Number(hours) === 0 || isTimeZone(fixed));
    const said = `${here.text}${sign}${offset.text}`;
    return {
      value: { zone: known ? (Number(hours) === 0 ? 'UTC' : fixed) : null, said },
      to: index + 3,
    };
  }
  const read = afterTime(tokens, index + 1, zone, here.text);
  return DAYLIGHT.test(here.low) ? { ...read, value: { ...read.value, daylight: true } } : read;
}

function readCity(tokens: readonly Token[], index: number): Read<NamedZone> | null {
  const words: string[] = [];
  let best: Read<NamedZone> | null = null;
  for (let length = 1; length <= 3; length += 1) {
    const here = tokens[index + length - 1];
    if (here?.kind !== 'word') break;
    words.push(here.low.replace(/['’]s$/, ''));
    const zone = cityZone(words.join(' '));
    if (zone === undefined) continue;
    let to = index + length;
    if (/^(?:standard|daylight|summer)$/.test(lowAt(tokens, to))) to += 1;
    const said = words.join(' ');
    if (/^(?:time|timezone)$/.test(lowAt(tokens, to))) best = { value: { zone, said }, to: to + 1 };
    // "5pm Eastern", "9am Berlin": only where nothing follows that the name could belong to.
    else if (
      (/^[A-Z]/.test(here.text) || AMERICAN.test(said)) &&
      (FOLLOWS_A_CITY.has(lowAt(tokens, to)) || (AMERICAN.test(said) && !isName(tokens, index, to)))
    )
      best = { value: { zone, said }, to };
  }
  return best;
}

const NO_PLACE =
  /^(?:an?|the|this|that|it|it's|its|is|am|are|was|my|me|our|i|you|we|to|for|of|on|at|by|in|and|or|with|about|from|until|same|next|last|first|every|any|some|no|all|each|what|more|less|then|quality|free|spare|today|tonight|tomorrow|daily|\w+days?|morning|afternoon|evening|night|remind|tell|ping|wake|notify|alert|breakfast|lunch|dinner|supper|tea|coffee|snack|meal|bed|nap|sleep|story|play|break|bath|screen|family|prayer|medicine|pill|gym|run|work|school|home|game|party|movie|show)$/;
const BEHIND_A_PLACE =
  /^(?:|[.,;:!?)\n-]|please|remind|ping|tell|wake|notify|alert|call|text|message|every|on|daily|today|tomorrow|tonight|i|i'm|we|my|\d.*|\w+day)$/;

/** "9am Springfield time", "9am their time": words that name no zone we know, behind a time of day. */
export function readUnknownZone(tokens: readonly Token[], index: number): Read<NamedZone> | null {
  const from = lowAt(tokens, index) === 'in' ? index + 1 : index;
  for (let to = from; to < from + 3; to += 1) {
    const here = tokens[to];
    if (here?.kind !== 'word' || NO_PLACE.test(here.low)) return null;
    if (!/^(?:time|timezone)$/.test(lowAt(tokens, to + 1))) continue;
    const words = tokens.slice(from, to + 1);
    const named = words.some((word) => /^\p{Lu}/u.test(word.text));
    if (!named && !BEHIND_A_PLACE.test(lowAt(tokens, to + 2))) return null;
    const said = `"${words.map((word) => word.text).join(' ')} time"`;
    return { value: { zone: null, said }, to: to + 2 };
  }
  return null;
}

function afterTime(
  tokens: readonly Token[],
  index: number,
  zone: string,
  said: string,
): Read<NamedZone> {
  return {
    value: { zone, said },
    to: /^(?:time|timezone)$/.test(lowAt(tokens, index)) ? index + 1 : index,
  };
}

const MAX_NAME = 64;

/** The IANA name, or in words why there is none. Letter case does not matter. */
export function timezoneOfWords(words: string): { zone: string } | { problem: string } {
  const name = words
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.!?,;]+$/, '')
    .replace(/^the /i, '')
    .slice(0, MAX_NAME);
  if (name === '') return { problem: 'no time zone is named' };
  if (isTimeZone(name)) return { zone: properName(name) };
  const bare = name.replace(/ (?:standard |daylight |summer )?(?:time ?zone|time|tz)$/i, '');
  // An abbreviation counts in capitals only ("est" is a word); alone it can be nothing else.
  for (const spelling of [name, `${bare} time`, bare.toUpperCase(), `${titled(bare)} time`]) {
    const read = readZone(tokenize(spelling, MAX_NAME + 8), 0);
    if (read?.value.zone) return { zone: read.value.zone };
  }
  return { problem: timeZoneProblem(name) ?? 'is not a known time zone' };
}

function properName(name: string): string {
  const low = name.toLowerCase();
  return Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === low) ?? name;
}

function titled(words: string): string {
  return words.replace(
    /(^|[\s/_-])(\p{L})/gu,
    (_all, before: string, letter: string) => before + letter.toUpperCase(),
  );
}
