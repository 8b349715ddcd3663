/** What comes of a happening, as it is answered to who told of it. */
import { readerOf } from '../memory/index.js';
import { canRead } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import type { Reaction } from './offer-types.js';
import { type StoredOffer, viewOf } from './offers/offer-record.js';
import type { Outcome } from './reactions.js';
import { block, urgency } from './text/block.js';
import type { Occasion } from './types.js';

/**
 * Only what may be read there. What is in the text counts as shown, where it is read at all.
 * @param shown marks an offer, `null`: nobody reads the answer
 */
export function replyOf(
  { offers, standing }: Pick<Outcome, 'offers' | 'standing'>,
  { caller }: Occasion,
  shown: ((id: Uuid) => StoredOffer | null) | null,
): Pick<Reaction, 'offers' | 'warning' | 'text' | 'tokens'> {
  const reader = caller ? readerOf(caller) : ({ kind: 'agent' } as const);
  const all = [...offers, ...standing]
    .filter(({ scope }) => canRead(reader, scope))
    .sort((a, b) => urgency(a.data.kind) - urgency(b.data.kind));
  const { text, tokens, shownIndexes } = block(all.map(({ data }) => data));
  const views = all.map((offer, index) =>
    viewOf((shownIndexes.includes(index) ? shown?.(offer.id) : null) ?? offer),
  );
  return {
    offers: views,
    warning: views.find(({ kind }) => kind === 'conflictWarning') ?? null,
    text,
    tokens,
  };
}
