/**
 * Other rooms show hints and keep what they showed. What quotes a hint has to go before the hint is
 * forgotten, so that after a failure in between asking again finds the rest. What merely changed or
 * expired needs no telling: who shows a hint looks whether it still is as it was.
 */
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { HintContext } from './context.js';

export interface HintObserver {
  /** These are about to be forgotten: resolves when nothing quotes them any more. */
  forgetting(ids: readonly Uuid[]): Promise<void>;
  /** These are there again: a hint set anew has the id it had. Must not throw. */
  returned(ids: readonly Uuid[]): void;
}

/** @throws AppError UNAVAILABLE when what quotes them cannot be removed: nothing is forgotten then */
export async function forgetting<T>(
  { book, observer }: Pick<HintContext, 'book' | 'observer'>,
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
    const kept = ids.filter((id) => book.variants.get(id) !== undefined);
    if (kept.length > 0) observer.returned(kept);
    throw error;
  }
}
