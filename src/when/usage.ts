/**
 * How often the agent recalls knowledge where it could have (issue 5, point 4; seed, "Success
 * criteria"). An *opportunity* is one piece of knowledge in one session that was offered to the agent
 * or that it asked for, counted once; it is *recalled* when it was given on the agent's own request.
 * The events lie in a file of JSON lines and not in records, because the command line appends to it
 * without a host or a database.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { yieldToLoop } from '../shared/async.js';
import { AppError } from '../shared/errors.js';
import { parsedJson } from '../shared/json.js';
import { redactSecrets } from '../shared/secrets.js';
import { makeDataFolder } from './data-folder.js';
import { headerKey, normalizePhrase } from './phrases.js';
import type { Recall, SectionUse } from './types.js';

/** In the data directory. */
export const USAGE_FILE = 'when-usage.jsonl';
/** About ten thousand events; the statistics read up to twice as many. */
const ROTATE_BYTES = 1_000_000;
/** Lines parsed between two turns of the event loop: a few milliseconds. */
const STEP = 1_000;
const MAX_KEY = 200;
const MAX_SESSION = 120;
/** Seed, "Success criteria": more than this within 30 sessions. */
const TARGET = 0.1;
const LAST_SESSIONS = 30;

/** `offered`: shown without being asked. `asked`: invoked. `recalled`: invoked and given. */
export type UsageKind = 'offered' | 'asked' | 'recalled';

/**
 * Whose idea it was to ask. `agent`: its own text or action, and the command line. `person`: typed in
 * a chat. `operator`: REST.
 */
export type AskedBy = 'agent' | 'person' | 'operator';

export interface UsageEvent {
  /** Epoch milliseconds. */
  at: number;
  session: string;
  kind: UsageKind;
  /** `sectionKey` or `missKey`. */
  key: string;
  /** Absent where nobody asked, and in lines of earlier versions: the agent. */
  by?: AskedBy | undefined;
}

/** What was offered or given: a section, however it was found. */
export function sectionKey(file: string, header: string): string {
  return cut(`${file}#${headerKey(header)}`, MAX_KEY);
}

/** What was asked for in vain. Secrets are taken out, because the file is plain text. */
export function missKey(query: string): string {
  // Normalizing comes second: a token is known by its letter case and underscores.
  return cut(`?${normalizePhrase(redactSecrets(query).text)}`, MAX_KEY);
}

/** Offering these sections, as events. */
export function offeredEvents(
  sections: readonly { file: string; header: string }[],
  session: string,
  nowMs: number,
): UsageEvent[] {
  return sections.map(({ file, header }) => ({
    ...{ at: nowMs, session: cut(session, MAX_SESSION) },
    ...{ kind: 'offered', key: sectionKey(file, header) },
  }));
}

/** A recall as events: each query was asked; what was found was also recalled. */
export function recallEvents(
  recall: Recall,
  session: string,
  nowMs: number,
  by: AskedBy = 'agent',
): UsageEvent[] {
  return recall.results.flatMap(({ found, query, matches: [best] }): UsageEvent[] => {
    const isGiven = found !== 'none' && best !== undefined;
    // A query that names nothing is no opportunity.
    if (!isGiven && normalizePhrase(query) === '') return [];
    const key = isGiven ? sectionKey(best.file, best.header) : missKey(query);
    const fields = { at: nowMs, session: cut(session, MAX_SESSION), key, by };
    const asked = { ...fields, kind: 'asked' as const };
    return isGiven ? [asked, { ...fields, kind: 'recalled' }] : [asked];
  });
}

/** Cuts between characters: half of one cannot be written as UTF-8. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('');
}

/** The events of a file's text, in order, and how many lines are none. */
export async function parseEvents(
  text: string,
): Promise<{ events: UsageEvent[]; damaged: number }> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const events: UsageEvent[] = [];
  for (const [at, line] of lines.entries()) {
    if (at % STEP === STEP - 1) await yieldToLoop();
    const event = parsedJson(line);
    if (isEvent(event)) events.push(event);
  }
  return { events, damaged: lines.length - events.length };
}

const KINDS: readonly unknown[] = ['offered', 'asked', 'recalled'] satisfies UsageKind[];
const ASKERS: readonly unknown[] = [undefined, 'agent', 'person', 'operator'];

/** Checked by hand: loading a schema library would be the slowest part of `cue when`. */
function isEvent(value: unknown): value is UsageEvent {
  const { at, session, kind, key, by }: Record<string, unknown> = Object(value);
  const isNamed = [session, key].every((name) => typeof name === 'string' && name !== '');
  const isKnown = KINDS.includes(kind) && ASKERS.includes(by);
  return typeof at === 'number' && isNamed && isKnown;
}

export interface UsageJournal {
  /**
   * Appends the events; makes the directory when it is missing.
   * @throws AppError UNAVAILABLE where the path is no regular file, or the file system's error
   */
  append(events: readonly UsageEvent[]): void;
  /** Everything kept, oldest first, and how many lines could not be read. @throws what `append` throws */
  read(): Promise<{ events: UsageEvent[]; damaged: number }>;
}

/** @param path of the file; past `rotateBytes` it becomes `<path>.old`, and the one before goes */
export function createUsageJournal(options: { path: string; rotateBytes?: number }): UsageJournal {
  const { path, rotateBytes = ROTATE_BYTES } = options;
  const old = `${path}.old`;
  return {
    append(events) {
      if (events.length === 0) return;
      const size = sizeOf(path);
      if (size === 0) makeDataFolder(dirname(path));
      if (size >= rotateBytes) renameSync(path, old);
      const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
      // A repository may bring a link of this name that leads to a file of the user's.
      const file = openSync(path, O_APPEND | O_CREAT | O_WRONLY | (O_NOFOLLOW ?? 0), 0o600);
      try {
        // A process killed while writing leaves half a line, so each append begins a new one.
        const begin = fstatSync(file).size === 0 ? '' : '\n';
        writeSync(file, begin + events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      } finally {
        closeSync(file);
      }
    },
    read: async () => parseEvents(`${await readText(old)}\n${await readText(path)}`),
  };
}

async function readText(path: string): Promise<string> {
  return sizeOf(path) === 0 ? '' : readFile(path, 'utf8');
}

/** 0 where there is nothing. A link, a pipe or a device is refused: reading one could hang. */
function sizeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (stats.isFile()) return stats.size;
  throw new AppError('UNAVAILABLE', `${path} is not a regular file`);
}

/** Of the agent alone; `rate` = recalled ÷ opportunities, `null` without any. */
export interface UsageRate {
  sessions: number;
  opportunities: number;
  recalled: number;
  rate: number | null;
}

/** As `cue when stats --json` prints it. */
export interface UsageStats extends UsageRate {
  /** Opportunities that were offered. */
  offered: number;
  /** Of these, the ones recalled after the offer. */
  answered_offers: number;
  /** Opportunities asked for before, or without, being offered. */
  spontaneous: number;
  /** The same rate over the sessions that were active last; `null`: nothing to judge. */
  last30: UsageRate & { over_target: boolean | null };
  target: number;
  /** Lines of the file that could not be read. */
  damaged: number;
}

/** What happened to one piece of knowledge in one session. */
interface Opportunity {
  offered: boolean;
  /** Asked for before an offer, or without one. */
  spontaneous: boolean;
  recalled: boolean;
  /** Recalled after an offer. */
  answered: boolean;
}

interface Session {
  lastMs: number;
  opportunities: Map<string, Opportunity>;
}

const NOTHING: Opportunity = {
  offered: false,
  spontaneous: false,
  recalled: false,
  answered: false,
};

/**
 * What people asked for says nothing about the agent and is left out.
 * @param events in the order in which they were written, which is that of time within a session
 */
export function usageStats(events: Iterable<UsageEvent>, damaged = 0): UsageStats {
  const sessions = new Map<string, Session>();
  for (const { session: name, key, kind, at, by = 'agent' } of events) {
    if (by !== 'agent') continue;
    const session = sessions.get(name) ?? { lastMs: at, opportunities: new Map() };
    sessions.set(name, session);
    session.lastMs = Math.max(session.lastMs, at);
    const one = session.opportunities.get(key) ?? { ...NOTHING };
    session.opportunities.set(key, one);
    if (kind === 'offered') one.offered = true;
    else if (!one.offered) one.spontaneous = true;
    if (kind !== 'recalled') continue;
    one.recalled = true;
    one.answered ||= one.offered;
  }
  const all = [...sessions.values()];
  const last = all.toSorted((a, b) => b.lastMs - a.lastMs).slice(0, LAST_SESSIONS);
  const last30 = rateOf(last);
  const opportunities = opportunitiesOf(all);
  return {
    ...rateOf(all),
    offered: opportunities.filter(({ offered }) => offered).length,
    answered_offers: opportunities.filter(({ answered }) => answered).length,
    spontaneous: opportunities.filter(({ spontaneous }) => spontaneous).length,
    last30: { ...last30, over_target: last30.rate === null ? null : last30.rate > TARGET },
    target: TARGET,
    damaged,
  };
}

function opportunitiesOf(sessions: readonly Session[]): Opportunity[] {
  return sessions.flatMap((one) => [...one.opportunities.values()]);
}

function rateOf(sessions: readonly Session[]): UsageRate {
  const all = opportunitiesOf(sessions);
  const recalled = all.filter((one) => one.recalled).length;
  return {
    sessions: sessions.length,
    opportunities: all.length,
    recalled,
    rate: all.length === 0 ? null : recalled / all.length,
  };
}

/** How often each section came up, by its `sectionKey`. */
export function sectionUses(events: Iterable<UsageEvent>): Map<string, SectionUse> {
  const uses = new Map<string, SectionUse>();
  for (const { kind, key, at } of events) {
    if (kind === 'asked') continue;
    const { offered, recalled, last_at } = uses.get(key) ?? NO_USE;
    const time = new Date(at).toISOString();
    uses.set(key, {
      offered: offered + Number(kind === 'offered'),
      recalled: recalled + Number(kind === 'recalled'),
      last_at: last_at === null || time > last_at ? time : last_at,
    });
  }
  return uses;
}

export const NO_USE: SectionUse = { offered: 0, recalled: 0, last_at: null };

/** For people, ending in a line break. */
export function printUsage(stats: UsageStats): string {
  const { sessions, opportunities, recalled, offered, last30 } = stats;
  if (opportunities === 0) return 'Nothing was offered or asked for yet.\n';
  const lines = [
    `Sessions:      ${sessions}`,
    `Opportunities: ${opportunities} (${offered} offered, ${stats.spontaneous} asked for unprompted)`,
    `Recalled:      ${recalled} (${percent(stats.rate)}; ${stats.answered_offers} after an offer)`,
    `Last ${LAST_SESSIONS} sessions: ${last30.recalled} of ${last30.opportunities} recalled ` +
      `(${percent(last30.rate)}), ${last30.over_target ? 'over' : 'not over'} the target of ${percent(TARGET)}`,
  ];
  if (stats.damaged > 0) lines.push(`Lines that could not be read: ${stats.damaged}`);
  return `${lines.join('\n')}\n`;
}

function percent(rate: number | null): string {
  return rate === null ? 'none' : `${Number((rate * 100).toFixed(1))} %`;
}
