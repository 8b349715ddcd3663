/**
 * An action is planned or asked for: has it failed before (seed `rum-triggers.md`, 3)? The gate says how
 * likely; what succeeded since is no reason to warn.
 */
import { DAY_MS } from '../../shared/clock.js';
import { pathsIn } from '../../shared/path-mentions.js';
import type { Moment } from '../gate/features.js';
import { WEIGHTS } from '../gate/weights.js';
import type { ActionPlanned, Candidate, Detector, Suppressed } from '../types.js';
import {
  candidateOf,
  disabled,
  elsewhere,
  nothing,
  notifying,
  suppressedBy,
} from './candidates.js';
import { barIn, type DetectorContext, readerIn } from './context.js';
import { createPropose, type Propose, type Proposed } from './proposals.js';
import { successSince } from './success-since.js';

const KIND = 'conflictWarning';
/** Failures that are shown, and that are held against what succeeded since. */
const SHOWN = 3;
const HELD = 4;
/** Of the best. */
const SHARE = 0.75;
const NAMED = 3;

export function createConflictWarning(
  context: DetectorContext,
  propose: Propose = createPropose(context),
): Detector<ActionPlanned> {
  const suppress = suppressedBy(context, KIND);
  return {
    name: KIND,
    async evaluate(planned) {
      const config = context.config().conflictWarning;
      const subject = planned.action.trim();
      if (!config.enabled) return disabled(context, KIND, subject);
      const reader = readerIn(context, planned);
      if (reader === null) return elsewhere(context, KIND, subject, planned.projectId);
      const cue = { kind: KIND, subject } as const;
      const { proposed, shelf, degraded } = await propose(momentOf(planned), reader);
      const setting =
        config.action_similarity_threshold === 'auto'
          ? WEIGHTS.heads.warn.threshold
          : config.action_similarity_threshold;
      const { least, because } = barIn(context, KIND, setting);
      const maxAgeMs = config.max_age_days * DAY_MS;
      const likely = proposed.filter(
        ({ near, warn }) =>
          !near.success && near.ageMs <= maxAgeMs && warn >= Math.min(setting, least),
      );
      const suppressed: Suppressed[] = likely
        .flatMap(({ row, warn, veto }) => {
          if (veto !== undefined) return [suppress(row.id, `not the same: ${veto}`)];
          return warn < least && because !== null ? [suppress(row.id, because)] : [];
        })
        .slice(0, NAMED);
      const alike = newestOfBest(
        likely.filter(({ warn, veto }) => warn >= least && veto === undefined),
      );
      const standing: Proposed[] = [];
      for (const failure of alike.slice(0, HELD)) {
        const since = await successSince(context, shelf, failure.row, reader);
        if (since === null) standing.push(failure);
        else suppressed.push(suppress(failure.row.id, since));
      }
      const shown = standing.slice(0, SHOWN);
      const [first] = shown;
      if (!first) {
        return nothing(context, cue, ['nothing like it failed'], { suppressed, degraded });
      }
      const memories: Candidate[] = [];
      for (const { row, warn, reasons } of shown) {
        memories.push(await candidateOf(context, row, warn, reasons));
      }
      const strength = Math.max(...shown.map(({ warn }) => warn));
      return notifying(
        context,
        { kind: KIND, action: subject, memories },
        memories,
        { subject, strength, evidence: first.reasons },
        { suppressed, degraded },
      );
    },
  };
}

function momentOf({ moment, action, filePath }: ActionPlanned): Moment {
  if (moment) return moment;
  const files = filePath === undefined ? pathsIn(action) : [filePath];
  return { kind: 'action_planned', text: action.trim(), files };
}

/** What is nearly as likely as the best, newest first. */
function newestOfBest(failures: readonly Proposed[]): Proposed[] {
  const best = Math.max(0, ...failures.map(({ warn }) => warn));
  return failures
    .filter(({ warn }) => warn >= best * SHARE)
    .sort((a, b) => b.row.createdAtMs - a.row.createdAtMs || (a.row.id < b.row.id ? 1 : -1));
}
