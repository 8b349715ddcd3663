/**
 * Hints for rooms that show them, with ids and audience, which no surface reveals. Reads use memory only
 * and leave out expired hints.
 */
import type { Caller } from '../records/index.js';
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { mayRead, mayWrite } from './audience.js';
import { beforeDelete, type HintContext, isAdminCaller } from './context.js';
import { best, filterEligible, scored } from './explain.js';
import { printedValue } from './guard/index.js';
import { liveFor } from './reads.js';
import type { Hint, HintValue, NudgeContext } from './schema.js';
import type { ScoredHint, StoredHint } from './types.js';
import { isLive, type Variant } from './variants.js';

export type EligibleHint = StoredHint & Pick<ScoredHint, 'score' | 'match_explain'>;

export interface Offering {
  /** Components of which the caller may read something, by name. */
  components(caller: Caller): string[];
  /** Of one component, what is eligible in the context, best first, with why. */
  eligible(component: string, context: NudgeContext, caller: Caller): EligibleHint[];
  /** Those of these hints that still exist, whoever they belong to. */
  current(ids: readonly Uuid[]): StoredHint[];
  /** The id of the variant that an answer holds, found by object identity; `null`: it no longer exists. */
  idOf(answered: Pick<StoredHint, 'component' | 'key' | 'hint'>, caller: Caller): Uuid | null;
  /**
   * This variant has helped.
   * @param delta how often, 1 to 1,000; once when absent
   * @throws AppError NOT_FOUND: it is no more, or not for the caller. UNAVAILABLE: nothing was counted
   */
  bump(id: Uuid, caller: Caller, delta?: number): Promise<Hint>;
  /**
   * Takes away this variant.
   * @throws AppError NOT_FOUND: it is no more, or not for the caller. PERMISSION_DENIED. UNAVAILABLE: it
   * stays
   */
  delete(id: Uuid, caller: Caller): Promise<void>;
}

export function createOffering(room: HintContext): Offering {
  const { store, clock } = room;
  return {
    bump: (id, caller, delta = 1) => bumpById(room, id, caller, delta),
    delete: (id, caller) => deleteById(room, id, caller),
    components(caller) {
      const nowMs = clock.now();
      const names = new Set<string>();
      for (const variant of store.variants.all()) {
        const { component, isPrivate, audience } = variant;
        if (names.has(component) || !isLive(variant, nowMs)) continue;
        if (!isPrivate || mayRead(caller, audience)) names.add(component);
      }
      return [...names].sort();
    },
    eligible(component, context, caller) {
      const asked = { caller, context, nowMs: clock.now() };
      const known = liveFor(store.variants.ofComponent(component), caller, asked.nowMs);
      const { eligible } = filterEligible(known, asked);
      return best(eligible, asked, eligible.length).map((ranked) => {
        const { score, match_explain } = scored(ranked, asked);
        return { ...storedOf(ranked.variant), score, match_explain };
      });
    },
    current(ids) {
      const nowMs = clock.now();
      return ids.flatMap((id) => {
        const variant = store.variants.get(id);
        return variant && isLive(variant, nowMs) ? [storedOf(variant)] : [];
      });
    },
    idOf({ component, key, hint }, caller) {
      for (const variant of liveFor(store.variants.ofKey(component, key), caller, clock.now())) {
        if (variant.hint === hint) return variant.id;
      }
      return null;
    },
  };
}

function storedOf(stored: StoredHint): StoredHint {
  const { id, component, key, hint, audience, expiresAtMs, session } = stored;
  return { id, component, key, hint, audience, expiresAtMs, session };
}

/** A value that can be run or opened as it is; `null`: it is a template or data. */
export function directValue(value: HintValue): string | null {
  const isDirect = typeof value === 'string' || value.type === 'command' || value.type === 'path';
  return isDirect ? printedValue(value) : null;
}

/** @throws AppError NOT_FOUND: it is no more, or not for the caller. UNAVAILABLE: nothing was counted */
function bumpById(room: HintContext, id: Uuid, caller: Caller, delta: number): Promise<Hint> {
  return room.store.inTurn(async () => {
    const at = new Date(room.clock.now()).toISOString();
    const { hint } = await room.store.use(variantOf(room, id, caller), { delta, at });
    return hint;
  });
}

/**
 * What quotes it goes first.
 * @throws AppError NOT_FOUND: it is no more, or not for the caller. PERMISSION_DENIED: all share it, and
 * the caller is neither owner nor admin. UNAVAILABLE: it stays
 */
async function deleteById(room: HintContext, id: Uuid, caller: Caller): Promise<void> {
  const isAdmin = await isAdminCaller(room, caller);
  const own = () => {
    const variant = variantOf(room, id, caller);
    if (mayWrite(caller, variant.audience, isAdmin)) return variant;
    throw new AppError('PERMISSION_DENIED', 'only owner and admins may delete what all share');
  };
  await room.store.inTurn(async () => own());
  // Outside the queue: deleting the quotes may be slow, and other hints must not wait for it.
  await beforeDelete(room, [id], () =>
    room.store.inTurn(() => room.store.commit({ remove: [own()] })),
  );
}

function variantOf({ store, clock }: HintContext, id: Uuid, caller: Caller): Variant {
  const variant = store.variants.get(id);
  for (const known of liveFor(variant ? [variant] : [], caller, clock.now())) return known;
  throw new AppError('NOT_FOUND', 'no such hint');
}
