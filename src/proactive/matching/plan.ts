/**
 * A planned action beside one that failed: the same thing about to be done again? Compared with what
 * was wanted, how it was gone about, and what was run. Pure.
 */
import { pathsIn } from '../../shared/path-mentions.js';
import { pathKeys } from '../../shared/paths.js';
import {
  type Command,
  commandLikeness,
  commandsIn,
  commandWords,
  isHarmless,
  perhapsCommand,
  readCommand,
} from './commands.js';
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
import { fileInCommon, fileWords, readTask } from './reading.js';

export interface Plan {
  task: Task;
  /** Those that attempt something. */
  commands: readonly Command[];
  /** Files it is about, as `pathKeys` spells them, whole. */
  files: readonly string[];
}

/** Files of an action, as `pathKeys` spells them, whole. */
export function filesOf(action: string, filePath?: string): string[] {
  const named = [...(filePath === undefined ? [] : [filePath]), ...pathsIn(action)];
  return [...new Set(named.flatMap((path) => pathKeys(path).slice(0, 1)))];
}

/** What failed, but for case, spaces, the last mark and, in words, articles: nothing has to be judged. */
export function isVerbatim(action: string, { goal, approach, commands }: Attempt): boolean {
  const said = plainly(action);
  if (said === '') return false;
  const failed = commands.flatMap(({ command, success }) => (success === true ? [] : [command]));
  if ([goal, approach ?? '', ...failed].some((text) => plainly(text) === said)) return true;
  const asked = withoutSmallWords(said);
  return (
    asked.includes(' ') &&
    [goal, approach ?? ''].some((text) => withoutSmallWords(plainly(text)) === asked)
  );
}

/** "Publish the docs now" is "publish docs". Not for commands: each of their words counts. */
const SMALL_WORDS = new Set('the a an our my your this that these those now again'.split(' '));

function withoutSmallWords(text: string): string {
  return text
    .split(' ')
    .filter((word) => !SMALL_WORDS.has(word))
    .join(' ');
}

function plainly(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^ ?(?:please )?|[ .!…]+$/g, '');
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

/** Told of what was done, never of what is about to be. */
const FAILED =
  /(?:(?<!\b(?:the|an?|all|any|every|each|of|from|for|with|after|retry|rerun)) (?:failed|broke|crashed)|\bwent wrong|\b(?:did not|didn't|never) (?:work|help|go well))\b/i;
const MOST_COMMANDS = 3;

/** `null` for what attempts nothing: looking, asking, checking, undoing. */
export function planOf(action: string, filePath?: string): Plan | null {
  const files = filesOf(action, filePath);
  const found = commandsIn(action);
  const known = found.filter((command) => !isHarmless(command));
  const perhaps = found.length > 0 ? null : perhapsCommand(action);
  if (perhaps !== null && isHarmless(perhaps)) return null;
  const commands = perhaps === null ? known : [perhaps];
  const { readings } = taskOf(action);
  const acting = readings.filter(
    ({ kind, clause }) =>
      kind !== 'study' &&
      kind !== 'look' &&
      kind !== 'revert' &&
      !(clause.mode === 'state' && FAILED.test(clause.text)) &&
      // A sentence about a command that only looks does no more than that.
      !(found.length > known.length && found.some(({ text }) => clause.text.includes(text))),
  );
  if (acting.length === 0 && known.length === 0) return null;
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
  const byWords = saidOf(plan.task, attempt, counts);
  // What forbids the goal forbids the whole: "remove caching" is no way to add it.
  if (byGoal.veto !== undefined && byCommand === null) return { ...byGoal, alike: false };
  const best = [
    byGoal,
    ...(byApproach === null ? [] : [{ ...byApproach, score: byApproach.score * APPROACH }]),
    ...(byCommand === null ? [] : [byCommand]),
    ...byWords,
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

/** "Run the checkout load test with k6" beside `k6 run load/checkout.js`, which failed. */
function saidOf(task: Task, { commands }: Attempt, counts: WordCounts): Likeness[] {
  return commands
    .filter(({ success }) => success === false)
    .slice(0, MOST_COMMANDS)
    .flatMap(({ command }) => {
      const read = readCommand(command);
      if (read === null || isHarmless(read)) return [];
      const tried = { readings: [readTask({ mode: 'ask', text: commandWords(read) })] };
      const found = likeness(task, tried, counts, { files: false });
      return found.evidence < ELSEWHERE_EVIDENCE
        ? []
        : [{ ...found, score: found.score * APPROACH, reasons: [`command ${read.text}`] }];
    });
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
