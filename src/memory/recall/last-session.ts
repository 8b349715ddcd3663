/** `session:last`: the newest session before the one that asks. */
import type { SlotFilter } from '../../records/index.js';
import { NotFoundError } from '../../shared/errors.js';
import { yieldToLoop } from '../../shared/yield.js';
import type { Caller } from '../access.js';
import type { MemoryContext } from '../context.js';
import { workMemoryType } from '../records.js';

/** Newest memories looked through; a session of more would hide the one before it. */
const LOOKED_AT = 400;
const STEP = 50;

/**
 * In a conversation the last one of its room: sessions of other rooms go on at the same time. Only a
 * room without one means the newest of all.
 * @throws NotFoundError when no earlier session left a memory this reader may see
 */
export async function lastSession(
  { records }: Pick<MemoryContext, 'records'>,
  filter: SlotFilter,
  caller: Caller,
): Promise<string> {
  const { hits } = records.catalog.shelf(workMemoryType.name).newest(filter, LOOKED_AT);
  let elsewhere: string | undefined;
  for (let start = 0; start < hits.length; start += STEP) {
    const ids = hits.slice(start, start + STEP).map(({ id }) => id);
    for (const { data, scope } of await records.get(workMemoryType, ids, filter.reader)) {
      const { session_id: session } = data;
      if (session === undefined || session === caller.sessionId) continue;
      if (caller.kind !== 'entity' || scope.roomId === caller.roomId) return session;
      elsewhere ??= session;
    }
    await yieldToLoop();
  }
  if (elsewhere !== undefined) return elsewhere;
  throw new NotFoundError('session', 'last');
}
