/**
 * How often knowledge is recalled where it could have been (issue 5, point 4). An *opportunity* is
 * one piece of knowledge in one session that was offered or asked for, counted once however often;
 * it is *recalled* when it was given on request. A question that finds nothing is an opportunity
 * missed. Pure.
 */
import type { UsageEvent } from './events.js';

/** Seed, "Success criteria": more than this within 30 sessions; it was 0 before. */
const TARGET = 0.1;
const LAST_SESSIONS = 30;

/** `rate` = recalled ÷ opportunities, `null` without any. */
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
  /** Lines of the journal that could not be read. */
  damaged: number;
}

interface Opportunity {
  offered: boolean;
  recalled: boolean;
  answered: boolean;
  spontaneous: boolean;
}

interface Session {
  lastMs: number;
  opportunities: Map<string, Opportunity>;
}

/** @param events in the order in which they were written, which is that of time within a session */
export function usageStats(events: Iterable<UsageEvent>, damaged = 0): UsageStats {
  const sessions = [...sessionsOf(events)];
  const all = sessions.flatMap(opportunitiesOf);
  const count = (key: keyof Opportunity) => all.filter((one) => one[key]).length;
  const last = sessions.sort((a, b) => b.lastMs - a.lastMs).slice(0, LAST_SESSIONS);
  const last30 = rateOf(last);
  return {
    ...rateOf(sessions),
    offered: count('offered'),
    answered_offers: count('answered'),
    spontaneous: count('spontaneous'),
    last30: { ...last30, over_target: last30.rate === null ? null : last30.rate > TARGET },
    target: TARGET,
    damaged,
  };
}

function sessionsOf(events: Iterable<UsageEvent>): Iterable<Session> {
  const sessions = new Map<string, Session>();
  for (const event of events) {
    const session = sessions.get(event.session) ?? { lastMs: event.at, opportunities: new Map() };
    sessions.set(event.session, session);
    session.lastMs = Math.max(session.lastMs, event.at);
    const known = session.opportunities.get(event.key);
    session.opportunities.set(event.key, after(event, known));
  }
  return sessions.values();
}

function after({ kind }: UsageEvent, before: Opportunity | undefined): Opportunity {
  const { offered, recalled, answered, spontaneous } = before ?? {
    offered: false,
    recalled: false,
    answered: false,
    spontaneous: false,
  };
  if (kind === 'offered') return { offered: true, recalled, answered, spontaneous };
  return {
    offered,
    recalled: recalled || kind === 'recalled',
    answered: answered || (offered && kind === 'recalled'),
    spontaneous: spontaneous || !offered,
  };
}

function opportunitiesOf(session: Session): Opportunity[] {
  return [...session.opportunities.values()];
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
  if (opportunities === 0) return 'Nothing was offered or asked for yet.\n';
  const lines = [
    `Sessions:      ${sessions}`,
    `Opportunities: ${opportunities} (${offered} offered, ${stats.spontaneous} asked for unprompted)`,
    `Recalled:      ${recalled} (${percent(stats.rate)}; ${stats.answered_offers} after an offer)`,
    `Last ${LAST_SESSIONS} sessions: ${last30.recalled} of ${last30.opportunities} recalled ` +
      `(${percent(last30.rate)}), ${verdict(last30.over_target)} the target of ${percent(TARGET)}`,
  ];
  if (stats.damaged > 0) lines.push(`Lines that could not be read: ${stats.damaged}`);
  return `${lines.join('\n')}\n`;
}

function verdict(overTarget: boolean | null): string {
  return overTarget ? 'over' : 'not over';
}

function percent(rate: number | null): string {
  return rate === null ? 'none' : `${Number((rate * 100).toFixed(1))} %`;
}
