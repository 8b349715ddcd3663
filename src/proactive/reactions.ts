/**
 * From what happened to offers: detectors side by side, one list of what they found, what may be said
 * now, and its text. From the detectors' last answer to the notes of the cooldown nothing waits, so
 * two happenings at one time cannot both say the same.
 */
import { type MemoryChecks, narrowestScope, readerOf, scopeOf } from '../memory/index.js';
import type { Reader, Scope } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Ids, Uuid } from '../shared/ids.js';
import { aggregate, type Finding, type Said } from './aggregator.js';
import type { ProactiveConfig } from './config.js';
import type { Cooldown } from './cooldown.js';
import type { Decisions } from './decisions.js';
import { callerOf } from './detectors/context.js';
import type { Feedback } from './feedback.js';
import { isSameIdentity, placeKey } from './occasions.js';
import type { HappeningSummary, OfferSource } from './offer-types.js';
import type { LearnedStore } from './offers/learned-store.js';
import type { NewOffer, OfferBook } from './offers/offer-book-types.js';
import { isStandingWarning, OFFER_LIFE_MS } from './offers/offer-life.js';
import type { StoredOffer } from './offers/offer-record.js';
import type { DetectorCall, DetectorRunner } from './run-detectors.js';
import { compose } from './text/composer.js';
import { candidatesIn, quotedIn, withoutMemories } from './text/content.js';
import type {
  DetectorName,
  Occasion,
  OfferContent,
  OfferTarget,
  Shown,
  Suppressed,
} from './types.js';

export interface ReactorDeps {
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
  decisions: Decisions;
}

export interface Outcome {
  /** New ones, most urgent first. */
  offers: StoredOffer[];
  /** Offers that are open already and say what would be said again. */
  standing: StoredOffer[];
  suppressed: Suppressed[];
  degraded: string[];
  /** Detectors that gave no answer. */
  failed: DetectorName[];
}

export interface Reactor {
  /** Never rejects for what a detector does. */
  react(
    calls: readonly DetectorCall[],
    occasion: Occasion,
    happening: HappeningSummary,
  ): Promise<Outcome>;
}

const MOST_FILES = 10;

export function createReactor(deps: ReactorDeps): Reactor {
  const { checks, clock, ids, book, cooldown, feedback, learned } = deps;

  /**
   * Offers of this very place that say something already: warnings that stand, also those of other
   * sessions of the identity, and what waits to be shown. What the reader may not see does not exist
   * for them.
   */
  function openIn(target: OfferTarget, reader: Reader) {
    const place = placeKey(target);
    const found = new Map<string, StoredOffer>();
    for (const offer of book.open({}, reader)) {
      const { data } = offer;
      const stands = isStandingWarning(data);
      const isHere = placeKey(data.target) === place;
      if (!isHere && !(stands && isSameIdentity(data.target, target))) continue;
      if (!stands && data.state !== 'pending') continue;
      for (const { id } of data.sources) found.set(`${data.kind} ${id}`, offer);
    }
    return (kind: DetectorName, id: Uuid) => found.get(`${kind} ${id}`);
  }

  return {
    async react(calls, occasion, happening) {
      const { target } = happening;
      const runs = await deps.runner.run(calls);
      const nowMs = clock.now();
      const caller = callerOf(occasion);
      const reader = readerOf(caller);
      const scope = scopeOf(caller, { projectId: checks.projectId, agentId: checks.agentId });
      const { require_acknowledgment } = deps.config().conflictWarning;
      const openOf = openIn(target, reader);
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
        cooldown.note({
          kind: data.kind,
          subject: data.subject,
          sourceIds: data.sources.flatMap(({ id, quoted }) => (quoted === true ? [] : [id])),
          target,
          groupId,
          atMs: nowMs,
        });
      }
      deps.decisions.note(
        {
          atMs: nowMs,
          happening,
          detectors: runs.map(({ report }) => report),
          offerIds: offers.map(({ id }) => id),
          suppressed,
        },
        {
          memoryIds: runs.flatMap(({ detection }) =>
            detection?.content ? candidatesIn(detection.content).map(({ id }) => id) : [],
          ),
          speakerId: occasion.speakerId,
        },
      );
      return {
        offers,
        standing: [...standing],
        suppressed,
        degraded: degradedOf(),
        failed: runs.flatMap(({ detector, detection }) => (detection === null ? [detector] : [])),
      };

      function admit(finding: Finding): Said | null {
        const { name: kind, cue } = finding;
        const candidates = candidatesIn(finding.content);
        const repeated = candidates.flatMap(({ id, memoryId }) => {
          const offer = openOf(kind, id);
          if (!offer) return [];
          standing.add(offer);
          const reason = offer.data.state === 'pending' ? 'waits to be shown' : 'stands already';
          held.push({ memoryId, detector: kind, reason });
          return [id];
        });
        const fresh = candidates.filter(({ id }) => !repeated.includes(id));
        const answer = cooldown.allows({
          kind,
          subject: cue.subject,
          sources: fresh,
          target,
          groupId,
          nowMs,
          feedback,
          intervalMs: learned.intervalMs(kind),
          standing: require_acknowledgment,
          answeredRevision: (id) => book.answeredRevision(id, target, scope),
        });
        held.push(...answer.suppressed);
        const saidAlready = { finding, memories: repeated.map((id) => ({ id })) };
        const nothingNew = repeated.length > 0 ? saidAlready : null;
        if (answer.blocked !== null || (candidates.length > 0 && answer.allowed.length === 0)) {
          return nothingNew;
        }
        const allowed = new Set(answer.allowed);
        const content = without(finding.content, candidates, allowed);
        if (content === null) return nothingNew;
        const { text, tokens, shown } = compose(content, { nowMs, prefix: deps.prefix });
        if (tokens === 0) return nothingNew;
        const told = candidatesIn(content).filter(({ id }) => shown.includes(id));
        const quoted = quotedBeside(content, shown);
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
              suppressed: finding.suppressed,
              ...(changed.length === 0 ? {} : { feedback: changed.join('; ') }),
              ...(finding.degraded === undefined ? {} : { degraded: finding.degraded }),
            },
            ...(occasion.speakerId === undefined ? {} : { speakerId: occasion.speakerId }),
            createdAtMs: nowMs,
            expiresAtMs: nowMs + OFFER_LIFE_MS,
          },
        });
        return {
          finding: { ...finding, content },
          memories: [...told, ...saidAlready.memories],
        };
      }

      function degradedOf(): string[] {
        const reasons = runs.flatMap(({ detector, detection, report }) => [
          ...(report.error === undefined ? [] : [`${detector}: ${report.error}`]),
          ...(detection?.degraded === undefined ? [] : [detection.degraded]),
        ]);
        return [...new Set(reasons)];
      }
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

function without(
  content: OfferContent,
  candidates: readonly Shown[],
  allowed: ReadonlySet<Uuid>,
): OfferContent | null {
  const others = candidates.filter(({ id }) => !allowed.has(id));
  return others.length === 0
    ? content
    : withoutMemories(content, new Set(others.map(({ id }) => id)));
}

/** What the lines that are shown quote of memories that have no line. */
function quotedBeside(content: OfferContent, shown: readonly Uuid[]): Shown[] {
  const unseen = candidatesIn(content).filter(({ id }) => !shown.includes(id));
  const text = withoutMemories(content, new Set(unseen.map(({ id }) => id)));
  return text === null ? [] : quotedIn(text).filter(({ id }) => !shown.includes(id));
}

function sourceOf(shown: Shown): OfferSource {
  const { id, memoryId, revision, score, reasons } = shown;
  const files = shown.files.slice(0, MOST_FILES);
  return { id, memoryId, revision, score, reasons, ...(files.length === 0 ? {} : { files }) };
}
