/**
 * Something is said or wanted: what was done when the same was before (seed `rum-triggers.md`, 2). The
 * gate says how likely it is that it helps.
 */
import type { Reader } from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import { filesIn, type Moment, momentOf } from '../gate/features.js';
import { patternIn } from '../gate/pattern.js';
import { rarityIn, WEIGHTS } from '../gate/weights.js';
import type { Candidate, Detector, IntentStated, Suppressed } from '../types.js';
import {
  actingIn,
  barIn,
  candidateOf,
  type DetectorContext,
  defineDetector,
  isOwn,
  newestFirst,
  successorsOf,
  suppressedBy,
} from './detection.js';
import {
  createPropose,
  likelyIn,
  type Proposals,
  type Propose,
  type Proposed,
} from './proposals.js';

const KIND = 'intentMatch';
/** Of the best: what is clearly less likely to help is left out. */
const SHARE = 0.75;
/** Added at most for being new: it decides between equals only. */
const RECENT = 0.03;
const RECENT_MS = 30 * DAY_MS;

export function createIntentMatch(
  context: DetectorContext,
  propose: Propose = createPropose(context),
): Detector<IntentStated> {
  return defineDetector(
    context,
    KIND,
    ({ intent }: IntentStated) => intent.trim(),
    async (stated, question) => {
      const { config, subject, reader, suppress } = question;
      const moment =
        stated.moment ?? momentOf('intent_stated', subject, filesIn(subject, stated.files));
      const found = await propose(moment, reader);
      const setting = config.similarity_threshold;
      const { likely, suppressed } = likelyIn(context, KIND, {
        proposed: found.proposed.filter(({ near }) => near.success || config.include_failures),
        setting: setting === 'auto' ? WEIGHTS.heads.offer.threshold : setting,
        by: 'offer',
      });
      const acting = actingIn(context, stated);
      const taken = membersOf(context, moment, found);
      const open = likely.filter(({ row }) => {
        const own = isOwn(acting, row.data) && 'made in this session';
        const reason = own || (taken.has(row.id) && 'one of a pattern');
        if (reason) suppressed.push(suppress(row.id, reason));
        return !reason;
      });
      const current = await withSuccessors(context, open, reader, config.include_failures);
      suppressed.push(...current.suppressed);
      const more = { suppressed, degraded: found.degraded };
      const ranked = rank(current.judged, config.recency_boost ? context.clock.now() : null);
      const [first] = ranked;
      if (!first) return question.nothing([found.idle ?? 'no similar task'], more);
      const kept = ranked
        .filter(({ offer }) => offer >= first.offer * SHARE)
        .slice(0, config.max_results);
      const memories: Candidate[] = [];
      for (const { row, offer, reasons } of kept) {
        memories.push(await candidateOf(context, row, offer, reasons()));
      }
      const strength = Math.max(...kept.map(({ offer }) => offer));
      const content = { kind: KIND, intent: subject, memories } as const;
      return question.notifying(content, memories, { strength, evidence: first.reasons() }, more);
    },
  );
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
  const { print } = context.checks;
  const ids = judged.map(({ row }) => row.id);
  const successors = await successorsOf(
    context,
    ids,
    reader,
    ({ data }) => data.outcome.success || include_failures,
  );
  const kept = new Map<Uuid, Proposed>();
  const suppress = suppressedBy(context, KIND);
  const suppressed: Suppressed[] = [];
  for (const each of judged) {
    const { id } = each.row;
    const successor = successors.get(id);
    if (!successor) {
      kept.set(id, each);
      continue;
    }
    suppressed.push(suppress(id, `superseded by ${print(successor.id)}`));
    // One that is itself superseded is not brought back.
    if (kept.has(successor.id) || ids.includes(successor.id)) continue;
    const reasons = () => [...each.reasons(), `supersedes ${print(id)}`];
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
  return [...judged].sort((a, b) => worth(b) - worth(a) || newestFirst(a.row, b.row));
}
