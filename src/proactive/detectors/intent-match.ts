/**
 * Something is said or wanted: what was done when the same was before (seed `rum-triggers.md`, 2). The
 * gate says how likely it is that it helps.
 */
import type { WorkMemoryData } from '../../memory/index.js';
import type { Reader, StoredRecord } from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import { pathsIn } from '../../shared/path-mentions.js';
import type { Moment } from '../gate/features.js';
import { patternIn } from '../gate/pattern.js';
import { rarityIn, WEIGHTS } from '../gate/weights.js';
import type { Candidate, Detector, IntentStated, Suppressed } from '../types.js';
import {
  actingIn,
  candidateOf,
  disabled,
  elsewhere,
  isOwn,
  nothing,
  notifying,
  rowsOf,
  suppressedBy,
} from './candidates.js';
import { barIn, type DetectorContext, readerIn } from './context.js';
import { createPropose, type Proposals, type Propose, type Proposed } from './proposals.js';

const KIND = 'intentMatch';
/** Successors read. */
const JUDGED = 12;
/** Of the best: what is clearly less likely to help is left out. */
const SHARE = 0.75;
/** Added at most for being new: it decides between equals only. */
const RECENT = 0.03;
const RECENT_MS = 30 * DAY_MS;
/** Vetoed ones named among the suppressed. */
const NAMED = 3;

export function createIntentMatch(
  context: DetectorContext,
  propose: Propose = createPropose(context),
): Detector<IntentStated> {
  const suppress = suppressedBy(context, KIND);
  return {
    name: KIND,
    async evaluate(stated) {
      const config = context.config().intentMatch;
      const subject = stated.intent.trim();
      if (!config.enabled) return disabled(context, KIND, subject);
      const reader = readerIn(context, stated);
      if (reader === null) return elsewhere(context, KIND, subject, stated.projectId);
      const cue = { kind: KIND, subject } as const;
      const moment = momentOf(stated);
      const found = await propose(moment, reader);
      const { proposed, degraded } = found;
      const setting =
        config.similarity_threshold === 'auto'
          ? WEIGHTS.heads.offer.threshold
          : config.similarity_threshold;
      const { least, because } = barIn(context, KIND, setting);
      const likely = proposed.filter(
        ({ near, offer }) =>
          offer >= Math.min(setting, least) && (near.success || config.include_failures),
      );
      const acting = actingIn(context, stated);
      const suppressed: Suppressed[] = likely
        .flatMap(({ row, offer, veto }) => {
          if (veto !== undefined) return [suppress(row.id, `not the same: ${veto}`)];
          return offer < least && because !== null ? [suppress(row.id, because)] : [];
        })
        .slice(0, NAMED);
      const open: Proposed[] = [];
      const taken = membersOf(context, moment, found);
      for (const each of likely) {
        if (each.veto !== undefined || each.offer < least) continue;
        if (isOwn(acting, each.row.data)) {
          suppressed.push(suppress(each.row.id, 'made in this session'));
        } else if (taken.has(each.row.id)) {
          suppressed.push(suppress(each.row.id, 'one of a pattern'));
        } else open.push(each);
      }
      const current = await withSuccessors(context, open, reader, config.include_failures);
      suppressed.push(...current.suppressed);
      const ranked = rank(current.judged, config.recency_boost ? context.clock.now() : null);
      const [first] = ranked;
      if (!first) return nothing(context, cue, ['no similar task'], { suppressed, degraded });
      const kept = ranked
        .filter(({ offer }) => offer >= first.offer * SHARE)
        .slice(0, config.max_results);
      const memories: Candidate[] = [];
      for (const { row, offer, reasons } of kept) {
        memories.push(await candidateOf(context, row, offer, reasons));
      }
      const strength = Math.max(...kept.map(({ offer }) => offer));
      return notifying(
        context,
        { kind: KIND, intent: subject, memories },
        memories,
        { subject, strength, evidence: first.reasons },
        { suppressed, degraded },
      );
    },
  };
}

function momentOf({ moment, intent, files = [] }: IntentStated): Moment {
  if (moment) return moment;
  const text = intent.trim();
  return { kind: 'intent_stated', text, files: [...new Set([...files, ...pathsIn(text)])] };
}

/** Of the pattern that is shown at this moment: the tasks whose slot is another. */
function membersOf(
  context: DetectorContext,
  moment: Moment,
  { proposed, shelf }: Proposals,
): ReadonlySet<Uuid> {
  const { enabled, min_pattern_occurrences, confidence_threshold } =
    context.config().patternRecognition;
  if (!enabled) return new Set();
  const pattern = patternIn(moment.text, proposed, rarityIn(shelf), min_pattern_occurrences);
  const bar = barIn(context, 'patternRecognition', confidence_threshold);
  const isShown = pattern !== null && pattern.confidence >= bar.least;
  return new Set(isShown ? pattern.members.map(({ row }) => row.id) : []);
}

/** What was superseded gives way to what took its place. */
async function withSuccessors(
  context: DetectorContext,
  judged: readonly Proposed[],
  reader: Reader,
  include_failures: boolean,
): Promise<{ judged: Proposed[]; suppressed: Suppressed[] }> {
  if (judged.length === 0) return { judged: [], suppressed: [] };
  const ids = judged.map(({ row }) => row.id);
  const edges = (await context.checks.links(ids)).filter(
    ({ type, target, source }) =>
      type === 'supersedes' && ids.includes(target) && source !== target,
  );
  if (edges.length === 0) return { judged: [...judged], suppressed: [] };
  const sources = await rowsOf(
    context,
    [...new Set(edges.map(({ source }) => source))].slice(0, JUDGED),
    reader,
  );
  const successors = new Map<Uuid, StoredRecord<WorkMemoryData>>();
  for (const { source, target } of edges) {
    const row = sources.find(({ id }) => id === source);
    if (row && (row.data.outcome.success || include_failures)) {
      successors.set(target, row);
    }
  }
  const kept = new Map<Uuid, Proposed>();
  const suppress = suppressedBy(context, KIND);
  const suppressed: Suppressed[] = [];
  for (const each of judged) {
    const successor = successors.get(each.row.id);
    if (!successor) {
      kept.set(each.row.id, each);
      continue;
    }
    const by = context.checks.print(successor.id);
    suppressed.push(suppress(each.row.id, `superseded by ${by}`));
    // One that is itself superseded is not brought back.
    if (kept.has(successor.id) || ids.includes(successor.id)) continue;
    const reasons = [...each.reasons, `supersedes ${context.checks.print(each.row.id)}`];
    kept.set(successor.id, { ...each, row: successor, reasons });
  }
  return { judged: [...kept.values()], suppressed };
}

/** Best first; of equally good ones the newer. @param nowMs `null`: age does not matter */
function rank(judged: readonly Proposed[], nowMs: number | null): Proposed[] {
  const worth = ({ row, offer }: Proposed) => {
    if (nowMs === null) return offer;
    const ageMs = Math.max(0, nowMs - row.createdAtMs);
    return offer + RECENT * 0.5 ** (ageMs / RECENT_MS);
  };
  return [...judged].sort(
    (a, b) =>
      worth(b) - worth(a) ||
      b.row.createdAtMs - a.row.createdAtMs ||
      (a.row.id < b.row.id ? 1 : -1),
  );
}
