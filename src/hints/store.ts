/**
 * Keeps the hints in memory and their rows in sync. Changes run one after the other (`inTurn`): each is
 * validated, written to its rows, and only then visible to readers, so that a failed write changes nothing.
 * A row whose write failed may have been written all the same; it is repaired later.
 */
import type { Caller } from '../records/index.js';
import { serial } from '../shared/async.js';
import type { Clock } from '../shared/clock.js';
import { AppError, isAppError, messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Guard } from './guard.js';
import type { HintRows, HowPut, Row } from './persist.js';
import type { Hint, StoredHint } from './schema.js';
import { FOR_GOOD } from './ttl.js';
import {
  createVariants,
  endOf,
  isLive,
  type ProjectIds,
  type Quotas,
  sumOf,
  type Variant,
  type Variants,
} from './variants.js';

export interface Change extends HowPut {
  put?: readonly StoredHint[];
  remove?: readonly Variant[];
}

export type HintStore = ReturnType<typeof createHintStore>;

export interface HintStoreDeps {
  rows: HintRows;
  log: Log;
  /** Whether a session of a client goes on; absent: they all do. */
  isSessionOpen?: ((sessionId: string) => boolean) | undefined;
  /** Called when a removed hint exists again. */
  onReturned?: ((ids: readonly Uuid[]) => void) | undefined;
}

/** Removed hints that are remembered for `onReturned`. */
const MOST_GONE = 20_000;

export function createHintStore({
  rows,
  log,
  onReturned,
  isSessionOpen = () => true,
}: HintStoreDeps) {
  const variants = createVariants();
  const inTurn = serial();
  /** Rows that may differ from memory. */
  const unsure = new Set<Uuid>();
  /** Rows of hints that have expired. */
  const ended = new Set<Uuid>();
  const gone = new Set<Uuid>();

  const isDurable = ({ expiresAtMs }: StoredHint) => expiresAtMs !== null;
  const hadRow = (id: Uuid) => {
    const variant = variants.get(id);
    return variant !== undefined && isDurable(variant);
  };

  function keep(hint: StoredHint): Variant {
    const variant = variants.put(hint);
    if (gone.delete(hint.id)) onReturned?.([hint.id]);
    return variant;
  }

  function take(id: Uuid): void {
    variants.remove(id);
    gone.add(id);
    const [oldest] = gone;
    if (gone.size > MOST_GONE && oldest !== undefined) gone.delete(oldest);
  }

  /** A row that has just been written needs no repair. */
  function markInLine(id: Uuid): void {
    unsure.delete(id);
    ended.delete(id);
  }

  async function write({ put = [], remove = [], ...how }: Change): Promise<void> {
    const old = [
      ...remove.filter(isDurable).map(({ id }) => id),
      ...put.filter((hint) => !isDurable(hint) && hadRow(hint.id)).map(({ id }) => id),
    ];
    await rows.change(put.filter(isDurable), old, how);
  }

  async function tryToRepair(): Promise<void> {
    const ids = [...unsure];
    const kept = ids.flatMap((id) => variants.get(id) ?? []).filter(isDurable);
    const keptIds = new Set(kept.map(({ id }) => id));
    try {
      await rows.put(kept, { force: true });
      await rows.remove(ids.filter((id) => !keptIds.has(id)));
      for (const id of ids) unsure.delete(id);
      // Only unchanged rows: another process may have extended the life of a hint.
      await rows.remove([...ended], true);
      ended.clear();
    } catch (error) {
      const count = unsure.size + ended.size;
      log.warn({ rows: count, reason: messageOf(error) }, 'stored hints are not in line');
    }
  }

  async function adopt(id: Uuid): Promise<void> {
    const row = await rows.read(id);
    if (row) keep(storedOf(row));
    else variants.remove(id);
  }

  async function failed(ids: readonly Uuid[], error: unknown): Promise<AppError> {
    for (const id of ids) unsure.add(id);
    await tryToRepair();
    log.error({ hints: ids.length, reason: messageOf(error) }, 'hints were not stored');
    return new AppError('UNAVAILABLE', 'the hint could not be stored', {}, { cause: error });
  }

  /** Removes hints that have expired or ended with their session, and repairs rows; never throws. Only in turn. */
  async function expire(nowMs: number): Promise<number> {
    const isOver = ({ session }: StoredHint) => session !== null && !isSessionOpen(session);
    const expired = [...variants.all()].filter((one) => !isLive(one, nowMs) || isOver(one));
    for (const variant of expired) {
      variants.remove(variant.id);
      if (isDurable(variant)) ended.add(variant.id);
    }
    await tryToRepair();
    return expired.length;
  }

  return {
    /** To be read alone. */
    variants: variants as Omit<Variants, 'put' | 'remove'>,
    inTurn,
    expire,

    /**
     * Only in turn.
     * @throws AppError UNAVAILABLE: nothing has changed. CONFLICT: another process has changed the
     * hint, and the store now has what it wrote
     */
    async commit(change: Change): Promise<void> {
      const { put = [], remove = [] } = change;
      const ids = [...put, ...remove].map(({ id }) => id);
      try {
        await write(change);
      } catch (error) {
        const [only] = ids;
        const isOthers = isAppError(error) && error.code === 'CONFLICT' && ids.length === 1;
        if (!isOthers || only === undefined) throw await failed(ids, error);
        await adopt(only);
        throw changedByOthers(put, variants.get(only), error);
      }
      for (const { id } of remove) take(id);
      for (const hint of put) keep(hint);
      for (const id of ids) markInLine(id);
    },

    /** Counts a use. Only in turn. @throws AppError UNAVAILABLE */
    async use(variant: Variant, { delta, at }: { delta: number; at: string }): Promise<Variant> {
      const { id, hint } = variant;
      if (isDurable(variant)) {
        try {
          await rows.touch(id, { delta, at });
        } catch (error) {
          throw await failed([id], error);
        }
      }
      const used = { ...hint, use_count: sumOf(hint.use_count ?? 0, delta), last_used_at: at };
      return variants.put({ ...variant, hint: used });
    },

    /** Reads the rows; durable hints without a row are removed, session hints stay. @throws what the database throws */
    async refresh(nowMs: number): Promise<void> {
      const stored = (await rows.load()).map(storedOf);
      const ids = new Set(stored.map(({ id }) => id));
      for (const variant of [...variants.all()]) {
        if (isDurable(variant) && !ids.has(variant.id)) variants.remove(variant.id);
      }
      for (const hint of stored) {
        const here = variants.get(hint.id);
        const isNewer = here?.expiresAtMs === null && here.hint.updated_at > hint.hint.updated_at;
        if (!isNewer) keep(hint);
      }
      await expire(nowMs);
    },
  };
}

function storedOf(row: Row): StoredHint {
  return { ...row, expiresAtMs: endOf(row.hint), session: null };
}

function changedByOthers(
  [wanted]: readonly StoredHint[],
  now: Variant | undefined,
  cause: unknown,
): AppError {
  const { component, key } = wanted ?? {};
  const version = now?.hint.version ?? 0;
  const message = 'another process has changed the hint meanwhile';
  return new AppError('CONFLICT', message, { component, key, version }, { cause });
}

export interface HintContext {
  store: HintStore;
  clock: Clock;
  guard: Guard;
  quotas: Quotas;
  /** `session` or an ISO-8601 duration, for hints of the operator that say nothing. */
  defaultTtl: string;
  project: ProjectIds;
  sessionId: string;
  /** Told before a hint is deleted, so that nothing goes on quoting it. */
  observer: HintObserver | undefined;
  /** When this process began to serve, ISO 8601. */
  openedAt: string;
  /** Whether a person is owner or admin of the world of a room. */
  isAdmin: (entityId: string, roomId: string) => Promise<boolean>;
}

/**
 * The TTL of a hint that names none (DESIGN §10). Hints of agents and people are kept; the operator's
 * methods are the seed's and use the seed's default.
 */
export function defaultTtlFor({ defaultTtl }: HintContext, { kind }: Caller): string {
  return kind === 'operator' ? defaultTtl : FOR_GOOD;
}

/** The session whose end deletes a hint with TTL `session`; `null`: it ends with the serving process. */
export function sessionFor(hint: Hint, caller: Caller): string | null {
  if (caller.kind === 'operator' || endOf(hint) !== null) return null;
  return caller.sessionId ?? null;
}

export async function isAdminCaller(room: HintContext, caller: Caller): Promise<boolean> {
  return caller.kind === 'entity' && room.isAdmin(caller.entityId, caller.roomId);
}

/** @throws AppError PERMISSION_DENIED when a person without the right wants it for everybody */
export async function requireShare(
  room: HintContext,
  caller: Caller,
  isShared: boolean,
): Promise<void> {
  if (caller.kind !== 'entity' || !isShared || (await isAdminCaller(room, caller))) return;
  throw new AppError('PERMISSION_DENIED', 'only owner and admins may share a hint with everybody');
}

/** E_NOT_FOUND: component or key is unknown to the caller, or expired. */
export function notFound(component: string, key: string | null, reasons: string[] = []): AppError {
  const what = key === null ? `component "${component}"` : `hint ${component}/${key}`;
  const why = reasons.length === 0 ? '' : ` that is eligible here: ${reasons.join('; ')}`;
  return new AppError('NOT_FOUND', `no ${what}${why}`, {
    component,
    ...(key === null ? {} : { key }),
    ...(reasons.length === 0 ? {} : { reasons }),
  });
}

/** Implemented by rooms that store quotes of hints. Changes and expiry are not reported. */
export interface HintObserver {
  /** Called before these hints are deleted; resolves when nothing quotes them any more. */
  forgetting(ids: readonly Uuid[]): Promise<void>;
  /** Called when deleted hints exist again: a hint that is set again has its old id. Must not throw. */
  returned(ids: readonly Uuid[]): void;
}

/** @throws AppError UNAVAILABLE when what quotes them cannot be removed: nothing is forgotten then */
export async function beforeDelete<T>(
  { store, observer }: Pick<HintContext, 'store' | 'observer'>,
  ids: readonly Uuid[],
  remove: () => Promise<T>,
): Promise<T> {
  if (observer === undefined || ids.length === 0) return remove();
  try {
    await observer.forgetting(ids).catch((error: unknown) => {
      const message = 'what quotes the hint could not be removed';
      throw new AppError('UNAVAILABLE', message, {}, { cause: error });
    });
    return await remove();
  } catch (error) {
    const kept = ids.filter((id) => store.variants.get(id) !== undefined);
    if (kept.length > 0) observer.returned(kept);
    throw error;
  }
}
