/**
 * An action is planned or asked for: has it failed before (seed `rum-triggers.md`, 3)? The gate says how
 * likely; what succeeded since is no reason to warn.
 */
import { DAY_MS } from '../../shared/clock.js';
import { filesIn, momentOf } from '../gate/features.js';
import { WEIGHTS } from '../gate/weights.js';
import type { ActionPlanned, Candidate, Detector } from '../types.js';
import { candidateOf, type DetectorContext, defineDetector, newestFirst } from './detection.js';
import { createPropose, likelyIn, type Propose, type Proposed } from './proposals.js';
import { successSince } from './success-since.js';

const KIND = 'conflictWarning';
/** Failures that are shown, and that are held against what succeeded since. */
const SHOWN = 3;
const HELD = 4;
/** Of the best. */
const SHARE = 0.75;

export function createConflictWarning(
  context: DetectorContext,
  propose: Propose = createPropose(context),
): Detector<ActionPlanned> {
  return defineDetector(
    context,
    KIND,
    ({ action }: ActionPlanned) => action.trim(),
    async ({ moment, filePath }, question) => {
      const { config, subject, reader, suppress } = question;
      const files = filePath === undefined ? filesIn(subject) : [filePath];
      const { proposed, shelf, idle, degraded } = await propose(
        moment ?? momentOf('action_planned', subject, files),
        reader,
      );
      const setting = config.action_similarity_threshold;
      const maxAgeMs = config.max_age_days * DAY_MS;
      const { likely, suppressed } = likelyIn(context, KIND, {
        proposed: proposed.filter(({ near }) => !near.success && near.ageMs <= maxAgeMs),
        setting: setting === 'auto' ? WEIGHTS.heads.warn.threshold : setting,
        by: 'warn',
      });
      const standing: Proposed[] = [];
      for (const failure of newestOfBest(likely).slice(0, HELD)) {
        const since = await successSince(context, shelf, failure.row, reader);
        if (since === null) standing.push(failure);
        else suppressed.push(suppress(failure.row.id, since));
      }
      const shown = standing.slice(0, SHOWN);
      const [first] = shown;
      const more = { suppressed, degraded };
      if (!first) return question.nothing([idle ?? 'nothing like it failed'], more);
      const memories: Candidate[] = [];
      for (const { row, warn, reasons } of shown) {
        memories.push(await candidateOf(context, row, warn, reasons()));
      }
      const strength = Math.max(...shown.map(({ warn }) => warn));
      const content = { kind: KIND, action: subject, memories } as const;
      return question.notifying(content, memories, { strength, evidence: first.reasons() }, more);
    },
  );
}

/** What is nearly as likely as the best, newest first. */
function newestOfBest(failures: readonly Proposed[]): Proposed[] {
  const best = Math.max(0, ...failures.map(({ warn }) => warn));
  return failures
    .filter(({ warn }) => warn >= best * SHARE)
    .sort((a, b) => newestFirst(a.row, b.row));
}
