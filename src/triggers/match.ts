/** Which trigger a person means, by id, by name or by "it". Pure. */
import { MINUTE_MS } from '../shared/clock.js';
import type { TriggerSummary } from './schema.js';

export interface Nameable {
  id: string;
  taskId: string;
  displayName: string;
  instructions: string;
}

export type MatchResult<T> =
  | { kind: 'one'; item: T }
  | { kind: 'several'; items: T[] }
  | { kind: 'none' };

const ID_PREFIX = /\b(?:trg_)?([0-9a-f]{8}(?:[0-9a-f-]{0,28}))\b/i;

/** Words that name the act or the kind, not the trigger. */
const STOP_WORDS = new Set(
  (
    'a an the my your this that it its of for to from in on at about with and or please can could ' +
    'you me i cue trigger triggers reminder reminders remind task tasks job jobs schedule scheduled alarm one ' +
    'pause stop resume unpause continue delete remove cancel drop run now execute fire start again ' +
    'skip next snooze reschedule move change rename call update edit why did does not didnt doesnt ' +
    'explain what happened was is has been disable enable trigger_id today tomorrow minutes minute ' +
    'hour hours by until new name text instructions set make be'
  ).split(' '),
);

/**
 * Id (or at least eight characters of it) first, then the exact name, then the words of the text
 * against name and instructions. Two that fit equally well are both returned: the caller asks.
 */
export function matchTrigger<T extends Nameable>(text: string, items: T[]): MatchResult<T> {
  const prefix = ID_PREFIX.exec(text)?.[1]?.toLowerCase();
  if (prefix !== undefined) {
    const byId = items.filter(
      (item) => item.id.startsWith(prefix) || item.taskId.startsWith(prefix),
    );
    if (byId.length > 0) return resultOf(byId);
  }
  const quoted = /["“'‘]([^"”'’]{2,})["”'’]/.exec(text)?.[1];
  const wanted = normalize(quoted ?? text);
  const exact = items.filter((item) => normalize(item.displayName) === wanted);
  if (exact.length > 0) return resultOf(exact);
  const contained = items.filter((item) => {
    const name = normalize(item.displayName);
    return name.length >= 3 && ` ${wanted} `.includes(` ${name} `);
  });
  if (contained.length > 0) return resultOf(longest(contained));

  const words = keyWords(quoted ?? text);
  if (words.length === 0) return items.length === 1 ? resultOf(items) : several(items);
  const scored = items.map((item) => ({ item, score: scoreOf(words, item) }));
  const best = Math.max(0, ...scored.map((one) => one.score));
  if (best === 0) return { kind: 'none' };
  return resultOf(scored.filter((one) => one.score === best).map((one) => one.item));
}

function scoreOf(words: string[], item: Nameable): number {
  const name = new Set(keyWords(item.displayName).map(stem));
  const body = new Set(keyWords(item.instructions).map(stem));
  return words.reduce(
    (sum, word) => sum + (name.has(stem(word)) ? 2 : 0) + (body.has(stem(word)) ? 1 : 0),
    0,
  );
}

function keyWords(text: string): string[] {
  return normalize(text)
    .split(' ')
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word));
}

function normalize(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim();
}

/** Enough that "stretching", "stretches" and "stretch" meet. */
function stem(word: string): string {
  return word.length > 5 ? word.replace(/(?:ing|ies|es|ed|s)$/, '') : word.replace(/s$/, '');
}

function longest<T extends Nameable>(items: T[]): T[] {
  const length = Math.max(...items.map((item) => item.displayName.length));
  return items.filter((item) => item.displayName.length === length);
}

function several<T>(items: T[]): MatchResult<T> {
  return items.length === 0 ? { kind: 'none' } : { kind: 'several', items };
}

function resultOf<T>(items: T[]): MatchResult<T> {
  const [first] = items;
  if (first === undefined) return { kind: 'none' };
  return items.length === 1 ? { kind: 'one', item: first } : { kind: 'several', items };
}

/** So long "it" can be what the agent has just said of its own accord. */
export const SPOKE_LATELY_MS = 30 * MINUTE_MS;

/** Those that are meant first of several that fit equally well; a rule that leaves nothing does not count. */
export function preferred<T>(items: T[], rules: readonly ((item: T) => boolean)[]): T[] {
  return rules.reduce((left, rule) => {
    const kept = left.filter(rule);
    return kept.length === 0 ? left : kept;
  }, items);
}

/**
 * "It", said in a room: what has just spoken there, else what was talked about last, else the newest one
 * of the room. `items` are newest first, at least one.
 */
export function pointedAt(
  items: TriggerSummary[],
  said: { roomId?: string; nowMs: number; mentioned: { triggerId: string; atMs: number } | null },
): TriggerSummary {
  const { roomId, nowMs, mentioned } = said;
  const spokeAt = (one: TriggerSummary) =>
    one.deliverTo?.roomId === roomId ? Date.parse(one.lastRunAtIso ?? '') || 0 : 0;
  const named = items.find((one) => one.id === mentioned?.triggerId);
  const sinceMs = named && mentioned ? mentioned.atMs : nowMs - SPOKE_LATELY_MS;
  const [latest] = items
    .filter((one) => spokeAt(one) > sinceMs)
    .sort((a, b) => spokeAt(b) - spokeAt(a));
  const here = items.find((one) => one.originRoomId === roomId);
  return latest ?? named ?? here ?? (items[0] as TriggerSummary);
}
