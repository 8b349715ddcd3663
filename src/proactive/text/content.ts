/** Offer contents with fewer memories. Pure. */
import type { Uuid } from '../../shared/ids.js';
import type { OfferContent, Shown } from '../types.js';

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
