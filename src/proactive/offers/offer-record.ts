/**
 * Offers as records (`cue_offer`, DESIGN §3): how they are stored and how callers see them. They are
 * found by conversation, state and time, never by their words, so they are not in the catalog.
 */
import { z } from 'zod';
import type { RecordType, Scope } from '../../records/index.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import type { Offer, OfferData } from '../offer-types.js';
import { DETECTOR_NAMES, OFFER_STATES } from '../types.js';

const uuid = z.custom<Uuid>(isUuid, 'must be a UUID');
const detector = z.enum(DETECTOR_NAMES);
const words = z.array(z.string());

const sourceSchema = z.looseObject({
  id: uuid,
  memoryId: z.string(),
  revision: z.int().min(1),
  score: z.number(),
  reasons: words,
  files: words.optional(),
  quoted: z.boolean().optional(),
});

const whySchema = z.looseObject({
  detector,
  strength: z.number(),
  evidence: words,
  suppressed: z.array(z.looseObject({ memoryId: z.string(), detector, reason: z.string() })),
  feedback: z.string().optional(),
  degraded: z.string().optional(),
});

/** Loose: what a newer writer added survives. */
const offerSchema: z.ZodType<OfferData> = z.looseObject({
  kind: detector,
  subject: z.string(),
  text: z.string(),
  tokens: z.number(),
  sources: z.array(sourceSchema),
  state: z.enum(OFFER_STATES),
  target: z.looseObject({
    roomId: uuid.optional(),
    sessionId: z.string().optional(),
    agentId: z.string().optional(),
  }),
  groupId: uuid,
  requiresAcknowledgment: z.boolean(),
  why: whySchema,
  speakerId: uuid.optional(),
  createdAtMs: z.number(),
  expiresAtMs: z.number(),
  shownAtMs: z.number().optional(),
  shownBy: z.string().optional(),
  usedAtMs: z.number().optional(),
  usedHow: z.string().optional(),
  closedAtMs: z.number().optional(),
  reason: z.string().optional(),
  closedBy: z.string().optional(),
  closedIn: z.array(z.string()).optional(),
});

export const offerType: RecordType<OfferData> = {
  name: 'cue_offer',
  version: 1,
  schema: offerSchema,
  upgrades: {},
  text: ({ text }) => text,
};

/** An offer with its place in the project, as the room works with it. */
export interface StoredOffer {
  id: Uuid;
  /** Who may read it: never more than may read all of its sources. */
  scope: Scope;
  data: OfferData;
}

/** Times as ISO 8601 in UTC; what has not happened is absent. */
export function viewOf({ id, data }: Pick<StoredOffer, 'id' | 'data'>): Offer {
  const { createdAtMs, expiresAtMs, shownAtMs, usedAtMs, closedAtMs, ...rest } = data;
  return {
    ...rest,
    id,
    createdAt: isoOf(createdAtMs),
    expiresAt: isoOf(expiresAtMs),
    ...(shownAtMs === undefined ? {} : { shownAt: isoOf(shownAtMs) }),
    ...(usedAtMs === undefined ? {} : { usedAt: isoOf(usedAtMs) }),
    ...(closedAtMs === undefined ? {} : { closedAt: isoOf(closedAtMs) }),
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
