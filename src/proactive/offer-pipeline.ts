/**
 * From what happened to offers: detectors side by side, one list of what they found (most urgent first,
 * each memory said once), what may be said now, and its text. From the detectors' last answer to the
 * notes of the cooldown nothing waits, so two events at one time cannot both say the same.
 */
import { type MemoryChecks, narrowestScope, readerOf, scopeOf } from '../memory/index.js';
import type { Reader, Scope } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Ids, Uuid } from '../shared/ids.js';
import type { ProactiveConfig } from './config.js';
import type { Cooldown } from './cooldown.js';
import type { DetectorCall, DetectorReport, DetectorRunner } from './detector-runner.js';
import { callerOf } from './detectors/detection.js';
import { isSameIdentity, targetKey } from './event-context.js';
import type { Feedback, LearnedStore } from './learning.js';
import {
  isStandingWarning,
  OFFER_LIFE_MS,
  type Offer,
  type OfferSource,
  type StoredOffer,
  toldIn,
} from './offers/offer.js';
import type { NewOffer, OfferBook } from './offers/offer-book.js';
import { urgency } from './text/block.js';
import { candidatesIn, compose, quotedIn, withoutMemories } from './text/composer.js';
import type {
  Detection,
  DetectorName,
  EventContext,
  EventSummary,
  OfferContent,
  OfferTarget,
  Shown,
  Suppressed,
} from './types.js';

/** What came of an event. */
export interface Reaction {
  /** New offers, most urgent first; also those that stand already and answer this event. */
  offers: Offer[];
  /** The first of them that warns, also one that was raised before and is not acknowledged. */
  warning: Offer | null;
  /** All of it as one text of at most 200 tokens (warnings are never cut); '' when empty. */
  text: string;
  tokens: number;
  suppressed: Suppressed[];
  /** Detectors that failed, hung, or answered from less than everything. */
  degraded: string[];
}

/** An event, what was made of it, and why nothing came: for the operator. */
export interface Decision {
  atMs: number;
  happening: EventSummary;
  detectors: DetectorReport[];
  offerIds: Uuid[];
  suppressed: Suppressed[];
}

export interface Outcome extends Pick<Reaction, 'suppressed' | 'degraded'> {
  /** New ones, most urgent first. */
  offers: StoredOffer[];
  /** Offers that are open already and say what would be said again. */
  standing: StoredOffer[];
  /** Detectors that gave no answer. */
  failed: DetectorName[];
}

/** A detection that has something to say. */
interface Finding extends Detection {
  content: OfferContent;
}

/** How a kind is called where a memory is said already. */
const SAID_IN: Readonly<Record<DetectorName, string>> = {
  conflictWarning: 'the warning',
  fileTouch: 'the offer about a file',
  intentMatch: 'the offer of a similar task',
  hintMatch: 'the hint',
  whenMatch: 'the /when entry',
  patternRecognition: 'the offer of a pattern',
  sessionStart: 'the context of the session',
};

type Said = readonly Pick<Shown, 'id'>[];

/**
 * What several detectors found, in the order of `DETECTOR_NAMES`, then of strength, then as they came.
 * @param admit which memories of a finding are said now; `null`: nothing of it. Only what is really said
 * takes a memory from what is less urgent
 * @returns what is said, and all that is not, also of detections which nothing is left of
 */
export function aggregate(
  detections: readonly Detection[],
  admit: (finding: Finding, wouldSay: readonly Shown[]) => Said | null = (_, memories) => memories,
): { findings: Finding[]; suppressed: Suppressed[] } {
  const suppressed = detections.flatMap((detection) => detection.suppressed);
  const saidIn = new Map<Uuid, DetectorName>();
  const findings: Finding[] = [];
  for (const found of mostUrgentFirst(detections)) {
    const { kind } = found.content;
    const repeated = candidatesIn(found.content).filter(({ id }) => saidIn.has(id));
    const lost = repeated.map(
      ({ id, memoryId }): Suppressed => ({
        memoryId,
        detector: kind,
        reason: `already in ${SAID_IN[saidIn.get(id) ?? kind]}`,
      }),
    );
    suppressed.push(...lost);
    const content = withoutMemories(found.content, new Set(repeated.map(({ id }) => id)));
    if (content === null) continue;
    const finding = { ...found, content, suppressed: [...found.suppressed, ...lost] };
    // Where some were taken out, others may move up into the text.
    const said = admit(finding, repeated.length === 0 ? found.memories : candidatesIn(content));
    if (said === null) continue;
    for (const { id } of said) saidIn.set(id, kind);
    findings.push(finding);
  }
  return { findings, suppressed };
}

function mostUrgentFirst(detections: readonly Detection[]): Finding[] {
  return detections
    .flatMap((detection) => {
      const { shouldNotify, content } = detection;
      return shouldNotify && content !== null ? [{ ...detection, content }] : [];
    })
    .sort(
      (a, b) =>
        urgency(a.content.kind) - urgency(b.content.kind) || b.cue.strength - a.cue.strength,
    );
}

/** Decisions that are kept for the operator. */
const MOST_DECISIONS = 200;
const MOST_FILES = 10;

export function createOfferPipeline(deps: {
  checks: MemoryChecks;
  clock: Clock;
  ids: Ids;
  config: () => ProactiveConfig;
  prefix: string;
  runner: DetectorRunner;
  book: OfferBook;
  cooldown: Cooldown;
  feedback: Feedback;
  learned: Pick<LearnedStore, 'intervalMs' | 'because'>;
}) {
  const { checks, clock, ids, book, cooldown, feedback, learned } = deps;
  /** With what a decision tells of, so that it can be forgotten with it. */
  let decided: { decision: Decision; memoryIds: Uuid[]; speakerId: Uuid | undefined }[] = [];

  /**
   * Offers for this very target that say something already: warnings that stand, also those of other
   * sessions of the identity, and what waits to be shown. What the reader may not see does not exist
   * for them.
   */
  function openFor(target: OfferTarget, reader: Reader) {
    const key = targetKey(target);
    const found = new Map<string, StoredOffer>();
    for (const offer of book.open({}, reader)) {
      const { data } = offer;
      const stands = isStandingWarning(data);
      const isHere = targetKey(data.target) === key;
      if (!isHere && !(stands && isSameIdentity(data.target, target))) continue;
      if (!stands && data.state !== 'pending') continue;
      for (const { id } of data.sources) found.set(`${data.kind} ${id}`, offer);
    }
    return (kind: DetectorName, id: Uuid) => found.get(`${kind} ${id}`);
  }

  return {
    /** Never rejects for what a detector does. */
    async react(
      calls: readonly DetectorCall[],
      eventContext: EventContext,
      event: EventSummary,
    ): Promise<Outcome> {
      const { target } = event;
      const { speakerId } = eventContext;
      const runs = await deps.runner.run(calls);
      const nowMs = clock.now();
      const caller = callerOf(eventContext);
      const scope = scopeOf(caller, { projectId: checks.projectId, agentId: checks.agentId });
      const { require_acknowledgment } = deps.config().conflictWarning;
      const openOf = openFor(target, readerOf(caller));
      const standing = new Set<StoredOffer>();
      const made: NewOffer[] = [];
      const held: Suppressed[] = [];
      const groupId = ids.next();

      const found = aggregate(
        runs.flatMap(({ detection }) => detection ?? []),
        admit,
      );
      const suppressed = [...found.suppressed, ...held];
      const offers = book.add(made.map((offer) => withSuppressed(offer, suppressed)));
      for (const { data } of offers) {
        const { kind, subject } = data;
        cooldown.note({ kind, subject, sourceIds: toldIn(data), target, groupId, atMs: nowMs });
      }
      const decision: Decision = {
        atMs: nowMs,
        happening: event,
        detectors: runs.map(({ report }) => report),
        offerIds: offers.map(({ id }) => id),
        suppressed,
      };
      const memoryIds = runs.flatMap(({ detection }) =>
        detection?.content ? candidatesIn(detection.content).map(({ id }) => id) : [],
      );
      decided = [...decided, { decision, memoryIds, speakerId }].slice(-MOST_DECISIONS);
      const degraded = runs.flatMap(({ detector, detection, report }) => [
        ...(report.error === undefined ? [] : [`${detector}: ${report.error}`]),
        ...(detection?.degraded === undefined ? [] : [detection.degraded]),
      ]);
      return {
        offers,
        standing: [...standing],
        suppressed,
        degraded: [...new Set(degraded)],
        failed: runs.flatMap(({ detector, detection }) => (detection === null ? [detector] : [])),
      };

      /** Makes the offer of a finding, if it may be said now. */
      function admit({ content: whole, cue, degraded: worse, suppressed: left }: Finding) {
        const { kind } = whole;
        const candidates = candidatesIn(whole);
        const repeated = candidates.filter(({ id, memoryId }) => {
          const offer = openOf(kind, id);
          if (!offer) return false;
          standing.add(offer);
          const reason = offer.data.state === 'pending' ? 'waits to be shown' : 'stands already';
          held.push({ memoryId, detector: kind, reason });
          return true;
        });
        const answer = cooldown.allows({
          kind,
          subject: cue.subject,
          sources: candidates.filter((candidate) => !repeated.includes(candidate)),
          target,
          groupId,
          nowMs,
          feedback,
          intervalMs: learned.intervalMs(kind),
          standing: require_acknowledgment,
          answeredRevision: (id) => book.answeredRevision(id, target, scope),
        });
        held.push(...answer.suppressed);
        const nothingNew = repeated.length > 0 ? repeated : null;
        if (answer.blocked !== null || (candidates.length > 0 && answer.allowed.length === 0)) {
          return nothingNew;
        }
        const content = without(whole, ({ id }) => !answer.allowed.includes(id));
        if (content === null) return nothingNew;
        const { text, tokens, shown } = compose(content, { nowMs, prefix: deps.prefix });
        if (tokens === 0) return nothingNew;
        const isUnseen = ({ id }: Shown) => !shown.includes(id);
        const told = candidatesIn(content).filter((one) => !isUnseen(one));
        // What the lines that are shown quote of memories that have no line.
        const seen = without(content, isUnseen);
        const quoted = seen === null ? [] : quotedIn(seen).filter(isUnseen);
        const because = learned.because(kind);
        const changed = [
          because === null ? '' : `${kind} is ${because}`,
          feedback.sentence(kind, told, nowMs) ?? '',
        ].filter((said) => said !== '');
        made.push({
          scope: scopeFor([...told, ...quoted], scope),
          data: {
            kind,
            subject: cue.subject,
            text,
            tokens,
            sources: [
              ...told.map(sourceOf),
              ...quoted.map((candidate) => ({ ...sourceOf(candidate), quoted: true })),
            ],
            target,
            groupId,
            requiresAcknowledgment: kind === 'conflictWarning' && require_acknowledgment,
            why: {
              detector: kind,
              strength: cue.strength,
              evidence: cue.evidence,
              suppressed: left,
              ...(changed.length === 0 ? {} : { feedback: changed.join('; ') }),
              ...(worse === undefined ? {} : { degraded: worse }),
            },
            ...(speakerId === undefined ? {} : { speakerId }),
            createdAtMs: nowMs,
            expiresAtMs: nowMs + OFFER_LIFE_MS,
          },
        });
        return [...told, ...repeated];
      }
    },

    /** Newest first, at most 200: also events that led to nothing. */
    decisions: (limit = MOST_DECISIONS): Decision[] =>
      decided
        .map(({ decision }) => decision)
        .reverse()
        .slice(0, Math.max(0, limit)),

    /** Removes the decisions that tell of these memories, or were made of this person's words. */
    forgetDecisions(memoryIds: readonly Uuid[], speakerId?: Uuid): void {
      const gone = new Set(memoryIds);
      decided = decided.filter(
        (one) =>
          !one.memoryIds.some((id) => gone.has(id)) &&
          (speakerId === undefined || one.speakerId !== speakerId),
      );
    },
  };
}

/** All that was left out of its kind: more may have been held back after it was made. */
function withSuppressed(offer: NewOffer, suppressed: readonly Suppressed[]): NewOffer {
  const { data } = offer;
  const mine = suppressed.filter(({ detector }) => detector === data.kind);
  return { ...offer, data: { ...data, why: { ...data.why, suppressed: mine } } };
}

/**
 * Never more open than the most private source. What was made for one person alone is theirs: they
 * could read every source.
 */
function scopeFor(sources: readonly Shown[], made: Scope): Scope {
  if (made.visibility === 'user') return made;
  return narrowestScope(
    sources.map(({ scope }) => scope),
    made,
  );
}

/** `null`: nothing worth saying is left. */
function without(content: OfferContent, isLeftOut: (one: Shown) => boolean): OfferContent | null {
  const others = candidatesIn(content).filter(isLeftOut);
  return withoutMemories(content, new Set(others.map(({ id }) => id)));
}

function sourceOf(shown: Shown): OfferSource {
  const { id, memoryId, revision, score, reasons } = shown;
  const files = shown.files.slice(0, MOST_FILES);
  return { id, memoryId, revision, score, reasons, ...(files.length === 0 ? {} : { files }) };
}
