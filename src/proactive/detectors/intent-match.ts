/**
 * An intent is stated: what was done when the same was wanted before (seed `rum-triggers.md`, 2).
 */
import { vetoOf } from '../../embeddings/index.js';
import { FLAGS, type WorkMemoryData } from '../../memory/index.js';
import type { Reader, StoredRecord } from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import { pathKeys } from '../../shared/paths.js';
import { ALIKE, intentOf, type Likeness, likeness, type Task } from '../matching/index.js';
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
} from './candidates.js';
import { type DetectorContext, readerIn } from './context.js';
import { type NearMemories, nearMemories } from './near-memories.js';

const KIND = 'intentMatch';
/** Rows read. */
const JUDGED = 12;
/** Of the best score: what is clearly less alike is left out. */
const SHARE = 0.82;
/** Added for a file in common, and at most for being new: it decides between equals only. */
const FILE = 0.06;
const RECENT = 0.03;
const RECENT_MS = 30 * DAY_MS;
/** Vetoed ones named among the suppressed. */
const NAMED = 3;

interface Judged {
  row: StoredRecord<WorkMemoryData>;
  likeness: Likeness;
}

export function createIntentMatch(context: DetectorContext): Detector<IntentStated> {
  return {
    name: KIND,
    async evaluate(stated) {
      const config = context.config().intentMatch;
      const subject = stated.intent.trim();
      if (!config.enabled) return disabled(context, KIND, subject);
      const reader = readerIn(context, stated);
      if (reader === null) return elsewhere(context, KIND, subject, stated.projectId);
      const cue = { kind: KIND, subject } as const;
      const task = intentOf(subject);
      if (task.readings.length === 0) return nothing(context, cue, ['asks for nothing to be done']);

      const lookUp = await context.checks.lookUp();
      const filter = { reader, ...(config.include_failures ? {} : { flagsNone: FLAGS.failure }) };
      const near = await nearMemories(context, lookUp, task, filter);
      const { degraded } = near;
      if (near.ids.length === 0) {
        return nothing(context, cue, ['no memory has its words'], { degraded });
      }
      const rows = await rowsOf(context, near.ids.slice(0, JUDGED), reader);
      const judged = rows.map((row): Judged => {
        const found = likeness(task, row.data.intent.goal, lookUp.shelf);
        const alike = withMeaning(found, task, row, near);
        return { row, likeness: withFiles(alike, stated.files ?? [], row.data.files) };
      });
      const least = config.similarity_threshold === 'auto' ? ALIKE : config.similarity_threshold;
      const acting = actingIn(context, stated);
      const alike = judged.filter((each) => each.likeness.score >= least);
      const others = alike.filter(({ row }) => !isOwn(acting, row.data));
      const suppressed = [
        ...judged.flatMap(({ row, likeness: { veto } }) =>
          veto === undefined ? [] : [suppress(context, row.id, `not the same: ${veto}`)],
        ),
      ].slice(0, NAMED);
      for (const { row } of alike) {
        if (isOwn(acting, row.data))
          suppressed.push(suppress(context, row.id, 'made in this session'));
      }
      const current = await withSuccessors(context, others, reader, filter.flagsNone ?? 0);
      suppressed.push(...current.suppressed);
      const ranked = rank(current.judged, config.recency_boost ? context.clock.now() : null);
      const [first] = ranked;
      if (!first) return nothing(context, cue, ['no similar task'], { suppressed, degraded });
      const kept = ranked
        .filter(({ likeness: { score } }) => score >= first.likeness.score * SHARE)
        .slice(0, config.max_results);
      const memories: Candidate[] = [];
      for (const {
        row,
        likeness: { score, reasons },
      } of kept) {
        memories.push(await candidateOf(context, row, score, reasons));
      }
      const strength = Math.max(...kept.map((each) => each.likeness.score));
      return notifying(
        context,
        { kind: KIND, intent: subject, memories },
        memories,
        { subject, strength, evidence: first.likeness.reasons },
        { suppressed, degraded },
      );
    },
  };
}

/** What a model of meaning calls nearly the same sentence is alike, if no rule forbids it. */
function withMeaning(
  found: Likeness,
  task: Task,
  { id, data }: StoredRecord<WorkMemoryData>,
  near: NearMemories,
): Likeness {
  const meaning = near.byMeaning(id);
  if (!meaning || meaning.cosine < meaning.strong || found.veto !== undefined) return found;
  const text = task.readings.map(({ clause }) => clause.text).join('. ');
  const veto = vetoOf(text, data.intent.goal);
  if (veto.vetoed) return { ...found, score: 0, veto: veto.reason };
  const score =
    ALIKE + ((1 - ALIKE) / 2) * ((meaning.cosine - meaning.strong) / (1 - meaning.strong));
  if (score <= found.score) return found;
  return {
    ...found,
    score,
    reasons: [...found.reasons, `meaning ${meaning.cosine.toFixed(2)} alike`],
  };
}

function withFiles(found: Likeness, named: readonly string[], files: readonly string[]): Likeness {
  if (found.score === 0 || named.length === 0) return found;
  const ends = new Set(files.flatMap(pathKeys));
  const common = named.find((path) => {
    const [whole] = pathKeys(path);
    return whole !== undefined && ends.has(whole);
  });
  if (common === undefined) return found;
  const score = Math.min(1, found.score + FILE);
  return { ...found, score, reasons: [...found.reasons, `file ${common}`] };
}

/** What was superseded gives way to what took its place. */
async function withSuccessors(
  context: DetectorContext,
  judged: readonly Judged[],
  reader: Reader,
  flagsNone: number,
): Promise<{ judged: Judged[]; suppressed: Suppressed[] }> {
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
    if (row && (row.data.outcome.success || (flagsNone & FLAGS.failure) === 0)) {
      successors.set(target, row);
    }
  }
  const kept = new Map<Uuid, Judged>();
  const suppressed: Suppressed[] = [];
  for (const each of judged) {
    const successor = successors.get(each.row.id);
    if (!successor) {
      kept.set(each.row.id, each);
      continue;
    }
    const by = context.checks.print(successor.id);
    suppressed.push(suppress(context, each.row.id, `superseded by ${by}`));
    // One that is itself superseded is not brought back.
    if (kept.has(successor.id) || ids.includes(successor.id)) continue;
    const reasons = [...each.likeness.reasons, `supersedes ${context.checks.print(each.row.id)}`];
    kept.set(successor.id, { row: successor, likeness: { ...each.likeness, reasons } });
  }
  return { judged: [...kept.values()], suppressed };
}

/** Best first; of equally good ones the newer. @param nowMs `null`: age does not matter */
function rank(judged: readonly Judged[], nowMs: number | null): Judged[] {
  const worth = ({ row, likeness: { score } }: Judged) => {
    if (nowMs === null) return score;
    const ageMs = Math.max(0, nowMs - row.createdAtMs);
    return score + RECENT * 0.5 ** (ageMs / RECENT_MS);
  };
  return [...judged].sort(
    (a, b) =>
      worth(b) - worth(a) ||
      b.row.createdAtMs - a.row.createdAtMs ||
      (a.row.id < b.row.id ? 1 : -1),
  );
}

function suppress({ checks }: DetectorContext, id: Uuid, reason: string): Suppressed {
  return { memoryId: checks.print(id), detector: KIND, reason };
}
