/** Which warnings were answered, so that nobody is warned twice of what they know. Pure. */
import { DAY_MS } from '../shared/clock.js';
import type { Uuid } from '../shared/ids.js';
import { isAnswered } from './offer-life.js';
import type { OfferData } from './offer-types.js';
import type { OfferTarget } from './types.js';

/** How long an answer holds. */
export const ANSWER_DAYS = 90;

interface Answer {
  agentId: string | undefined;
  revision: number;
  atMs: number;
}

export interface WarningAnswers {
  /** Takes the answer of an offer, if it is a warning that has one. */
  note(data: OfferData): void;
  /**
   * Newest revision of the memory at which its warning was acknowledged or dismissed in the last 90
   * days, `null`: never. An answer is its agent's: another agent that is named has not seen it; who
   * is not named is the project's one agent.
   */
  revision(sourceId: Uuid, target: OfferTarget, nowMs: number): number | null;
  forget(sourceIds: readonly Uuid[]): void;
}

const MOST_SOURCES = 20_000;
const MOST_AGENTS = 50;

export function createWarningAnswers(): WarningAnswers {
  const bySource = new Map<Uuid, Answer[]>();
  return {
    note(data) {
      if (data.kind !== 'conflictWarning' || !isAnswered(data)) return;
      const { agentId } = data.target;
      const atMs = data.closedAtMs ?? data.createdAtMs;
      for (const { id, revision } of data.sources) {
        const answers = bySource.get(id) ?? [];
        const mine = answers.find((answer) => answer.agentId === agentId);
        const rest = answers.filter((answer) => answer !== mine).slice(1 - MOST_AGENTS);
        bySource.delete(id);
        bySource.set(id, [
          ...rest,
          {
            agentId,
            revision: Math.max(revision, mine?.revision ?? 0),
            atMs: Math.max(atMs, mine?.atMs ?? 0),
          },
        ]);
        const [oldest] = bySource.keys();
        if (bySource.size > MOST_SOURCES && oldest !== undefined) bySource.delete(oldest);
      }
    },
    revision(sourceId, target, nowMs) {
      const revisions = (bySource.get(sourceId) ?? [])
        .filter(({ atMs }) => nowMs - atMs < ANSWER_DAYS * DAY_MS)
        .filter(({ agentId }) => isSameAgent(agentId, target.agentId))
        .map(({ revision }) => revision);
      return revisions.length === 0 ? null : Math.max(...revisions);
    },
    forget(sourceIds) {
      for (const id of sourceIds) bySource.delete(id);
    },
  };
}

function isSameAgent(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
