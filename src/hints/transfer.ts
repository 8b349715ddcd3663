/**
 * Export (seed §5, DESIGN §10). A payload says neither whose a hint is nor who may read it, so it
 * holds what an import may open to all: the project's hints. For a person in chat their own are in it
 * too, and instead of the project's where both have the same scope.
 */
import type { Caller } from '../records/index.js';
import { isOwn } from './audience.js';
import { type HintContext, notFound } from './context.js';
import { type Asked, best, unsifted } from './explain.js';
import { redactValue } from './guard/index.js';
import { liveFor } from './reads.js';
import { type Hint, SCHEMA_VERSION } from './schema.js';
import type { StorePayload } from './types.js';
import type { Variant } from './variants.js';

/** Values marked as secret are in it for the operator only; others see that there is one. */
export function exportHints(
  { book, clock, sessionId, openedAt }: HintContext,
  component: string | undefined,
  caller: Caller,
): StorePayload {
  const asked: Asked = { caller, context: undefined, nowMs: clock.now() };
  const all = component === undefined ? book.variants.all() : book.variants.ofComponent(component);
  const keys = new Map<string, Map<string, Variant[]>>();
  for (const variant of exported(liveFor(all, caller, asked.nowMs), caller)) {
    const here = keys.get(variant.component) ?? new Map<string, Variant[]>();
    keys.set(variant.component, here);
    here.set(variant.key, [...(here.get(variant.key) ?? []), variant]);
  }
  if (component !== undefined && keys.size === 0) throw notFound(component, null);
  const components = sorted(keys).map(([name, here]) => {
    const ranked = sorted(here).map(([key, variants]): [string, Hint[]] => [
      key,
      best(unsifted(variants), asked, variants.length).map(({ variant }) => shown(variant, caller)),
    ]);
    const hints = Object.fromEntries(
      ranked.flatMap(([key, [first]]) => (first ? [[key, first]] : [])),
    );
    const several = ranked.filter(([, variants]) => variants.length > 1);
    const variants = several.length === 0 ? {} : { variants: Object.fromEntries(several) };
    return [name, { hints, ...variants }] as const;
  });
  return {
    schema_version: SCHEMA_VERSION,
    created_at: openedAt,
    session_id: sessionId,
    components: Object.fromEntries(components),
  };
}

function exported(variants: Iterable<Variant>, caller: Caller): Variant[] {
  const chosen = new Map<string, Variant>();
  for (const variant of variants) {
    const isMine = isOwn(caller, variant.audience);
    if (variant.isPrivate && !isMine) continue;
    const name = JSON.stringify([variant.component, variant.key, variant.scopeKey]);
    if (isMine || !chosen.has(name)) chosen.set(name, variant);
  }
  return [...chosen.values()];
}

function shown({ hint }: Variant, caller: Caller): Hint {
  const isHidden = hint.meta.sensitivity === 'secret' && caller.kind !== 'operator';
  return isHidden ? { ...hint, value: redactValue(hint.value) } : hint;
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
