/** How flags say lists, pairs and numbers. Errors name the flag. */

import type { DEPTHS, TASK_TYPES } from '../../memory/index.js';
import type { DetectorName, OfferState } from '../../proactive/index.js';
import type { TriggerRun, TriggerState } from '../../triggers/index.js';
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

const MAX_PORT = 65_535;

/** For commander. */
export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= MAX_PORT) return port;
  throw badInput(`--port is a number from 1 to ${MAX_PORT}, not "${text}"`, { flag: '--port' });
}

function words<Word extends string>(all: Readonly<Record<Word, true>>): Word[] {
  return Object.keys(all) as Word[];
}

export const DEPTH_WORDS = words<(typeof DEPTHS)[number]>({
  summary: true,
  outcome: true,
  reasoning: true,
  full: true,
  complete: true,
});

export const TASK_TYPE_WORDS = words<(typeof TASK_TYPES)[number]>({
  bug_fix: true,
  feature_add: true,
  refactor: true,
  investigation: true,
  test_write: true,
  documentation: true,
  optimization: true,
  security_fix: true,
  dependency_update: true,
  configuration: true,
  other: true,
});

export const TRIGGER_STATE_WORDS = words<TriggerState>({
  active: true,
  resting: true,
  disabled: true,
  paused: true,
  invalid: true,
});

export const RUN_STATUS_WORDS = words<TriggerRun['status']>({
  success: true,
  failed: true,
  skipped: true,
  deferred: true,
  running: true,
});

export const OFFER_STATE_WORDS = words<OfferState>({
  pending: true,
  shown: true,
  used: true,
  acknowledged: true,
  dismissed: true,
  expired: true,
});

export const OFFER_KIND_WORDS = words<DetectorName>({
  conflictWarning: true,
  fileTouch: true,
  intentMatch: true,
  hintMatch: true,
  whenMatch: true,
  patternRecognition: true,
  sessionStart: true,
});
