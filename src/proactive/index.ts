/** Proactive offers: the right memory at the right moment, without being asked (DESIGN §8). */

export type { SlotDetectors } from './asking.js';
export { type ProactiveConfig, type ProactiveConfigInput, parseConfig } from './config.js';
export type { Proactive } from './core-types.js';
export type { DetectorContext } from './detectors/context.js';
export { createHintMatch, type HintPort } from './detectors/hint-match.js';
export {
  createWhenMatch,
  type WhenEntry,
  type WhenPort,
} from './detectors/when-match.js';
export { ANSWER_SHAPE, HAPPENING_SHAPES, WAITING_SHAPE } from './input.js';
export type {
  Decision,
  LearnedNumbers,
  Offer,
  OfferData,
  OfferEvent,
  OfferFilter,
  OfferNumbers,
  OfferStats,
  ProactiveHealth,
  Reaction,
  TurnMessage,
  TurnOffers,
} from './offer-types.js';
export type { TurnStore } from './offers/turn-counter.js';
export { createProactive, type ProactiveCoreDeps } from './proactive.js';
export {
  type ObservedMemory,
  PROACTIVE,
  ProactiveService,
  type ProactiveServiceDeps,
} from './service.js';
export { clientBlock } from './text/block.js';
export * from './types.js';
