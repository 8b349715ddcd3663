/** How flags say lists, pairs and numbers. Errors name the flag. */
import { badInput } from './io.js';

/** `a,b` and `--flag a --flag b`; a comma within brackets is part of its word: `**\/{api,web}/**`. */
export function wordsIn(given: readonly string[]): string[] {
  return given.flatMap(splitAtCommas).filter((word) => word !== '');
}

function splitAtCommas(text: string): string[] {
  const words = [''];
  let depth = 0;
  for (const character of text) {
    if ('{[('.includes(character)) depth += 1;
    if ('}])'.includes(character)) depth = Math.max(0, depth - 1);
    if (character === ',' && depth === 0) words.push('');
    else words.push(`${words.pop() ?? ''}${character}`);
  }
  return words.map((word) => word.trim());
}

/** `NAME=value`; of a name that is given twice the last one counts. @throws AppError INVALID_INPUT */
export function pairsOf(given: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(given.map((text) => pairOf(text, flag)));
}

/** The same, with every value of a name. @throws AppError INVALID_INPUT */
export function listedPairsOf(
  given: readonly string[],
  flag: string,
): Record<string, string | string[]> {
  const lists = new Map<string, string[]>();
  for (const text of given) {
    const [name, value] = pairOf(text, flag);
    lists.set(name, [...(lists.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...lists].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function pairOf(text: string, flag: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw badInput(`${flag} is NAME=VALUE, not "${text}"`, { flag });
}

/**
 * An option as data: the field of the request that it fills ("a.b" within an object), how it is written, what help
 * says of it, and how its words are read: as they stand when absent, or as one of several; `true` and `false` are
 * what an option without a value stands for.
 */
export type Flag = readonly [
  field: string,
  written: string,
  about: string,
  reading?: 'number' | 'port' | 'texts' | 'words' | boolean | readonly string[] | Read,
];
export type Flags = readonly Flag[];
type Read = (value: string, before: unknown) => unknown;

/** Of a list that comes in pages. */
export const PAGE_FLAGS: Flags = [
  ['limit', '--limit <number>', 'how many (50)', 'number'],
  ['cursor', '--cursor <cursor>', 'the page behind this one'],
];

/** `--max-runs` */
export function longOf(written: string): string {
  return /--[\w-]+/.exec(written)?.[0] ?? written;
}

/** What commander calls its value. */
function nameOf(written: string): string {
  const words = longOf(written).replace(/^--(?:no-)?/, '');
  return words.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** How one value is read when it comes; whether a number is in range says the server. */
export function readerOf([, written, , reading]: Flag): Read | undefined {
  if (typeof reading === 'function') return reading;
  if (reading === 'port') return portOf;
  if (reading === 'number') return numberOf(longOf(written));
  const isMany = reading === 'texts' || reading === 'words';
  return isMany ? (value, before = []) => [...(before as string[]), value] : undefined;
}

/** The fields that were said; an option that begins with "--no" takes its field away. */
export function fieldsOf(
  flags: Flags,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [field, written, , reading] of flags) {
    const said = given[nameOf(written)];
    const isNo = written.startsWith('--no-');
    if (said === undefined || isNo !== (said === false)) continue;
    const value = isNo ? null : reading === 'words' ? wordsIn(said as string[]) : said;
    const path = field.split('.');
    const last = path.pop() ?? '';
    let within = fields;
    for (const name of path) {
      within[name] ??= {};
      within = Object(within[name]);
    }
    within[last] = typeof reading === 'boolean' ? reading : value;
  }
  return fields;
}

/** A line as anybody writes it; `null`: something that only the reader of command lines understands. */
export function plainLine(
  words: readonly string[],
  flags: Flags,
): { operands: string[]; given: Record<string, unknown> } | null {
  const operands: string[] = [];
  const given: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      operands.push(word);
      continue;
    }
    const flag = flags.find(([, written]) => written.split(/,? /).includes(word));
    if (flag === undefined) return null;
    const name = nameOf(flag[1]);
    if (!flag[1].includes('<')) {
      given[name] = !word.startsWith('--no-');
      continue;
    }
    const value = words[at + 1];
    if (!value || value.startsWith('-')) return null;
    given[name] = readerOf(flag)?.(value, given[name]) ?? value;
    at += 1;
  }
  return { operands, given };
}

function numberOf(flag: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number)) return number;
    throw badInput(`${flag} is a number, not "${text}"`, { flag });
  };
}

const MAX_PORT = 65_535;

/** For commander. */
export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= MAX_PORT) return port;
  throw badInput(`--port is a number from 1 to ${MAX_PORT}, not "${text}"`, { flag: '--port' });
}

/** Words of the schemas, which commands must not load: a test holds these against them. */
export const DEPTH_WORDS = ['summary', 'outcome', 'reasoning', 'full', 'complete'] as const;
export const TASK_TYPE_WORDS = [
  'bug_fix',
  'feature_add',
  'refactor',
  'investigation',
  'test_write',
  'documentation',
  'optimization',
  'security_fix',
  'dependency_update',
  'configuration',
  'other',
] as const;
export const TRIGGER_STATE_WORDS = ['active', 'resting', 'disabled', 'paused', 'invalid'] as const;
export const RUN_STATUS_WORDS = ['success', 'failed', 'skipped', 'deferred', 'running'] as const;
export const OFFER_STATE_WORDS = [
  'pending',
  'shown',
  'used',
  'acknowledged',
  'dismissed',
  'expired',
] as const;
export const OFFER_KIND_WORDS = [
  'conflictWarning',
  'fileTouch',
  'intentMatch',
  'hintMatch',
  'whenMatch',
  'patternRecognition',
  'sessionStart',
] as const;
