/**
 * Export (seed §5, DESIGN §10). A payload says neither whose a hint is nor who may read it, so it
 * holds what an import may open to all: the project's hints. For a person in chat their own are in it
 * too, and instead of the project's where both have the same scope.
 */
import type { Caller } from '../records/index.js';
import { yieldToLoop } from '../shared/yield.js';
import { isOwn } from './audience.js';
import { type HintContext, notFound } from './context.js';
import { type Asked, best, unfiltered } from './explain.js';
import { redactValue } from './guard/index.js';
import { liveFor } from './reads.js';
import { type Hint, SCHEMA_VERSION } from './schema.js';
import type { StorePayload } from './types.js';
import type { Variant } from './variants.js';

/** Hints exported between two turns of the event loop. */
const SLICE = 500;

/**
 * A snapshot of the hints at the time of the call. Only the operator gets values that are marked as secret;
 * others get `[redacted]`.
 */
export async function exportHints(
  { store, clock, sessionId, openedAt }: HintContext,
  component: string | undefined,
  caller: Caller,
): Promise<StorePayload> {
  const asked: Asked = { caller, context: undefined, nowMs: clock.now() };
  const all =
    component === undefined ? store.variants.all() : store.variants.ofComponent(component);
  const named = await byName([...liveFor(all, caller, asked.nowMs)], caller);
  if (component !== undefined && named.size === 0) throw notFound(component, null);
  const components: [string, StorePayload['components'][string]][] = [];
  let done = 0;
  for (const [name, keys] of sorted(named)) {
    const hints: [string, Hint][] = [];
    const several: [string, Hint[]][] = [];
    for (const [key, scopes] of sorted(keys)) {
      const ranked = best(unfiltered(scopes.values()), asked, scopes.size).map(({ variant }) =>
        shown(variant, caller),
      );
      const [first] = ranked;
      if (first) hints.push([key, first]);
      if (ranked.length > 1) several.push([key, ranked]);
      done += ranked.length;
      if (done < SLICE) continue;
      done = 0;
      await yieldToLoop();
    }
    const variants = several.length === 0 ? {} : { variants: Object.fromEntries(several) };
    components.push([name, { hints: Object.fromEntries(hints), ...variants }]);
  }
  return {
    schema_version: SCHEMA_VERSION,
    created_at: openedAt,
    session_id: sessionId,
    components: Object.fromEntries(components),
  };
}

/** By component, key and scope. Other people's private hints are left out; the caller's own replace the project's. */
async function byName(
  variants: readonly Variant[],
  caller: Caller,
): Promise<Map<string, Map<string, Map<string, Variant>>>> {
  const components = new Map<string, Map<string, Map<string, Variant>>>();
  for (const [at, variant] of variants.entries()) {
    if (at % SLICE === SLICE - 1) await yieldToLoop();
    const isMine = isOwn(caller, variant.audience);
    if (variant.isPrivate && !isMine) continue;
    const scopes = entryOf(entryOf(components, variant.component), variant.key);
    if (isMine || !scopes.has(variant.scopeKey)) scopes.set(variant.scopeKey, variant);
  }
  return components;
}

function entryOf<K, V>(maps: Map<string, Map<K, V>>, name: string): Map<K, V> {
  const map = maps.get(name) ?? new Map<K, V>();
  maps.set(name, map);
  return map;
}

function shown({ hint }: Variant, caller: Caller): Hint {
  const isHidden = hint.meta.sensitivity === 'secret' && caller.kind !== 'operator';
  return isHidden ? { ...hint, value: redactValue(hint.value) } : hint;
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
