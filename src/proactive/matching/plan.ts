/**
 * A planned action beside one that failed: the same thing about to be done again? Compared with what
 * was wanted, how it was gone about, and what was run. Pure.
 */
import { pathsIn } from '../../shared/path-mentions.js';
import { pathKeys } from '../../shared/paths.js';
import { type Command, commandLikeness, commandsIn, isHarmless, readCommand } from './commands.js';
import {
  ALIKE,
  ALIKE_ON_FILE,
  conceptsOf,
  goalOf,
  type Likeness,
  likeness,
  type Task,
  taskOf,
  type WordCounts,
} from './likeness.js';
import { fileInCommon, fileWords } from './reading.js';

export interface Plan {
  task: Task;
  /** Those that attempt something. */
  commands: readonly Command[];
  /** Files it is about, as `pathKeys` spells them, whole. */
  files: readonly string[];
}

/** What is known of the action that failed. */
export interface Attempt {
  goal: string;
  approach?: string | undefined;
  files: readonly string[];
  commands: readonly { command: string; success: boolean | undefined }[];
}

export interface PlanLikeness extends Likeness {
  /** Whether the score is high enough for where it was done. */
  alike: boolean;
}

/** Of the score by goal: an approach is one way of several to the goal. */
const APPROACH = 0.95;
/** Where both name files and not the same: only what is clearly the same action. */
const ELSEWHERE = 0.8;
const ELSEWHERE_EVIDENCE = 1.4;

/** `null` for what attempts nothing: looking, asking, checking, undoing. */
export function planOf(action: string, filePath?: string): Plan | null {
  const named = [...(filePath === undefined ? [] : [filePath]), ...pathsIn(action)];
  const files = [...new Set(named.flatMap((path) => pathKeys(path).slice(0, 1)))];
  const found = commandsIn(action);
  const commands = found.filter((command) => !isHarmless(command));
  const { readings } = taskOf(action);
  const acting = readings.filter(
    ({ kind, clause }) =>
      kind !== 'study' &&
      kind !== 'look' &&
      kind !== 'revert' &&
      // A sentence about a command that only looks does no more than that.
      !(found.length > commands.length && found.some(({ text }) => clause.text.includes(text))),
  );
  if (acting.length === 0 && commands.length === 0) return null;
  return { task: { readings: acting }, commands, files };
}

/**
 * @param least threshold of the score where no file is known; on the same file as much lower as the
 *   calibrated ones are
 */
export function planLikeness(
  plan: Plan,
  attempt: Attempt,
  counts: WordCounts,
  least: number = ALIKE,
): PlanLikeness {
  const file = fileInCommon(plan.files, attempt.files);
  const byCommand = commandsAlike(plan.commands, attempt);
  const options = {
    files: false,
    ...(file === undefined ? {} : { ignored: conceptsOf(fileWords(file)) }),
  };
  const byGoal = likeness(plan.task, goalOf(attempt.goal), counts, options);
  const byApproach =
    attempt.approach === undefined
      ? null
      : likeness(plan.task, goalOf(attempt.approach), counts, options);
  // What forbids the goal forbids the whole: "remove caching" is no way to add it.
  if (byGoal.veto !== undefined && byCommand === null) return { ...byGoal, alike: false };
  const best = [
    byGoal,
    ...(byApproach === null ? [] : [{ ...byApproach, score: byApproach.score * APPROACH }]),
    ...(byCommand === null ? [] : [byCommand]),
  ].reduce((one, other) => (other.score > one.score ? other : one));
  const onFile = Math.max(0, least - (ALIKE - ALIKE_ON_FILE));
  const otherFile = file === undefined && plan.files.length > 0 && attempt.files.length > 0;
  const alike = otherFile
    ? best.score >= Math.max(least, ELSEWHERE) && best.evidence >= ELSEWHERE_EVIDENCE
    : best.score >= (file === undefined ? least : onFile);
  const reasons = [
    ...(file === undefined ? [] : [`file ${file}`]),
    `action ${best.score.toFixed(2)} alike`,
    ...best.reasons,
  ];
  return { ...best, reasons, alike };
}

function commandsAlike(planned: readonly Command[], { goal, commands }: Attempt): Likeness | null {
  // What went well in a failed attempt was not what failed.
  const tried = commands
    .filter(({ success }) => success !== true)
    .flatMap(({ command }) => readCommand(command) ?? []);
  let best: Likeness | null = null;
  for (const one of planned) {
    for (const other of [...tried, ...commandsIn(goal)]) {
      const score = commandLikeness(one, other);
      if (score > (best?.score ?? 0)) {
        best = { score, reasons: [`command ${other.text}`], evidence: 2 };
      }
    }
  }
  return best;
}
