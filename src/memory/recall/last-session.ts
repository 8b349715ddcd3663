/** `session:last`: the newest session before the one that asks. */
import type { SlotFilter } from '../../records/index.js';
import { NotFoundError } from '../../shared/errors.js';
import type { MemoryContext } from '../context.js';
import { workMemoryType } from '../records.js';

/** Newest memories looked through; a session of more would hide the one before it. */
const LOOKED_AT = 400;
const STEP = 50;

/** @throws NotFoundError when no earlier session left a memory this reader may see */
export async function lastSession(
  { records }: Pick<MemoryContext, 'records'>,
  filter: SlotFilter,
  current: string | undefined,
): Promise<string> {
  const { hits } = records.catalog.shelf(workMemoryType.name).newest(filter, LOOKED_AT);
  for (let start = 0; start < hits.length; start += STEP) {
    const ids = hits.slice(start, start + STEP).map(({ id }) => id);
    for (const { data } of await records.get(workMemoryType, ids, filter.reader)) {
      if (data.session_id !== undefined && data.session_id !== current) return data.session_id;
    }
  }
  throw new NotFoundError('session', 'last');
}
