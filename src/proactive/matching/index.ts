/** Whether two texts are about the same task: sentences, their words, and commands. Pure. */
export { type Clause, clausesOf, type Mode } from './clauses.js';
export { type Command, commandLikeness, commandsIn, isHarmless, readCommand } from './commands.js';
export {
  ALIKE,
  ALIKE_ON_FILE,
  conceptsOf,
  goalOf,
  intentOf,
  type Likeness,
  type LikenessOptions,
  likeness,
  searchTerms,
  type Task,
  taskOf,
  type WordCounts,
} from './likeness.js';
export {
  type Attempt,
  filesOf,
  isVerbatim,
  type Plan,
  type PlanLikeness,
  planLikeness,
  planOf,
} from './plan.js';
export { fileInCommon, type Reading } from './reading.js';
export type { Kind } from './vocabulary.js';
