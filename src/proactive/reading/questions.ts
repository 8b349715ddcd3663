/** What a question is about, and whether it can be about work done before. Pure. */
import { reportsProblem } from './problems.js';

/** Begins a question. */
export const ASKS =
  /^(?:what|who|whom|whose|which|where|when|why|how|does|do|is|are|am|did|has|have|had|was|were|can|could|would|should|shall|will|may|might|must|any|anyone|anybody)\b|^(?:what|who|where|how)'s\b/i;
const ASKS_WHY =
  /^(?:why|how come|any ideas? (?:why|what)|what(?:'s| is| could be| might be)? (?:wrong|causing|cause|broke|the (?:cause|reason|problem))|do you know why|what (?:could|might|is) (?:be )?caus)/i;
/** Why somebody did something is a question about the past, not about a fault. */
const ASKS_MOTIVE = /^why (?:did|do|have|had|are|were|would) (?:we|you|they|i|people)\b/i;
/** Asked of what was done or is known here; the theme stands behind. */
const OF_US =
  /^(?:(?:did|do|have|had|has|does|is|are|were) (?:we|you|i|they|anyone|anybody|someone|somebody|one of us)|(?:where|when|how|why|what|which \w+) (?:did|do|have|had) (?:we|you|they|i|someone|somebody)|(?:is|are|was|were) there|what (?:happened|was done|came) (?:to|with|of|about)|what (?:should|can|could|do|did) (?:we|i) (?:do|know|learn|try|decide) (?:about|with|against|for|on|from)|who (?:did|made|fixed|built|wrote|changed|knows|worked on|was working on|handles|handled|owns)|(?:any|some) (?:news|progress|update|updates|experience|notes?|learnings?|ideas?|thoughts|advice|suggestions?|tips?) (?:on|about|for|with|how to|regarding)|wasn't there|didn't (?:we|you|i|someone)|haven't (?:we|you)|remember (?:when|how|that|the)|do you (?:remember|recall))(?: (?:ever|already|also|have|had|find out|know|any(?:thing)?|once|know about|about|got|get|a way|already have|again|tried to|try to|say|decide|decided|been|before|how to|what|why|how))* /i;
/** Asked of a fact of the world or of the code. */
const KNOWLEDGE =
  /^(?:what (?:is|are|does|do|was|were)|what's|who (?:is|are|was)|who's|which|where (?:is|are|does|do)|when (?:is|are|does|do|will)|how (?:does|do|is|are|many|much|long|often|old|far|big)|is|are|am|was|were|does|do|has|have|will|can you|could you|would you)\b/i;
const PROPOSES = /^(?:what|how) about (?=\S)/i;
const MODAL =
  /^(?:would|could|should|can|shall|may|might|must|will) (?!you\b|i\b|we\b|it\b|that\b|this\b)(?=\S+ \S)/i;
const NEEDED = /\b(?:should|shall|could|can|must) (?:we|i)\b/i;

export type Asked =
  /** For the cause of something that is not as it should be. */
  | { kind: 'problem'; text: string }
  /** Whether something is to be done or to be so. */
  | { kind: 'open'; text: string }
  /** For what was done or is known. */
  | { kind: 'past'; text: string };

/** Of a question that requests nothing. `null`: it wants to know something that no work tells. */
export function askedIn(text: string): Asked | null {
  if (ASKS_WHY.test(text) && !ASKS_MOTIVE.test(text)) {
    const wrong = reportsProblem(text, true) || /\bwrong with\b/i.test(text);
    return { kind: wrong ? 'problem' : 'past', text };
  }
  const proposed = text.replace(PROPOSES, '');
  if (proposed !== text) return { kind: 'open', text: proposed };
  const ours = OF_US.exec(text);
  if (ours) return { kind: 'past', text: text.slice(ours[0].length) };
  if (ASKS_MOTIVE.test(text)) return { kind: 'past', text };
  const modal = MODAL.exec(text);
  // "Can customers …" asks how things are, "would a full vacuum help" whether to do it.
  if (modal) {
    const kind = /^(?:can|may|will)\b/i.test(text) ? 'past' : 'open';
    return { kind, text: text.slice(modal[0].length) };
  }
  if (NEEDED.test(text)) return { kind: 'open', text };
  if (KNOWLEDGE.test(text) || ASKS.test(text)) return null;
  return { kind: 'open', text };
}
