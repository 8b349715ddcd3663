/**
 * One-time dates in German, French, Spanish, Portuguese, Italian and Dutch, by the locales of chrono-node.
 * Here, too, every word that could tell a time is used or asked about. Pure.
 */
import { createRequire } from 'node:module';
import type { Chrono, ParsedResult } from 'chrono-node';
import { MINUTE_MS } from '../shared/clock.js';
import { isTimeZone, zoneOffsetMs } from '../shared/zones.js';
import { isCode } from './request.js';
import type { ScheduleFields } from './schedule-fields.js';
import { MONTHS, SPELLINGS, UNIT_SPELLINGS, WEEKDAYS } from './words.js';

/** For whoever says what is not read. */
export const LANGUAGES =
  'I read English by myself, single dates also in German, French, Spanish, Portuguese, Italian and Dutch, and everything else only as far as my model does.';

/** Loaded with the first text, since that takes a tenth of a second. */
let locales: readonly Chrono[] | null = null;
const localesLoaded = (): readonly Chrono[] => {
  const load = createRequire(import.meta.url);
  locales ??= ['de', 'fr', 'es', 'pt', 'it', 'nl'].map(
    (name) => (load(`chrono-node/${name}`) as { casual: Chrono }).casual,
  );
  return locales;
};

/** Longer messages are documents. */
const TEXT_LIMIT = 500;
const QUOTED = /"[^"]*"|`[^`]*`|„[^“]*“|«[^»]*»/g;
/** A shorter word is as often one of another language, but for these. */
const TELLING = /(?<!\p{L})(?:\p{L}{4,}|uhr|uur|ore|hoy|mai|mei)(?!\p{L})/giu;
/** What repeats and what chrono does not know, in words that are no English ones … */
const NOT_READ =
  /(?<!\p{L})(?:jede[mnrs]?|alle \S+ (?:tage|stunden|minuten|wochen|monate)|täglich|stündlich|wöchentlich|monatlich|jährlich|chaque|tou(?:s|tes) les|cada|todos l?os|todas l?as|ogni|tutt(?:i i|e le)|(?:elke|iedere?) (?:\p{L}*dag|\d+|week|maand|uur|ochtend|avond)|dagelijks|wekelijks|maandelijks|immer|toujours|siempre|altijd|overmorgen|après-demain|pasado mañana|depois de amanhã)(?!\p{L})/iu;
/** … and what repeats or lasts beside a time of these languages. */
const LASTS =
  /(?<!\p{L})(?:\p{L}+tags|bis|quotidien\p{L}*|jusqu\p{L}*|l[eo]s? (?:lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?)|los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos)|diari\p{L}+|hasta|até|aos? \p{L}+s|fino|tot)(?!\p{L})/iu;
/** "next Friday" is another one in each language, and to each speaker. */
const NEXT = /nächst|kommend|prochain|pr[oó]xim|prossim|volgend|aanstaand/iu;
/** A time behind the time: "9 morgen um neun". */
const AGAIN = /\0 (?:um|gegen|om|alle|às|a las) /iu;
/** Times and lengths that no result has taken. */
const UNREAD =
  /(?<!\p{L})(?:media|cuarto|quarto|mezz[ao]|meia|demie?|quart|halb\p{L}*|(?:drei)?viertel|half|kwart|minut\p{L}*|stunden?|sekund\p{L}*|hor[ao]s?|heures?|or[ae]|uur|uren|uhr|tagen?|wochen?|monaten?|jahren?|jours?|semaines?|mois|d[ií]as?|semanas?|mes(?:es)?|giorn[io]|settiman[ae]|dagen|weken|maanden|jaar|früh|vor|antes|avant|prima|voor|après|nach|dopo|depois|después|na|pass?ado|\p{L}*(?:morgen|gisteren|gestern|tags|dag)|mañana|demain|domani|amanhã|hier|ayer|ontem|ieri)(?!\p{L})/iu;

/** `words`: those that tell the time, which are no English ones; `date: null`: not all of them are understood. */
export interface OtherReading {
  words: readonly string[];
  date: { fields: ScheduleFields; instructions: string } | null;
}

/** The one-time date of a text in one of the languages; `null` where none of them tells a time in it. */
export function readOtherLanguage(
  text: string,
  { nowMs, timezone }: { nowMs: number; timezone: string },
): OtherReading | null {
  if (text.length > TEXT_LIMIT || isCode(text)) return null;
  const unquoted = text.replace(QUOTED, (quote) => ' '.repeat(quote.length));
  const reference = {
    instant: new Date(nowMs),
    timezone: isTimeZone(timezone) ? zoneOffsetMs(nowMs, timezone) / MINUTE_MS : 0,
  };
  let results: ParsedResult[] = [];
  let most = 0;
  for (const locale of localesLoaded()) {
    const found = locale.parse(unquoted, reference, { forwardDate: true });
    const letters = found
      .filter((result) => tellingWords(result).length > 0)
      .reduce((sum, result) => sum + result.text.length, 0);
    if (letters > most) [results, most] = [found, letters];
  }
  const repeated = unquoted.toLowerCase().match(NOT_READ)?.[0];
  if (repeated !== undefined) return { words: [repeated], date: null };
  if (results.length === 0) return null;
  return { words: results.flatMap(tellingWords), date: read(text, results, nowMs) };
}

/** The words of a result that are none of the English words of time. */
function tellingWords({ text, start }: ParsedResult): string[] {
  // "9am CEST"
  const counted = start.tags().has('result/relativeDateAndTime');
  if (start.isCertain('timezoneOffset') && !counted) return [];
  const words = text.toLowerCase().match(TELLING) ?? [];
  return words.filter(
    (word) =>
      !/^weekends?$/.test(word) &&
      ![MONTHS, WEEKDAYS, SPELLINGS, UNIT_SPELLINGS].some((known) => known[word]),
  );
}

function read(text: string, results: readonly ParsedResult[], nowMs: number): OtherReading['date'] {
  // "8 heures du soir": a part of the day has no certain hour of its own.
  const [result, ...others] = results.filter((one) => !isPart(one));
  const [part, second] = results.filter(isPart);
  if (!result) return null;
  const { start } = result;
  const rest = results.reduceRight(
    (left, { index, text: said }) => `${left.slice(0, index)}\0${left.slice(index + said.length)}`,
    text,
  );
  const beside = /\d\P{L}{0,3}\0|\0\P{L}{0,3}\d/u.test(rest) || /\d[:.h]\d\d/.test(rest);
  if (others.length > 0 || second || beside || result.end) return null;
  if (LASTS.test(text) || UNREAD.test(rest) || AGAIN.test(rest)) return null;
  if (NEXT.test(text) && start.isCertain('weekday')) return null;
  const instructions = taskOf(rest);
  if (start.tags().has('result/relativeDateAndTime') && !part) {
    const ms = start.date().getTime() - nowMs;
    return {
      fields: { delay: { ms, days: 0, months: 0, unit: 'minute', count: 1 } },
      instructions,
    };
  }
  const dated = ['day', 'weekday'] as const;
  const fields: ScheduleFields = {};
  if (dated.some((of) => start.isCertain(of)) || start.tags().has('result/relativeDate')) {
    const [year, month, day] = (['year', 'month', 'day'] as const).map((of) => start.get(of) ?? 0);
    fields.day = { type: 'date', year: year ?? 0, month: month ?? 0, day: day ?? 0 };
  }
  if (!start.isCertain('hour')) return null;
  const hour = start.get('hour') ?? 0;
  const late = part !== undefined && (part.start.get('hour') ?? 0) >= 12;
  const sure = part !== undefined || hour > 12 || hour === 0 || start.isCertain('meridiem');
  fields.times = [
    {
      hour: late && hour < 12 ? hour + 12 : hour,
      minute: start.get('minute') ?? 0,
      second: 0,
      sure,
    },
  ];
  return { fields, instructions };
}

const isPart = ({ start }: ParsedResult): boolean =>
  !['day', 'weekday', 'hour'].some((of) => start.isCertain(of as 'day')) &&
  [...start.tags()].some((tag) => /morning|afternoon|evening|night/.test(tag));

/** What is left without the time, with what joined the two. */
function taskOf(rest: string): string {
  return rest
    .replace(/\0(?: de la| du| da| di| della)? \0/gu, '\0')
    .replace(/(?<!\p{L})(?:el|le|il|op|daqui)\s+\0/giu, '\0')
    .replace(/[\s,;:–-]*\0[\s,;:–-]*/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.,;:!?]+|[\s,;:]+$/g, '')
    .trim();
}
