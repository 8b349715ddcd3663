/** Proactive offers: the right memory at the right moment, without being asked (DESIGN §8). */

export { type ProactiveConfig, type ProactiveConfigInput, parseConfig } from './config.js';
export type { DetectorContext } from './detectors/detection.js';
export { createHintMatch, type HintPort } from './detectors/hint-match.js';
export { createWhenMatch, type WhenEntry, type WhenPort } from './detectors/when-match.js';
export { ANSWER_SHAPE, EVENT_SHAPES, WAITING_SHAPE } from './input.js';
export type { LearnedNumbers } from './learning.js';
export type { Decision, Reaction } from './offer-pipeline.js';
export { OFFER_STATES, type Offer, type OfferData, type OfferState } from './offers/offer.js';
export type { OfferFilter } from './offers/offer-queries.js';
export type { OfferNumbers, OfferStats, TurnStore } from './offers/stats.js';
export {
  createProactive,
  type Proactive,
  type ProactiveCoreDeps,
  type ProactiveHealth,
} from './proactive.js';
export type { OfferEvent } from './pushes.js';
export {
  type ObservedMemory,
  PROACTIVE,
  ProactiveService,
  type ProactiveServiceDeps,
} from './service.js';
export { clientBlock } from './text/block.js';
export type { TurnMessage, TurnOffers } from './turns.js';
/** The names under which the package has always exported them. */
export type { EventContext as Occasion, ProactiveEvent as Happening } from './types.js';
export * from './types.js';
