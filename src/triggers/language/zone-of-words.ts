/** The time zone a person names by itself: "Berlin", "new york time", "PST", "UTC+2", "Asia/Tokyo". */
import { isTimeZone, timeZoneProblem } from '../../shared/zones.js';
import { tokenize } from './tokens.js';
import { readZone } from './zone-names.js';

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
