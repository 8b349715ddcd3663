/**
 * In the `_meta` of a result or a message: the ids of the offers in it. `false` in that of a call: none
 * may ride along, because no model reads the answer.
 */
export const OFFERS_META = 'cue/offers';
