/**
 * Offers as text: in the forms of the seed, strictly below the token limit of their kind whatever is
 * stored. Where not all has room, details go first, then authors, then words, then what the frame of a
 * file's offer says beside its name; and only then the least worthy memories. The header, the recall
 * line, every outcome and the reason of the first warning stay. Pure.
 */
import { SECOND_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import { safe } from '../../shared/safe-text.js';
import { countTokens, truncateToTokens } from '../../shared/tokens.js';
import { type OfferContent, type Shown, TOKEN_LIMITS } from '../types.js';
import { type Form, type Item, type Layout, layoutOf } from './layouts.js';

export interface Composed {
  /** '' when there is nothing to say. */
  text: string;
  /** o200k_base; strictly below `TOKEN_LIMITS` of the kind. */
  tokens: number;
  /** Memories that have a line in the text, each once. */
  shown: Uuid[];
}

interface ComposeOptions {
  nowMs: number;
  /** Without brackets: `RUM`. */
  prefix: string;
}

const PREFIX_TOKENS = 6;
const WIDEST = 240;
/** What is given up, and how narrow phrases may become (see `brief`) before the next step. */
interface Step extends Form {
  least: number;
}
const ALL: Form = { detail: true, authors: true, frame: true };
const NO_DETAIL: Form = { ...ALL, detail: false };
const NO_AUTHORS: Form = { ...NO_DETAIL, authors: false };
const NO_FRAME: Form = { ...NO_AUTHORS, frame: false };

function steps(detailed: number, plain: number, narrow: number): Step[] {
  return [
    { ...ALL, least: detailed },
    { ...NO_DETAIL, least: plain },
    { ...NO_AUTHORS, least: narrow },
  ];
}
/**
 * All steps are tried before a memory is left out: two memories in few words say more than one in
 * many. A file's offer has the least room, and three or four words of each of its memories.
 */
const STEPS: Readonly<Record<OfferContent['kind'], readonly Step[]>> = {
  fileTouch: [...steps(24, 24, 24), { ...NO_FRAME, least: 20 }, { ...NO_FRAME, least: 14 }],
  intentMatch: steps(28, 28, 20),
  conflictWarning: steps(32, 32, 24),
  patternRecognition: steps(30, 30, 20),
  sessionStart: steps(28, 30, 30),
  // A command is whole or not there; why it fits gives way, then what it is for.
  hintMatch: [
    { ...ALL, least: 40 },
    { ...ALL, least: 16 },
    { ...NO_DETAIL, least: 12 },
    { ...NO_FRAME, least: 4 },
  ],
  // First words of the description, then how to ask; the commands alone before one of them is dropped.
  whenMatch: [
    { ...ALL, least: 24 },
    { ...ALL, frame: false, least: 12 },
    { ...NO_DETAIL, least: 12 },
    { ...NO_FRAME, least: 4 },
  ],
};
/** Of the last memory: something of it is better than nothing. */
const LAST_WIDTH = 4;

/** What a detector has composed is nearly always said as it is, a moment later. */
const composedOf = new WeakMap<OfferContent, ComposeOptions & { composed: Composed }>();
const MOMENT_MS = SECOND_MS;

export function compose(content: OfferContent, { nowMs, prefix }: ComposeOptions): Composed {
  const known = composedOf.get(content);
  const isRecent = known !== undefined && Math.abs(nowMs - known.nowMs) < MOMENT_MS;
  if (isRecent && known.prefix === prefix) return known.composed;
  const composed = composedAnew(content, { nowMs, prefix });
  composedOf.set(content, { nowMs, prefix, composed });
  return composed;
}

function composedAnew(content: OfferContent, { nowMs, prefix }: ComposeOptions): Composed {
  const mark = `[${truncateToTokens(safe(prefix), PREFIX_TOKENS)}]`;
  const layout = layoutOf(content, mark, nowMs);
  if (layout === null) return { text: '', tokens: 0, shown: [] };
  const most = TOKEN_LIMITS[content.kind] - 1;
  for (let count = layout.items.length; count > 0; count -= 1) {
    for (const step of STEPS[content.kind]) {
      // The frame makes room for further memories, not for more words of one.
      if (count === 1 && !step.frame) continue;
      const fitting = widest(layout, step, count, most);
      if (fitting !== null) return fitting;
    }
  }
  for (const form of [NO_DETAIL, NO_AUTHORS, NO_FRAME]) {
    const last = widest(layout, { ...form, least: LAST_WIDTH }, 1, most);
    if (last !== null) return last;
  }
  return bare(layout, most);
}

/** Only the frame; reached with ids and prefixes of extreme length. */
function bare({ head, tail }: Layout, most: number): Composed {
  const end = tail ? `\n\n${tail(ALL)}` : '';
  const room = most - countTokens(end) - 1;
  const text = truncateToTokens(head(LAST_WIDTH, ALL, 0).join('\n'), room) + end;
  return { text, tokens: countTokens(text), shown: [] };
}

/** The text with this many items and as much of their words as fits; `null` when none does. */
function widest(layout: Layout, step: Step, count: number, most: number): Composed | null {
  const kept = (layout.byWorth ?? layout.items).slice(0, count);
  const { width, composed } = grown(step.least, (tried) =>
    written(layout, step, kept, () => tried),
  );
  if (composed.tokens > most) return null;
  // What is left is too little for one more word of each; the worthiest take it.
  const widths = new Map(kept.map((item) => [item, width]));
  let best = composed;
  for (const item of kept) {
    const more = grown(width, (tried) =>
      written(layout, step, kept, (other) =>
        other === item ? tried : other === null ? width : (widths.get(other) ?? width),
      ),
    );
    widths.set(item, more.width);
    best = more.composed;
  }
  return best;

  /** The greatest width whose text fits; the least where none does. */
  function grown(least: number, write: (width: number) => Composed) {
    let low = least;
    let composed = write(low);
    if (composed.tokens > most) return { width: low, composed };
    for (let high = WIDEST; low < high; ) {
      const middle = (low + high + 1) >> 1;
      const tried = write(middle);
      if (tried.tokens > most) high = middle - 1;
      else {
        low = middle;
        composed = tried;
      }
    }
    return { width: low, composed };
  }
}

function written(
  { head, items, tail }: Layout,
  form: Form,
  kept: readonly Item[],
  widthOf: (item: Item | null) => number,
): Composed {
  const shown = items.filter((item) => kept.includes(item));
  const text = [
    ...head(widthOf(null), form, shown.length),
    ...shown.flatMap((item) => item.lines(widthOf(item), form)),
    ...(tail ? ['', tail(form)] : []),
  ].join('\n');
  const ids = new Set(shown.map(({ id }) => id));
  return { text, tokens: countTokens(text), shown: [...ids] };
}

/** What a content shows, memories and others, each once, in the order in which they would be shown. */
export function candidatesIn(content: OfferContent): Shown[] {
  const all: readonly Shown[] =
    content.kind === 'sessionStart'
      ? [...content.unfinished, ...content.learnings].map(({ candidate }) => candidate)
      : content.memories;
  return [...new Map(all.map((candidate) => [candidate.id, candidate])).values()];
}

/**
 * Memories of which the text quotes a few words beside those it is about, each once. They do not
 * count as shown, but they are sources: an offer goes when a memory that it quotes is forgotten.
 */
export function quotedIn(content: OfferContent): Shown[] {
  if (content.kind !== 'sessionStart') return [];
  const blockers = content.unfinished.flatMap(({ blocker }) => blocker ?? []);
  return [...new Map(blockers.map((blocker) => [blocker.id, blocker])).values()];
}

/**
 * The content without what comes from these memories; the counts of a file stay, they are of the
 * file. `null` when nothing worth saying is left: "last session" alone is no reason to speak.
 */
export function withoutMemories(
  content: OfferContent,
  ids: ReadonlySet<Uuid>,
): OfferContent | null {
  if (ids.size === 0) return content;
  const isKept = ({ id }: Shown) => !ids.has(id);
  if (content.kind === 'sessionStart') {
    const unfinished = content.unfinished.filter(({ candidate }) => isKept(candidate));
    const learnings = content.learnings.filter(({ candidate }) => isKept(candidate));
    return unfinished.length + learnings.length === 0
      ? null
      : { ...content, unfinished, learnings };
  }
  const memories = (content.memories as Shown[]).filter(isKept);
  return memories.length === 0 ? null : ({ ...content, memories } as OfferContent);
}
