/** Offers as they are stored, shown and measured, and what the room answers (DESIGN §8). camelCase. */
import type { Caller } from '../memory/index.js';
import type { Uuid } from '../shared/ids.js';
import type { DetectorName, Happening, OfferState, OfferTarget, Suppressed } from './types.js';

export interface OfferSource {
  id: Uuid;
  /** As it was printed: `mem_…`, or the command of a `/when` entry. */
  memoryId: string;
  /** Of the memory when it was offered: a change of it ends an acknowledgment. */
  revision: number;
  score: number;
  reasons: string[];
  /** Files of that work, or that an entry leads to, at most 10: who works on one of them afterwards has acted upon the offer. */
  files?: string[] | undefined;
  /** The text quotes a few words of it and is not about it. */
  quoted?: boolean | undefined;
}

/** Why it exists. */
export interface OfferWhy {
  detector: DetectorName;
  strength: number;
  evidence: string[];
  /** Left out beside what is shown, and why. */
  suppressed: Suppressed[];
  /** What feedback has changed: "fileTouch was dismissed 3 times in a row: offered half as often". */
  feedback?: string;
  degraded?: string;
}

/** What is stored (`metadata.data` of `cue_offer`). */
export interface OfferData {
  kind: DetectorName;
  /** What it is about: a path, an intent, a planned action, a pattern. */
  subject: string;
  text: string;
  tokens: number;
  sources: OfferSource[];
  state: OfferState;
  target: OfferTarget;
  /** Offers of one notification. */
  groupId: Uuid;
  /** A warning that stays until it is acknowledged or dismissed. */
  requiresAcknowledgment: boolean;
  why: OfferWhy;
  /** The person whose words it was made of, who may have them forgotten. */
  speakerId?: Uuid | undefined;
  createdAtMs: number;
  expiresAtMs: number;
  shownAtMs?: number | undefined;
  /** How it was first shown: `turn`, `answer` (of a hook or route), `list`, `stream`, `mcp` (rode along). */
  shownBy?: string | undefined;
  usedAtMs?: number | undefined;
  /** "recalled", "linked", "cited", "acted upon", or what the caller said. */
  usedHow?: string | undefined;
  /** When it was acknowledged, dismissed or expired. */
  closedAtMs?: number | undefined;
  /** What was said when it was acknowledged or dismissed, or why it expired before its time. */
  reason?: string | undefined;
  /** Eliza agent, entity or client that did so. */
  closedBy?: string | undefined;
  /** The sessions of the client that answered; absent: it was no client. */
  closedIn?: string[] | undefined;
}

/** As callers see it. */
export interface Offer
  extends Omit<OfferData, 'createdAtMs' | 'expiresAtMs' | 'shownAtMs' | 'usedAtMs' | 'closedAtMs'> {
  id: Uuid;
  createdAt: string;
  expiresAt: string;
  shownAt?: string;
  usedAt?: string;
  closedAt?: string;
}

/** What came of a happening. */
export interface Reaction {
  /** New offers, most urgent first; also those that stand already and answer this happening. */
  offers: Offer[];
  /** The first of them that warns, also one that was raised before and is not acknowledged. */
  warning: Offer | null;
  /** All of it as one text of at most 200 tokens (warnings are never cut); '' when empty. */
  text: string;
  tokens: number;
  suppressed: Suppressed[];
  /** Detectors that failed, hung, or answered from less than everything. */
  degraded: string[];
}

/** A happening, what was made of it, and why nothing came: for the operator. */
export interface Decision {
  atMs: number;
  happening: HappeningSummary;
  detectors: {
    name: DetectorName;
    ms: number;
    notified: boolean;
    subject: string;
    strength: number;
    evidence: string[];
    error?: string;
  }[];
  offerIds: Uuid[];
  suppressed: Suppressed[];
}
export interface HappeningSummary {
  /** `message`: what a person wrote; `agent`: what the agent said or did. */
  type: Happening['type'] | 'message' | 'agent';
  subject: string;
  target: OfferTarget;
}

/** Numbers of one kind of offer, or of all. */
export interface OfferNumbers {
  offers: number;
  shown: number;
  used: number;
  acknowledged: number;
  dismissed: number;
  expired: number;
  pending: number;
  /** used ÷ shown; `null` while nothing was shown. */
  recallRate: number | null;
  /** (used + acknowledged) ÷ shown. */
  precision: number | null;
  /** Dismissed or expired unused after being shown. */
  falseAlarms: number;
  /** Per 100 turns; `null` while there were none. */
  falseAlarmsPer100Turns: number | null;
  tokens: number;
}

export interface OfferStats {
  sinceMs: number;
  untilMs: number;
  turns: number;
  total: OfferNumbers;
  byKind: Partial<Record<DetectorName, OfferNumbers>>;
  /** Oldest first; days in UTC with anything in them. */
  byDay: ({ day: string; turns: number; byKind: OfferStats['byKind'] } & OfferNumbers)[];
}

/** What was learned about a kind of offer since its counts began, and what that does. */
export type LearnedNumbers = Partial<
  Record<
    DetectorName,
    {
      sinceMs: number;
      used: number;
      acknowledged: number;
      dismissed: number;
      /** Shown, and left unused. */
      expired: number;
      /** Log-odds by which the threshold is higher than set; below 0: lower. */
      shift: number;
      /** Of kinds without a threshold: time between two of them in one conversation; 0: any. */
      intervalMs: number;
      /** What that comes from, in words; `null`: it is offered as set. */
      because: string | null;
    }
  >
>;

export interface ProactiveHealth {
  enabled: boolean;
  detectors: Record<
    string,
    {
      enabled: boolean;
      evaluated: number;
      notified: number;
      failed: number;
      timedOut: number;
      lastError?: string;
      /** It hung several times and is not asked for a minute. */
      resting: boolean;
      ms: { median: number | null; p95: number | null };
    }
  >;
  /** Open offers held, by state. */
  open: { pending: number; shown: number };
  /** Happenings dropped because too many came at once. */
  dropped: number;
  subscribers: number;
  /** Why, in words, something is worse than it should be. */
  degraded: string[];
}

export interface OfferFilter {
  state?: OfferState | undefined;
  kind?: DetectorName | undefined;
  roomId?: Uuid | undefined;
  sessionId?: string | undefined;
  agentId?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  /** Marks the pending ones of the page that are for no conversation as shown. */
  deliver?: boolean | undefined;
}

/** A message of a conversation, as the provider gets it. */
export interface TurnMessage {
  messageId: Uuid;
  roomId: Uuid;
  /** Who is answered: what may be offered is what they may read. */
  caller: Caller;
  sessionId?: string | undefined;
  text: string;
  /** Names, titles and addresses of attached files. */
  attachments: readonly string[];
  /** Whose words these are. */
  speakerId?: Uuid | undefined;
  /** The instruction of a trigger: nobody begins a session with it. */
  scheduled?: boolean | undefined;
}

/** What one turn shows; the same for every call with the message's id. */
export interface TurnOffers {
  offers: Offer[];
  /** The block for the prompt, fenced and attributed; '' when there is nothing. */
  text: string;
  tokens: number;
}

/** Pushed to whoever listens (SSE, later MCP). */
export type OfferEvent =
  | { type: 'offer'; offer: Offer }
  | { type: 'state'; offer: Offer; from: OfferState };
