/**
 * One variant, named by its id: whoever showed a hint counts a use of that one or takes that one away,
 * and none of the same name. Judged and carried out in turn.
 */
import type { Caller } from '../records/index.js';
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { mayWrite } from './audience.js';
import { type HintContext, isAdminCaller } from './context.js';
import { forgetting } from './quoting.js';
import { liveFor } from './reads.js';
import type { Hint } from './schema.js';
import type { Variant } from './variants.js';

/** @throws AppError NOT_FOUND: it is no more, or not for the caller. UNAVAILABLE: nothing was counted */
export function bumpById(
  room: HintContext,
  id: Uuid,
  caller: Caller,
  delta: number,
): Promise<Hint> {
  return room.book.inTurn(async () => {
    const at = new Date(room.clock.now()).toISOString();
    const { hint } = await room.book.use(variantOf(room, id, caller), { delta, at });
    return hint;
  });
}

/**
 * What quotes it goes first.
 * @throws AppError NOT_FOUND: it is no more, or not for the caller. PERMISSION_DENIED: all share it, and
 * the caller is neither owner nor admin. UNAVAILABLE: it stays
 */
export async function deleteById(room: HintContext, id: Uuid, caller: Caller): Promise<void> {
  const isAdmin = await isAdminCaller(room, caller);
  const own = () => {
    const variant = variantOf(room, id, caller);
    if (mayWrite(caller, variant.audience, isAdmin)) return variant;
    throw new AppError('PERMISSION_DENIED', 'only owner and admins may delete what all share');
  };
  await room.book.inTurn(async () => own());
  // Not in turn: what quotes it lies in a database that may be slow, and other hints do not wait.
  await forgetting(room, [id], () => room.book.inTurn(() => room.book.commit({ remove: [own()] })));
}

function variantOf({ book, clock }: HintContext, id: Uuid, caller: Caller): Variant {
  const variant = book.variants.get(id);
  for (const known of liveFor(variant ? [variant] : [], caller, clock.now())) return known;
  throw new AppError('NOT_FOUND', 'no such hint');
}
