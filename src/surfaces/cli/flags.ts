/** How flags say lists, pairs and numbers. Errors name the flag. */

import type { Command } from 'commander';
import { badInput } from './io.js';

/** For commander: a flag that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

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

/** For commander; whether it is in range says the server. */
export function numberOf(flag: string): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number)) return number;
    throw badInput(`${flag} is a number, not "${text}"`, { flag });
  };
}

/** Of a list that comes in pages. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <number>', 'how many (50)', numberOf('--limit'))
    .option('--cursor <cursor>', 'the page behind this one');
}

type Read = (value: string, before: unknown) => unknown;
/** Of an option: where its value goes, and how it is read; `null`: it has none. */
export type PlainOption = readonly [field: string, read: Read | null];

/** A line as anybody writes it; `null`: something that only the reader of command lines understands. */
export function plainLine(
  words: readonly string[],
  options: Readonly<Record<string, PlainOption>>,
): { operands: string[]; given: Record<string, unknown> } | null {
  const operands: string[] = [];
  const given: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-')) {
      operands.push(word);
      continue;
    }
    const option = Object.hasOwn(options, word) ? options[word] : undefined;
    if (option === undefined) return null;
    const [field, read] = option;
    if (read === null) {
      given[field] = true;
      continue;
    }
    const value = words[at + 1];
    if (!value || value.startsWith('-')) return null;
    given[field] = read(value, given[field]);
    at += 1;
  }
  return { operands, given };
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
