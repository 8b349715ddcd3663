/** `cue when migrate [--dry-run]` */
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Io, printJson, printText } from '../io.js';
import { changedLines } from '../line-changes.js';
import type { WhenFlags } from './paths.js';
import { existingPathsOf, shownPath } from './paths.js';
import { openIndex, whenRoom } from './room.js';

/** Prints what a person should look at; the index as it was stays beside it. */
export async function migrateCommand(
  io: Io,
  flags: WhenFlags & { dryRun?: true },
): Promise<ExitCode> {
  const paths = existingPathsOf(flags, io);
  const room = await whenRoom();
  const book = await openIndex(room, paths);
  const before = book.library.index.text;
  const { report, changed, text, backup } = await book.migrate({ dryRun: flags.dryRun ?? false });
  const isOld = report.unresolved.length > 0;
  // Nothing in it is an entry, and nothing became one.
  const isUnread = isOld && !changed && book.library.entries.length === 0;
  const end = isUnread ? EXIT.failure : EXIT.done;
  if (flags.json) {
    printJson(io, flags.dryRun ? { changed, report, text } : { changed, report, backup });
    return end;
  }
  if (flags.dryRun) printText(io, changedLines(before, text));
  printText(io, room.reportText(report));
  const index = shownPath(paths.index, io.cwd);
  if (!changed && isOld) io.err(`${index} was left as it is: no rule can decide what is listed\n`);
  else if (!changed) io.err(`${index} needs no migration\n`);
  else if (backup === null) io.err(`${index} was left as it is (--dry-run)\n`);
  else io.err(`${index} is migrated; as it was: ${shownPath(backup, io.cwd)}\n`);
  return end;
}
