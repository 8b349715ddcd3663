/**
 * An action is planned: has it failed before, on the same file or by its meaning (seed
 * `rum-triggers.md`, 3)? What succeeded since is no reason to warn.
 */
import { FLAGS, type WorkMemoryData } from '../../memory/index.js';
import type { Shelf, SlotFilter, StoredRecord } from '../../records/index.js';
import { DAY_MS } from '../../shared/clock.js';
import type { Uuid } from '../../shared/ids.js';
import {
  ALIKE,
  type Attempt,
  filesOf,
  goalOf,
  isVerbatim,
  type Plan,
  type PlanLikeness,
  planLikeness,
  planOf,
} from '../matching/index.js';
import type { ActionPlanned, Candidate, Detector, Suppressed } from '../types.js';
import { candidateOf, disabled, elsewhere, nothing, notifying, rowsOf } from './candidates.js';
import { type DetectorContext, readerIn } from './context.js';
import { type NearMemories, nearMemories } from './near-memories.js';
import { successSince } from './success-since.js';

const KIND = 'conflictWarning';
/** Files of one plan that are looked up, and failures of each. */
const FILES = 5;
const OF_FILE = 50;
/** Rows read, at most so many of them because of a file. */
const JUDGED = 12;
const JUDGED_OF_FILE = 8;
/** Failures that are shown, and that are held against what succeeded since. */
const SHOWN = 3;
const HELD = 4;
/** Of the best score. */
const SHARE = 0.75;
const NAMED = 3;

interface Failure {
  row: StoredRecord<WorkMemoryData>;
  likeness: PlanLikeness;
}

export function createConflictWarning(context: DetectorContext): Detector<ActionPlanned> {
  return {
    name: KIND,
    async evaluate(planned) {
      const config = context.config().conflictWarning;
      const subject = planned.action.trim();
      if (!config.enabled) return disabled(context, KIND, subject);
      const reader = readerIn(context, planned);
      if (reader === null) return elsewhere(context, KIND, subject, planned.projectId);
      const cue = { kind: KIND, subject } as const;
      const plan = planOf(subject, planned.filePath);
      // What attempts nothing that could be judged may still be, word for word, what failed.
      const { task, commands, files } = plan ?? {
        task: goalOf(subject),
        commands: [],
        files: filesOf(subject, planned.filePath),
      };
      const none = plan === null ? 'attempts nothing' : 'nothing like it failed';

      const lookUp = await context.checks.lookUp();
      const filter: SlotFilter = {
        reader,
        flagsAll: FLAGS.failure,
        sinceMs: context.clock.now() - config.max_age_days * DAY_MS,
      };
      const near = await nearMemories(context, lookUp, task, filter, commands, subject);
      const ids = failuresNear(context, lookUp.shelf, filter, files, near);
      const { degraded } = near;
      if (ids.length === 0) return nothing(context, cue, [none], { degraded });
      const least =
        config.action_similarity_threshold === 'auto' ? ALIKE : config.action_similarity_threshold;
      const rows = await rowsOf(context, ids, reader);
      const judged = rows.map(
        (row): Failure => ({
          row,
          likeness: likenessOf(subject, plan, attemptOf(row.data), lookUp.shelf, least),
        }),
      );
      const suppressed: Suppressed[] = judged
        .flatMap(({ row, likeness: { veto } }) =>
          veto === undefined ? [] : [suppress(context, row.id, `not the same: ${veto}`)],
        )
        .slice(0, NAMED);
      const alike = newestOfBest(judged.filter(({ likeness: { alike } }) => alike));
      const standing: Failure[] = [];
      for (const failure of alike.slice(0, HELD)) {
        const since = await successSince(context, lookUp.shelf, failure.row, reader);
        if (since === null) standing.push(failure);
        else suppressed.push(suppress(context, failure.row.id, since));
      }
      const shown = standing.slice(0, SHOWN);
      const [first] = shown;
      if (!first) return nothing(context, cue, [none], { suppressed, degraded });
      const memories: Candidate[] = [];
      for (const {
        row,
        likeness: { score, reasons },
      } of shown) {
        memories.push(await candidateOf(context, row, score, reasons));
      }
      const strength = Math.max(...shown.map(({ likeness: { score } }) => score));
      return notifying(
        context,
        { kind: KIND, action: subject, memories },
        memories,
        { subject, strength, evidence: first.likeness.reasons },
        { suppressed, degraded },
      );
    },
  };
}

function likenessOf(
  action: string,
  plan: Plan | null,
  attempt: Attempt,
  shelf: Shelf,
  least: number,
): PlanLikeness {
  if (isVerbatim(action, attempt)) {
    return {
      score: 1,
      evidence: Number.POSITIVE_INFINITY,
      reasons: ['the very same'],
      alike: true,
    };
  }
  if (plan === null) return { score: 0, evidence: 0, reasons: [], alike: false };
  return planLikeness(plan, attempt, shelf, least);
}

/** Failures of the plan's files, then those with its words, all of them bounded. */
function failuresNear(
  { checks }: DetectorContext,
  shelf: Shelf,
  filter: SlotFilter,
  files: readonly string[],
  near: NearMemories,
): Uuid[] {
  const ofFiles = new Set<Uuid>();
  for (const file of files.slice(0, FILES)) {
    const key = checks.fileKey(shelf, file, filter);
    if (key === undefined) continue;
    const { hits } = shelf.byKeys([key], filter, OF_FILE);
    // Newest first; those that share words with the plan before the others.
    const ranked = hits
      .map(({ id }) => ({ id, words: near.byWords(id) }))
      .sort((a, b) => b.words - a.words);
    for (const { id } of ranked.slice(0, JUDGED_OF_FILE)) ofFiles.add(id);
  }
  const first = [...ofFiles].slice(0, JUDGED_OF_FILE);
  return [...new Set([...first, ...near.ids])].slice(0, JUDGED);
}

function attemptOf({ intent, reasoning, actions, files }: WorkMemoryData): Attempt {
  return {
    goal: intent.goal,
    approach: reasoning.approach_chosen,
    files,
    commands: actions.flatMap(({ details, result }) =>
      details.command === undefined ? [] : [{ command: details.command, success: result?.success }],
    ),
  };
}

/** What is nearly as much alike as the best, newest first. */
function newestOfBest(failures: readonly Failure[]): Failure[] {
  const best = Math.max(0, ...failures.map(({ likeness: { score } }) => score));
  return failures
    .filter(({ likeness: { score } }) => score >= best * SHARE)
    .sort((a, b) => b.row.createdAtMs - a.row.createdAtMs || (a.row.id < b.row.id ? 1 : -1));
}

function suppress({ checks }: DetectorContext, id: Uuid, reason: string): Suppressed {
  return { memoryId: checks.print(id), detector: KIND, reason };
}
