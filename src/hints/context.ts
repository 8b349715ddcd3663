/** The dependencies of all operations on hints, and the rights that they share. */
import type { Caller } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { ProjectIds } from './audience.js';
import type { Guard } from './guard/index.js';
import type { Quotas } from './quota.js';
import type { Hint } from './schema.js';
import type { HintStore } from './store.js';
import { FOR_GOOD } from './ttl.js';
import { endOf } from './variants.js';

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
