/**
 * From what happened to offers: detectors side by side, one list of what they found, what may be said
 * now, and its text. From the detectors' last answer to the notes of the cooldown nothing waits, so
 * two happenings at one time cannot both say the same.
 */
import { type MemoryChecks, scopeOf } from '../memory/index.js';
import type { Clock } from '../shared/clock.js';
import type { Ids, Uuid } from '../shared/ids.js';
import { aggregate, type Finding } from './aggregator.js';
import { compose } from './composer.js';
import type { ProactiveConfig } from './config.js';
import { candidatesIn, withoutMemories } from './content.js';
import type { Cooldown } from './cooldown.js';
import type { Decisions } from './decisions.js';
import { callerOf } from './detectors/context.js';
import type { Feedback } from './feedback.js';
import type { NewOffer, OfferBook } from './offer-book-types.js';
import { isStandingWarning, OFFER_LIFE_MS } from './offer-life.js';
import type { StoredOffer } from './offer-record.js';
import type { HappeningSummary, OfferSource } from './offer-types.js';
import type { DetectorCall, DetectorRunner } from './run-detectors.js';
import type { Candidate, Occasion, OfferTarget, Suppressed } from './types.js';

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
  decisions: Decisions;
}

export interface Outcome {
  /** New ones, most urgent first. */
  offers: StoredOffer[];
  /** Warnings that stand already and say what would be said again. */
  standing: StoredOffer[];
  suppressed: Suppressed[];
  degraded: string[];
}

export interface Reactor {
  /** Never rejects for what a detector does. */
  react(
    calls: readonly DetectorCall[],
    occasion: Occasion,
    happening: HappeningSummary,
  ): Promise<Outcome>;
}

export function createReactor(deps: ReactorDeps): Reactor {
  const { checks, clock, ids, book, cooldown, feedback } = deps;

  /** The warnings of this place that stand, by memory. */
  function standingOf(target: OfferTarget): Map<Uuid, StoredOffer> {
    const found = new Map<Uuid, StoredOffer>();
    for (const offer of book.open(placeOf(target))) {
      if (!isStandingWarning(offer.data)) continue;
      for (const { id } of offer.data.sources) found.set(id, offer);
    }
    return found;
  }

  return {
    async react(calls, occasion, happening) {
      const { target } = happening;
      const runs = await deps.runner.run(calls);
      const nowMs = clock.now();
      const found = aggregate(runs.flatMap(({ detection }) => detection ?? []));
      const suppressed = [...found.suppressed];
      const standing = new Set<StoredOffer>();
      const groupId = ids.next();
      const made: NewOffer[] = [];
      const scope = scopeOf(callerOf(occasion), {
        projectId: checks.projectId,
        agentId: checks.agentId,
      });
      const standingBySource = standingOf(target);
      for (const finding of found.detections) {
        const offer = offerOf(finding);
        if (offer) made.push({ scope, data: offer });
      }
      const offers = book.add(made);
      for (const { data } of offers) {
        cooldown.note({
          kind: data.kind,
          subject: data.subject,
          sourceIds: data.sources.map(({ id }) => id),
          target,
          groupId,
          atMs: nowMs,
        });
      }
      deps.decisions.note({
        atMs: nowMs,
        happening,
        detectors: runs.map(({ report }) => report),
        offerIds: offers.map(({ id }) => id),
        suppressed,
      });
      return { offers, standing: [...standing], suppressed, degraded: degradedOf() };

      function offerOf(finding: Finding): NewOffer['data'] | null {
        const { name: kind, cue } = finding;
        const candidates = candidatesIn(finding.content);
        const allowed = allowedOf(finding, candidates);
        if (allowed === null) return null;
        const others = candidates.filter(({ id }) => !allowed.has(id));
        const content =
          others.length === 0
            ? finding.content
            : withoutMemories(finding.content, new Set(others.map(({ id }) => id)));
        if (content === null) return null;
        const { text, tokens, shown } = compose(content, { nowMs, prefix: deps.prefix });
        if (tokens === 0) return null;
        const sources = candidatesIn(content).flatMap((candidate) =>
          shown.includes(candidate.id) ? [sourceOf(candidate)] : [],
        );
        const told = feedback.sentence(kind, sources, nowMs);
        return {
          kind,
          subject: cue.subject,
          text,
          tokens,
          sources,
          target,
          groupId,
          requiresAcknowledgment:
            kind === 'conflictWarning' && deps.config().conflictWarning.require_acknowledgment,
          why: {
            detector: kind,
            strength: cue.strength,
            evidence: cue.evidence,
            suppressed: suppressed.filter(({ detector }) => detector === kind),
            ...(told === undefined ? {} : { feedback: told }),
            ...(finding.degraded === undefined ? {} : { degraded: finding.degraded }),
          },
          createdAtMs: nowMs,
          expiresAtMs: nowMs + OFFER_LIFE_MS,
        };
      }

      /** `null`: nothing of the kind may be said now, whatever it is about. */
      function allowedOf({ name: kind, cue }: Finding, candidates: Candidate[]): Set<Uuid> | null {
        const warnedOf = (candidate: Candidate) =>
          kind === 'conflictWarning' ? standingBySource.get(candidate.id) : undefined;
        const fresh = candidates.filter((candidate) => {
          const stands = warnedOf(candidate);
          if (stands) standing.add(stands);
          return stands === undefined;
        });
        const answer = cooldown.allows({
          kind,
          subject: cue.subject,
          sources: fresh,
          target,
          groupId,
          nowMs,
          feedback,
          answeredRevision: (id) => book.answeredRevision(id, target),
        });
        suppressed.push(...answer.suppressed);
        return answer.blocked === null ? new Set(answer.allowed) : null;
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

/** Where a warning stands: the narrowest that the target names. */
function placeOf({ roomId, sessionId, agentId }: OfferTarget): OfferTarget {
  if (roomId !== undefined) return { roomId };
  return sessionId === undefined ? { agentId } : { sessionId };
}

function sourceOf(candidate: Candidate): OfferSource {
  const { id, memoryId, revision, score, reasons } = candidate;
  return { id, memoryId, revision, score, reasons };
}
