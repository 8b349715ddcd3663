/** `cue when stats`, and the journal that it reads. */
import { join } from 'node:path';
import { messageOf } from '../../../shared/errors.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Io, printJson, printText } from '../io.js';
import type { WhenFlags } from './paths.js';
import { indexOf, journalFolderOf } from './paths.js';
import { type Recall, type WhenPaths, type WhenRoom, whenRoom } from './room.js';

/** Needs no index: what was counted stays when it is gone. */
export async function statsCommand(io: Io, flags: WhenFlags): Promise<ExitCode> {
  const room = await whenRoom();
  const { events, damaged } = await journalOf(room, indexOf(flags, io), io).read();
  const stats = room.usageStats(events, damaged);
  if (flags.json) printJson(io, stats);
  else printText(io, room.printUsage(stats));
  return EXIT.done;
}

/** Writes a recall down. That it cannot be is no reason to fail: the recall has been answered. */
export function noteRecall(
  room: WhenRoom,
  recall: Recall,
  paths: WhenPaths,
  io: Io,
  flags: WhenFlags,
): void {
  const nowMs = io.clock.now();
  try {
    const events = room.recallEvents(recall, sessionOf(io, nowMs), nowMs);
    journalOf(room, paths.index, io).append(events);
  } catch (error) {
    if (flags.verbose) io.err(`cue: this recall was not counted: ${messageOf(error)}\n`);
  }
}

function journalOf(room: WhenRoom, index: string | null, io: Io) {
  return room.createUsageJournal({ path: join(journalFolderOf(index, io), room.USAGE_FILE) });
}

/**
 * An agent that names no session calls from one process that lives as long as its session; process
 * ids are used again, seldom on the same day.
 */
function sessionOf({ env, parentPid }: Io, nowMs: number): string {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return env.CUE_SESSION_ID || `${day}/${parentPid}`;
}
