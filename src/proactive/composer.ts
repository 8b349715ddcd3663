/**
 * Offers as text: in the forms of the seed, strictly below the token limit of their kind whatever is
 * stored. Phrases are shortened first, then the least worthy memories are left out; the header, the
 * recall line and the reason of the first warning stay. Pure.
 */
import type { Uuid } from '../shared/ids.js';
import { safe } from '../shared/safe-text.js';
import { countTokens, truncateToTokens } from '../shared/tokens.js';
import { type Layout, layoutOf } from './layouts.js';
import { type OfferContent, TOKEN_LIMITS } from './types.js';

export interface Composed {
  /** '' when there is nothing to say. */
  text: string;
  /** o200k_base; strictly below `TOKEN_LIMITS` of the kind. */
  tokens: number;
  /** Memories that have a line in the text, each once. */
  shown: Uuid[];
}

export interface ComposeOptions {
  nowMs: number;
  /** Without brackets: `RUM`. */
  prefix: string;
}

const PREFIX_TOKENS = 6;
const WIDEST = 240;
/**
 * Narrowest phrases (see `shorten`) with details and without them, before a memory is left out. A
 * file's offer has little room: two memories in few words say more there than one in many.
 */
const NARROWEST: Readonly<Record<OfferContent['kind'], { detailed: number; plain: number }>> = {
  fileTouch: { detailed: 16, plain: 10 },
  intentMatch: { detailed: 24, plain: 24 },
  conflictWarning: { detailed: 32, plain: 32 },
  patternRecognition: { detailed: 24, plain: 24 },
  sessionStart: { detailed: 28, plain: 28 },
  hintMatch: { detailed: 40, plain: 40 },
  whenMatch: { detailed: 40, plain: 40 },
};
/** Of the last memory: something of it is better than nothing. */
const LAST_WIDTH = 4;

export function compose(content: OfferContent, { nowMs, prefix }: ComposeOptions): Composed {
  const mark = `[${truncateToTokens(safe(prefix), PREFIX_TOKENS)}]`;
  const layout = layoutOf(content, mark, nowMs);
  if (layout === null) return { text: '', tokens: 0, shown: [] };
  const least = NARROWEST[content.kind];
  const most = TOKEN_LIMITS[content.kind] - 1;
  for (let count = layout.items.length; count > 0; count -= 1) {
    const fitting =
      widest(layout, { count, detail: true, least: least.detailed }, most) ??
      widest(layout, { count, detail: false, least: least.plain }, most);
    if (fitting !== null) return fitting;
  }
  const scant = { detail: false, least: LAST_WIDTH };
  const last = widest(layout, { ...scant, count: 1 }, most);
  if (last !== null) return last;
  return bare(layout, most);
}

/** Only the frame; reached with ids and prefixes of extreme length. */
function bare({ head, tail }: Layout, most: number): Composed {
  const end = tail === null ? '' : `\n\n${tail}`;
  const room = most - countTokens(end) - 1;
  const text = truncateToTokens(head(LAST_WIDTH).join('\n'), room) + end;
  return { text, tokens: countTokens(text), shown: [] };
}

interface Fit {
  /** Items that are shown. */
  count: number;
  detail: boolean;
  /** Width below which a phrase says nothing any more. */
  least: number;
}

/** The text with this many items and as much of their words as fits; `null` when none does. */
function widest(layout: Layout, fit: Fit, most: number): Composed | null {
  let low = fit.least;
  let best = written(layout, fit, low);
  if (best.tokens > most) return null;
  for (let high = WIDEST; low < high; ) {
    const middle = (low + high + 1) >> 1;
    const tried = written(layout, fit, middle);
    if (tried.tokens > most) high = middle - 1;
    else {
      low = middle;
      best = tried;
    }
  }
  return best;
}

function written(layout: Layout, { count, detail }: Fit, width: number): Composed {
  const { head, items, byWorth, tail } = layout;
  const kept = new Set(byWorth.slice(0, count));
  const shown = items.filter((item) => kept.has(item));
  const text = [
    ...head(width),
    ...shown.flatMap((item) => item.lines(width, detail)),
    ...(tail === null ? [] : ['', tail]),
  ].join('\n');
  const ids = shown.map(({ id }) => id).filter((id) => id !== null);
  return { text, tokens: countTokens(text), shown: [...new Set(ids)] };
}
