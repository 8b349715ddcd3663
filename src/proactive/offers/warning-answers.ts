/** Which warnings were answered, so that nobody is warned twice of what they know. Pure. */
import { audienceOf, type Scope } from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import type { OfferTarget } from '../types.js';
import { isAnswered } from './offer-life.js';
import type { StoredOffer } from './offer-record.js';

/** How long an answer holds. */
export const ANSWER_DAYS = 90;

/** Who may read an offer, and so who has seen its answer. */
export type Audience = Pick<Scope, 'visibility' | 'entityId' | 'roomId'>;

interface Answer {
  /** As `audienceOf` says it. */
  audience: string;
  /** Of the project only: other audiences are the people in them, whichever agent they talk to. */
  agentId: string | undefined;
  revision: number;
  atMs: number;
}

export interface WarningAnswers {
  /** Takes the answer of an offer, if it is a warning that has one. */
  note(offer: Pick<StoredOffer, 'scope' | 'data'>): void;
  /**
   * Newest revision of the memory at which its warning was acknowledged or dismissed in the last 90
   * days, `null`: never. An answer holds for the audience of its offer: what one person has answered
   * nobody else has seen. In the project it is its agent's: another agent that is named has not seen
   * it; who is not named is the project's one agent.
   */
  revision(sourceId: Uuid, target: OfferTarget, audience: Audience, nowMs: number): number | null;
  forget(sourceIds: readonly Uuid[]): void;
}

const MOST_SOURCES = 20_000;
const MOST_ANSWERS = 50;

export function createWarningAnswers(): WarningAnswers {
  const bySource = new Map<Uuid, Answer[]>();
  return {
    note({ scope, data }) {
      if (data.kind !== 'conflictWarning' || !isAnswered(data)) return;
      const whose = whoseAnswer(scope, data.target);
      const atMs = data.closedAtMs ?? data.createdAtMs;
      for (const { id, revision } of data.sources) {
        const answers = bySource.get(id) ?? [];
        const mine = answers.find(
          ({ audience, agentId }) => audience === whose.audience && agentId === whose.agentId,
        );
        const rest = answers.filter((answer) => answer !== mine).slice(1 - MOST_ANSWERS);
        bySource.delete(id);
        bySource.set(id, [
          ...rest,
          {
            ...whose,
            revision: Math.max(revision, mine?.revision ?? 0),
            atMs: Math.max(atMs, mine?.atMs ?? 0),
          },
        ]);
        const [oldest] = bySource.keys();
        if (bySource.size > MOST_SOURCES && oldest !== undefined) bySource.delete(oldest);
      }
    },
    revision(sourceId, target, scope, nowMs) {
      const whose = whoseAnswer(scope, target);
      const revisions = (bySource.get(sourceId) ?? [])
        .filter(({ atMs }) => nowMs - atMs < ANSWER_DAYS * DAY_MS)
        .filter(({ audience }) => audience === whose.audience)
        .filter(({ agentId }) => isSameAgent(agentId, whose.agentId))
        .map(({ revision }) => revision);
      return revisions.length === 0 ? null : Math.max(...revisions);
    },
    forget(sourceIds) {
      for (const id of sourceIds) bySource.delete(id);
    },
  };
}

function whoseAnswer(scope: Audience, target: OfferTarget): Pick<Answer, 'audience' | 'agentId'> {
  const agentId = scope.visibility === 'project' ? target.agentId : undefined;
  return { audience: audienceOf(scope), agentId };
}

function isSameAgent(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
