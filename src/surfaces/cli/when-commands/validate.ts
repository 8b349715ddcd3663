/** `cue when validate [--fix]` */
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Io, printJson, printText } from '../io.js';
import { counted } from '../lines.js';
import type { WhenFlags } from './paths.js';
import { existingPathsOf, pathOf, placeOf, wordsOf } from './paths.js';
import { openIndex, type Problem, type Validation, type WhenPaths, whenRoom } from './room.js';

/** With errors that are left it is a failure; warnings alone are none. */
export async function validateCommand(
  io: Io,
  flags: WhenFlags & { fix?: true },
): Promise<ExitCode> {
  const paths = existingPathsOf(flags, io);
  const book = await openIndex(await whenRoom(), paths);
  const fixed = flags.fix ? await book.fix() : [];
  const validation = await book.validate();
  if (flags.json) {
    const placed = (problem: Problem) => ({ ...problem, path: pathOf(problem, paths) });
    const document = { ...validation, problems: validation.problems.map(placed) };
    printJson(io, flags.fix ? { ...document, fixed: fixed.map(placed) } : document);
  } else printText(io, validationText(validation, fixed, paths, io.cwd));
  return validation.problems.some(isError) ? EXIT.failure : EXIT.done;
}

function validationText(
  { problems, counts }: Validation,
  fixed: readonly Problem[],
  paths: WhenPaths,
  cwd: string,
): string {
  const lineOf = (problem: Problem, word: string) =>
    `${placeOf(problem, paths, cwd)}: ${word}: ${wordsOf(problem)} (${problem.code})`;
  const lines = [
    ...fixed.map((problem) => lineOf(problem, 'mended')),
    ...problems.map((problem) => lineOf(problem, problem.severity)),
  ];
  const errors = problems.filter(isError).length;
  const fixable = problems.filter((problem) => problem.fixable).length;
  const found = [counted(errors, 'error'), counted(problems.length - errors, 'warning')];
  if (fixable > 0) found.push(`--fix mends ${fixable}`);
  const looked = [
    counted(counts.entries, 'entry', 'entries'),
    counted(counts.files, 'file'),
    counted(counts.sections, 'section'),
  ];
  return [...lines, `${looked.join(', ')}: ${found.join(', ')}`].join('\n');
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}
