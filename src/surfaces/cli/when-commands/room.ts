/**
 * The part of the `/when` room that needs no host, as the commands use it. It is loaded only when a
 * command runs: parsing markdown and ranking are not needed to print a help text.
 */
import type * as Offline from '../../../when/offline.js';
import type { OfflineIndex, WhenPaths } from '../../../when/offline.js';

export type {
  Problem,
  Recall,
  RememberDraft,
  Validation,
  Warning,
  WhenPaths,
} from '../../../when/offline.js';

export type WhenRoom = typeof Offline;

export function whenRoom(): Promise<WhenRoom> {
  return import('../../../when/offline.js');
}

/** @throws AppError when there is an index that may not or cannot be read */
export async function openIndex(room: WhenRoom, paths: WhenPaths): Promise<OfflineIndex> {
  const book = await room.openOfflineIndex({ paths });
  const fault = room.indexFault(book.library, book.library.warnings, paths.index);
  if (fault !== null) throw fault;
  return book;
}
