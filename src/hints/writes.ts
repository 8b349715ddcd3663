/** set, delete and bump (seed §5, DESIGN §10). Checks and changes run in turn. */
import type { z } from 'zod';
import type { Caller } from '../records/index.js';
import { AppError, isAppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import {
  type Asked,
  answersOf,
  best,
  countUse,
  denied,
  type Filtered,
  filterEligible,
  unfiltered,
} from './reads.js';
import type {
  bumpParams,
  DeleteResult,
  deleteHintParams,
  Hint,
  SetResult,
  StoredHint,
  setHintParams,
} from './schema.js';
import { checkScope, normalizeScope, scopeKey } from './scope.js';
import {
  beforeDelete,
  defaultTtlFor,
  type HintContext,
  isAdminCaller,
  notFound,
  requireShare,
  sessionFor,
} from './store.js';
import { refusalError, type ValidHint, validateHint } from './validate.js';
import {
  audienceFor,
  endOf,
  exceeded,
  hintId,
  isLive,
  mayWrite,
  quotaError,
  sumOf,
  type Variant,
} from './variants.js';

export interface SetOptions {
  /** For everybody, though it is set in chat; owner and admins only. */
  share?: boolean;
}

const ENDS_SOON =
  'kept until the serving process ends (ttl "session", the default): give a ttl like P30D to keep it longer';

type SetParams = z.output<typeof setHintParams>;
type Named = z.output<typeof deleteHintParams> | z.output<typeof bumpParams>;

/** Replaces value and meta as a whole; creation time and usage are kept. */
export async function setHint(
  room: HintContext,
  params: SetParams,
  caller: Caller,
  { share = false }: SetOptions = {},
): Promise<SetResult> {
  const { component, key, value, meta = {}, allow_secret = false } = params;
  await requireShare(room, caller, share);
  const valid = await validateHint(
    { component, key, value, meta },
    { guard: room.guard, defaultTtl: defaultTtlFor(room, caller), allowSecret: allow_secret },
  );
  if ('code' in valid) throw refusalError(valid);
  const put = async () => {
    const hint = await room.store.inTurn(() => putHint(room, params, valid, caller, share));
    const isUnasked = caller.kind === 'operator' && meta.ttl === undefined;
    return isUnasked && endOf(hint) === null ? { hint, notice: ENDS_SOON } : { hint };
  };
  try {
    return await put();
  } catch (error) {
    // Another process was first, and the store has adopted its hint: the last writer wins. With
    // `if_match_version` 0 the retry decides, because the other row may have expired.
    const isRace = isAppError(error) && error.code === 'CONFLICT';
    if (!isRace || params.if_match_version) throw error;
    return put();
  }
}

async function putHint(
  { store, clock, quotas, project }: HintContext,
  params: SetParams,
  { meta, scopeKey: scope }: ValidHint,
  caller: Caller,
  isShared: boolean,
): Promise<Hint> {
  const { component, key, value, if_match_version: expected } = params;
  const nowMs = clock.now();
  const audience = audienceFor(caller, isShared, project);
  const id = hintId(project.projectId, { component, key, scope }, audience);
  const found = store.variants.get(id);
  const before = found && isLive(found, nowMs) ? found : null;
  const version = before?.hint.version ?? 0;
  if (expected !== undefined && expected !== version) {
    throw new AppError(
      'CONFLICT',
      before
        ? `${component}/${key} has version ${version}, not ${expected}`
        : `${component}/${key} does not exist with this scope`,
      { component, key, version },
    );
  }
  if (!before) {
    if (exceeded(quotas, store.variants, component)) await store.expire(nowMs);
    const over = exceeded(quotas, store.variants, component);
    if (over) throw quotaError(over);
  }
  const at = new Date(nowMs).toISOString();
  const hint: Hint = {
    // A copy: the store freezes its hints, and the caller may go on changing its own.
    value: structuredClone(value),
    meta,
    version: sumOf(version, 1),
    created_at: before?.hint.created_at ?? at,
    updated_at: at,
    ...(before ? useOf(before.hint) : { use_count: 0 }),
  };
  const stored: StoredHint = {
    ...{ id, component, key, hint },
    audience: before?.audience ?? audience,
    expiresAtMs: endOf(hint),
    session: sessionFor(hint, caller),
  };
  await store.commit({ put: [stored], keepUses: before !== null });
  return store.variants.get(id)?.hint ?? hint;
}

/** @throws AppError PERMISSION_DENIED when none of what it names is the caller's to delete */
export async function deleteHint(
  room: HintContext,
  params: z.output<typeof deleteHintParams>,
  caller: Caller,
): Promise<DeleteResult> {
  const isAdmin = await isAdminCaller(room, caller);
  const { store, clock } = room;
  const remove = (ids: readonly Uuid[]) =>
    store.inTurn(async () => {
      const nowMs = clock.now();
      const gone = ids.flatMap((id) => {
        const variant = store.variants.get(id);
        return variant && isLive(variant, nowMs) ? [variant] : [];
      });
      if (gone.length === 0) throw notFound(params.component, params.key);
      await store.commit({ remove: gone });
      const previous_all = gone.map(({ hint }) => hint);
      const [previous] = previous_all;
      if (!previous) throw new AppError('INTERNAL', 'nothing was deleted');
      return { deleted: true as const, previous, previous_all };
    });
  const ids = await store.inTurn(async () =>
    deletedBy(room, params, caller, isAdmin).map(({ id }) => id),
  );
  // Outside the queue: deleting the quotes may be slow, and other hints must not wait for it.
  return beforeDelete(room, ids, () => remove(ids));
}

/** The named variants that the caller may delete, best first. */
function deletedBy(
  room: HintContext,
  params: z.output<typeof deleteHintParams>,
  caller: Caller,
  isAdmin: boolean,
): Variant[] {
  const asked = { caller, context: params.context, nowMs: room.clock.now() };
  const named = namedBy(room, params, asked);
  const own = named.filter(({ variant }) => mayWrite(caller, variant.audience, isAdmin));
  if (own.length === 0) {
    throw denied();
  }
  return best(own, asked, own.length).map(({ variant }) => variant);
}

/** Whoever may read a hint may say that it helped. */
export function bump(
  room: HintContext,
  params: z.output<typeof bumpParams>,
  caller: Caller,
): Promise<Hint> {
  return room.store.inTurn(async () => {
    const nowMs = room.clock.now();
    const asked = { caller, context: params.context, nowMs };
    const named = namedBy(room, params, asked);
    // Without a context the one that `get` gives there, else the best of all.
    const { eligible } = filterEligible(
      named.map(({ variant }) => variant),
      asked,
    );
    const [first] = best(eligible.length > 0 ? eligible : named, asked, 1);
    if (!first) throw notFound(params.component, params.key);
    return countUse(room, first.variant, params.delta ?? 1);
  });
}

/**
 * The variants that component, key, scope and context name.
 * @throws AppError NOT_FOUND when there are none, with why none is eligible in the context
 */
function namedBy(
  { store }: HintContext,
  { component, key, scope, context }: Named,
  asked: Asked,
): Filtered[] {
  const wanted = scope === undefined ? null : keyOf(scope);
  const known = answersOf(store.variants, { component, key }, asked.caller, asked.nowMs).filter(
    (variant) => wanted === null || variant.scopeKey === wanted,
  );
  if (known.length === 0) throw notFound(component, key);
  if (context === undefined) return unfiltered(known);
  const { eligible, others } = filterEligible(known, asked);
  if (eligible.length > 0) return eligible;
  throw notFound(
    component,
    key,
    others.flatMap(({ reasons }) => reasons),
  );
}

/** @throws AppError SCOPE_INVALID */
function keyOf(scope: NonNullable<Named['scope']>): string {
  const findings = checkScope(scope);
  if (findings.length > 0) throw refusalError({ code: 'SCOPE_INVALID', findings });
  return scopeKey(normalizeScope(scope));
}

function useOf({ use_count, last_used_at }: Hint): Pick<Hint, 'use_count' | 'last_used_at'> {
  return {
    ...(use_count === undefined ? {} : { use_count }),
    ...(last_used_at === undefined ? {} : { last_used_at }),
  };
}
