/** What a message says about offers: which of them, and why. Pure. */
import type { Offer } from '../../proactive/index.js';
import { placeNamed } from './confirm-words.js';

/** Only what is said about offers names them: "fix all tests" acknowledges nothing. */
const ABOUT_OFFERS =
  /\b(?:acknowledg\w*|ack|dismiss\w*|ignore|heeded?|noted|understood|got it|warnings?|offers?|suggestions?|not (?:relevant|helpful|useful|wanted|needed)|irrelevant|useless|unhelpful)\b/i;
const ALL =
  /\b(?:acknowledg\w*|ack|dismiss\w*|ignore|heed|clear|drop)\b[^.!?\n:]{0,40}?\b(?:all|both|everything)\b|\b(?:all|both)\b[^.!?\n:]{0,20}\b(?:warnings|offers|suggestions)\b/i;
const REASON =
  /\b(?:because(?: of)?|since|reason(?:\s+is|\s+was)?\s*:?)\s+(\S[\s\S]*)|:\s+(\S[\s\S]*)/i;
const OFFER_ID =
  /(?<!\w)(?:offer_([0-9a-f-]{8,36})|([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}))(?![0-9a-z])/gi;
const MEMORY_ID = /(?<!\w)mem_([0-9a-f-]{8,36})/gi;

const MAX_REASON = 500;
const MAX_READ = 8_192;
/** "the second", "2": longer texts hold such words for other reasons. */
const MAX_ORDINAL = 24;

export interface OfferWords {
  all: boolean;
  reason: string | undefined;
  /** Hex digits of offers and of memories that are named. */
  offerIds: string[];
  memoryIds: string[];
}

/** Whether a text speaks of offers at all, or names one. */
export function speaksOfOffers(text: string): boolean {
  const read = text.slice(0, MAX_READ);
  return ABOUT_OFFERS.test(read) || /(?<!\w)(?:offer_|mem_)[0-9a-f]{8}/i.test(read);
}

export function offerWords(message: string): OfferWords {
  const text = message.trim().slice(0, MAX_READ);
  const isAbout = ABOUT_OFFERS.test(text);
  // An id in the reason ("see mem_…") is no choice.
  const found = isAbout ? REASON.exec(text) : null;
  const head = found === null ? text : text.slice(0, found.index);
  const reason = cutReason(found?.[1] ?? found?.[2] ?? '');
  return {
    all: ALL.test(head),
    reason: reason === '' ? undefined : reason,
    offerIds: hexOf(head, OFFER_ID),
    memoryIds: hexOf(head, MEMORY_ID),
  };
}

/** No half character at its end, which the database refuses. */
export function cutReason(text: string): string {
  // The name of an action is the planner's word, not a reason.
  if (/^[A-Z][A-Z_]+$/.test(text.trim())) return '';
  return text
    .trim()
    .slice(0, MAX_REASON)
    .replace(/[\ud800-\udbff]$/, '');
}

function hexOf(text: string, pattern: RegExp): string[] {
  const found = [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? '');
  return [...new Set(found.map((id) => id.toLowerCase().replaceAll('-', '')))];
}

export type Choice =
  | { kind: 'these'; offers: Offer[] }
  | { kind: 'none' }
  /** Names what is not open here. */
  | { kind: 'unknown'; id: string }
  | { kind: 'which'; offers: Offer[] };

/** @param open newest first */
export function chosenOffers(open: readonly Offer[], message: string): Choice {
  const { all, offerIds, memoryIds } = offerWords(message);
  if (offerIds.length > 0 || memoryIds.length > 0) {
    const named = open.filter(
      (offer) =>
        offerIds.some((id) => hex(offer.id).startsWith(id)) ||
        memoryIds.some((id) => offer.sources.some((source) => hex(source.id).startsWith(id))),
    );
    if (named.length > 0) return { kind: 'these', offers: named };
    return { kind: 'unknown', id: offerIds[0] ?? `mem_${memoryIds[0]}` };
  }
  const [first] = open;
  if (first === undefined) return { kind: 'none' };
  if (all || open.length === 1) return { kind: 'these', offers: [...open] };
  const place = message.length <= MAX_ORDINAL ? placeNamed(message, open.length) : null;
  const placed = place === null ? undefined : open[place];
  if (placed !== undefined) return { kind: 'these', offers: [placed] };
  const named = open.filter((offer) => isNamed(offer, message));
  // "That offer", said when one warning stands beside what was only mentioned.
  const warnings = open.filter(({ kind }) => kind === 'conflictWarning');
  const isThat = /\b(?:that|this|the) (?:offer|warning|suggestion)\b/i.test(message);
  if (named.length === 0 && isThat && warnings.length === 1) {
    return { kind: 'these', offers: warnings };
  }
  return named.length === 1
    ? { kind: 'these', offers: named }
    : { kind: 'which', offers: named.length > 1 ? named : [...open] };
}

/** What it is about stands in the message; of a path its last part is enough. */
function isNamed({ subject }: Offer, message: string): boolean {
  const said = message.toLowerCase();
  const about = subject.trim().toLowerCase();
  const last = about.includes(' ') ? about : (about.split(/[\\/]/).at(-1) ?? about);
  return last.length >= 3 && said.includes(last);
}

function hex(id: string): string {
  return id.toLowerCase().replaceAll('-', '');
}
