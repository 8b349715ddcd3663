/**
 * How often the agent recalls knowledge where it could have (issue 5, point 4). An *opportunity* is one
 * piece of knowledge in one session that was offered to the agent or that it asked for, counted once
 * however often; it is *recalled* when it was given on the agent's own request. A question of the agent
 * that finds nothing is an opportunity missed. What people ask for is counted beside it. Pure.
 */
import type { UsageEvent } from './events.js';

/** Seed, "Success criteria": more than this within 30 sessions; it was 0 before. */
const TARGET = 0.1;
const LAST_SESSIONS = 30;

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
  /** Recalled by content alone: never by trigger or title. */
  by_content: number;
  /** Pieces of knowledge in a session that people (in chat, over REST) asked for, not in the rate. */
  people: { asked: number; recalled: number };
  /** The same rate over the sessions that were active last; `null`: nothing to judge. */
  last30: UsageRate & { over_target: boolean | null };
  target: number;
  /** Lines of the journal that could not be read. */
  damaged: number;
}

interface Opportunity {
  offered: boolean;
  asked: boolean;
  recalled: boolean;
  answered: boolean;
  spontaneous: boolean;
  byContent: boolean;
  peopleAsked: boolean;
  peopleRecalled: boolean;
}

const UNTOUCHED: Opportunity = {
  offered: false,
  asked: false,
  recalled: false,
  answered: false,
  spontaneous: false,
  byContent: false,
  peopleAsked: false,
  peopleRecalled: false,
};

interface Session {
  lastMs: number;
  pieces: Map<string, Opportunity>;
}

/** @param events in the order in which they were written, which is that of time within a session */
export function usageStats(events: Iterable<UsageEvent>, damaged = 0): UsageStats {
  const known = [...sessionsOf(events)];
  const pieces = known.flatMap(({ pieces: all }) => [...all.values()]);
  const count = (key: keyof Opportunity) => pieces.filter((one) => one[key]).length;
  // A session in which the agent was neither offered anything nor asked says nothing about it.
  const sessions = known.filter((one) => opportunitiesOf(one).length > 0);
  const last = sessions.toSorted((a, b) => b.lastMs - a.lastMs).slice(0, LAST_SESSIONS);
  const last30 = rateOf(last);
  return {
    ...rateOf(sessions),
    offered: count('offered'),
    answered_offers: count('answered'),
    spontaneous: count('spontaneous'),
    by_content: count('byContent'),
    people: { asked: count('peopleAsked'), recalled: count('peopleRecalled') },
    last30: { ...last30, over_target: last30.rate === null ? null : last30.rate > TARGET },
    target: TARGET,
    damaged,
  };
}

function sessionsOf(events: Iterable<UsageEvent>): Iterable<Session> {
  const sessions = new Map<string, Session>();
  for (const event of events) {
    const session = sessions.get(event.session) ?? { lastMs: event.at, pieces: new Map() };
    sessions.set(event.session, session);
    const before = session.pieces.get(event.key) ?? UNTOUCHED;
    const next = isPeoples(event) ? afterPeople(event, before) : after(event, before);
    if (!isPeoples(event)) session.lastMs = Math.max(session.lastMs, event.at);
    session.pieces.set(event.key, next);
  }
  return sessions.values();
}

function isPeoples({ kind, by }: UsageEvent): boolean {
  return kind !== 'offered' && by !== undefined && by !== 'agent';
}

function afterPeople({ kind }: UsageEvent, before: Opportunity): Opportunity {
  const peopleRecalled = before.peopleRecalled || kind === 'recalled';
  return { ...before, peopleAsked: true, peopleRecalled };
}

function after({ kind, found }: UsageEvent, before: Opportunity): Opportunity {
  if (kind === 'offered') return { ...before, offered: true };
  const { offered, recalled, byContent } = before;
  const isRecall = kind === 'recalled';
  const onlyByContent = (!recalled || byContent) && found === 'hybrid';
  return {
    ...before,
    asked: true,
    recalled: recalled || isRecall,
    answered: before.answered || (offered && isRecall),
    spontaneous: before.spontaneous || !offered,
    byContent: isRecall ? onlyByContent : byContent,
  };
}

function opportunitiesOf({ pieces }: Session): Opportunity[] {
  return [...pieces.values()].filter(({ offered, asked }) => offered || asked);
}

function rateOf(sessions: readonly Session[]): UsageRate {
  const all = sessions.flatMap(opportunitiesOf);
  const recalled = all.filter((one) => one.recalled).length;
  return {
    sessions: sessions.length,
    opportunities: all.length,
    recalled,
    rate: all.length === 0 ? null : recalled / all.length,
  };
}

/** For people, ending in a line break. */
export function printUsage(stats: UsageStats): string {
  const { sessions, opportunities, recalled, offered, last30 } = stats;
  const { asked } = stats.people;
  const others = `Asked for by people: ${asked} (${stats.people.recalled} given), not in the rate`;
  if (opportunities === 0) {
    if (asked === 0) return 'Nothing was offered or asked for yet.\n';
    return `Nothing was offered to the agent or asked for by it yet.\n${others}\n`;
  }
  const byContent = stats.by_content === 0 ? '' : `, ${stats.by_content} found by content alone`;
  const lines = [
    `Sessions:      ${sessions}`,
    `Opportunities: ${opportunities} (${offered} offered, ${stats.spontaneous} asked for unprompted)`,
    `Recalled:      ${recalled} (${percent(stats.rate)}; ${stats.answered_offers} after an offer${byContent})`,
    `Last ${LAST_SESSIONS} sessions: ${last30.recalled} of ${last30.opportunities} recalled ` +
      `(${percent(last30.rate)}), ${verdict(last30.over_target)} the target of ${percent(TARGET)}`,
  ];
  if (asked > 0) lines.push(others);
  if (stats.damaged > 0) lines.push(`Lines that could not be read: ${stats.damaged}`);
  return `${lines.join('\n')}\n`;
}

function verdict(overTarget: boolean | null): string {
  return overTarget ? 'over' : 'not over';
}

function percent(rate: number | null): string {
  return rate === null ? 'none' : `${Number((rate * 100).toFixed(1))} %`;
}
