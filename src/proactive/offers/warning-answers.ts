/** Which warnings were answered, so that nobody is warned twice of what they know. Pure. */
import { audienceOf, type Scope } from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import { RecencyCache } from '../../shared/recency-cache.js';
import type { OfferTarget } from '../types.js';
import { isAnswered, type OfferData, type StoredOffer } from './offer.js';

/** How long an answer holds. */
export const ANSWER_DAYS = 90;

/** Who may read an offer, and so who has seen its answer. */
export type Audience = Pick<Scope, 'visibility' | 'entityId' | 'roomId'>;

interface Answer {
  /** As `audienceOf` says it. */
  audience: string;
  /** Of the project only: other audiences are the people in them, whichever agent they talk to. */
  agentId: string | undefined;
  /** Of a client's answer: where it was given. */
  sessions: readonly string[] | undefined;
  revision: number;
  atMs: number;
}

const MOST_SOURCES = 20_000;
const MOST_ANSWERS = 50;

export function createWarningAnswers() {
  /** By memory, then by who answered. */
  const bySource = new RecencyCache<Uuid, RecencyCache<string, Answer>>(MOST_SOURCES);
  return {
    /** Takes the answer of an offer, if it is a warning that has one. */
    note({ scope, data }: Pick<StoredOffer, 'scope' | 'data'>): void {
      if (data.kind !== 'conflictWarning' || !isAnswered(data)) return;
      const whose = whoseAnswer(scope, data);
      const { audience, agentId = null, sessions = null } = whose;
      const key = JSON.stringify([audience, agentId, sessions]);
      const atMs = data.closedAtMs ?? data.createdAtMs;
      for (const { id, revision } of data.sources) {
        const answers = bySource.get(id) ?? new RecencyCache(MOST_ANSWERS);
        const before = answers.get(key);
        answers.set(key, {
          ...whose,
          revision: Math.max(revision, before?.revision ?? 0),
          atMs: Math.max(atMs, before?.atMs ?? 0),
        });
        bySource.set(id, answers);
      }
    },
    /**
     * Newest revision of the memory at which its warning was acknowledged or dismissed in the last 90
     * days, `null`: never. An answer holds for the audience of its offer: what one person has answered
     * nobody else has seen. In the project a client answers for its session and, where it has a name,
     * for the agent of that name: the next session of somebody nameless is another model that knows
     * nothing. Everybody else there (the operator, code) answers for the agent that the offer names, and
     * else for all.
     */
    revision(sourceId: Uuid, target: OfferTarget, scope: Audience, nowMs: number): number | null {
      const asking = { audience: audienceOf(scope), ...(isOfProject(scope) ? target : {}) };
      const revisions = [...(bySource.get(sourceId)?.values() ?? [])]
        .filter(({ atMs }) => nowMs - atMs < ANSWER_DAYS * DAY_MS)
        .filter((answer) => answer.audience === asking.audience && holdsFor(answer, asking))
        .map(({ revision }) => revision);
      return revisions.length === 0 ? null : Math.max(...revisions);
    },
    forget(sourceIds: readonly Uuid[]): void {
      for (const id of sourceIds) bySource.delete(id);
    },
  };
}

type Answerer = Pick<Answer, 'audience' | 'agentId' | 'sessions'>;

function whoseAnswer(scope: Audience, { target, closedBy, closedIn }: OfferData): Answerer {
  const audience = audienceOf(scope);
  if (!isOfProject(scope)) return { audience, agentId: undefined, sessions: undefined };
  if (closedIn === undefined) return { audience, agentId: target.agentId, sessions: undefined };
  return { audience, agentId: target.agentId ?? closedBy, sessions: closedIn };
}

function holdsFor(
  { agentId, sessions }: Answerer,
  asking: Pick<OfferTarget, 'agentId' | 'sessionId'>,
): boolean {
  const isSameAgent = asking.agentId !== undefined && asking.agentId === agentId;
  if (sessions === undefined) {
    return isSameAgent || agentId === undefined || asking.agentId === undefined;
  }
  const isThere = asking.sessionId !== undefined && sessions.includes(asking.sessionId);
  return isSameAgent || isThere;
}

function isOfProject({ visibility }: Audience): boolean {
  return visibility === 'project';
}
