/**
 * The hints of one process in memory: components → keys → variants, and by tag. Expired hints
 * stay until they are swept, so readers check `isLive`. Hints are frozen and handed out without copying.
 */
import { ownerOf } from './audience.js';
import { printedValue } from './guard/index.js';
import type { Counted } from './quota.js';
import { type Merits, meritsOf } from './rank.js';
import type { Hint } from './schema.js';
import { type CompiledScope, compileScope, scopeKey } from './scope.js';
import { parseTtl } from './ttl.js';
import type { StoredHint } from './types.js';

export interface Variant extends StoredHint {
  scopeKey: string;
  gate: CompiledScope;
  isPrivate: boolean;
  isSecret: boolean;
  merits: Merits;
  /** Each once. */
  tags: readonly string[];
  /** What a regular expression is tried on. */
  words: readonly string[];
  /** Characters of all words. */
  size: number;
  /** The last computed score and its time. */
  scored: { atMs: number; score: number } | null;
}

export interface Variants extends Counted {
  get(id: string): Variant | undefined;
  ofKey(component: string, key: string): Iterable<Variant>;
  ofComponent(component: string): Iterable<Variant>;
  hasComponent(component: string): boolean;
  /** Those with all of the tags, of which there is at least one. */
  tagged(tags: readonly string[]): Iterable<Variant>;
  /** How many have each tag, expired ones included. */
  tagCounts(): Iterable<[tag: string, count: number]>;
  all(): Iterable<Variant>;
  put(hint: StoredHint): Variant;
  remove(id: string): void;
}

/** A compiled scope, shared by all variants with the same scope. */
interface Gate {
  compiled: CompiledScope;
  users: number;
}

export function isLive({ expiresAtMs }: Pick<StoredHint, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs === null || nowMs < expiresAtMs;
}

/**
 * When a hint ends, counted from its last change: epoch ms, `null` with a session. A TTL that
 * cannot be read counts as ended.
 */
export function endOf({ meta, updated_at }: Hint): number | null {
  const ttl = parseTtl(meta.ttl ?? 'session');
  if ('session' in ttl) return null;
  return 'endsAt' in ttl ? ttl.endsAt(Date.parse(updated_at)) : 0;
}

/** A sum of counters, cut to the largest exact integer: the schema refuses to read a larger one. */
export function sumOf(count: number, more: number): number {
  return Math.min(count + more, Number.MAX_SAFE_INTEGER);
}

export function createVariants(): Variants {
  const byId = new Map<string, Variant>();
  const components = new Map<string, { keys: Map<string, Set<Variant>>; count: number }>();
  const tags = new Map<string, Set<Variant>>();
  const gates = new Map<string, Gate>();

  function gateOf(key: string, hint: Hint): CompiledScope {
    const gate = gates.get(key) ?? { compiled: compileScope(hint.meta.scope ?? {}), users: 0 };
    gate.users += 1;
    gates.set(key, gate);
    return gate.compiled;
  }

  function addToIndex(variant: Variant): void {
    const { component, key } = variant;
    const here = components.get(component) ?? { keys: new Map(), count: 0 };
    components.set(component, here);
    here.count += 1;
    add(here.keys, key, variant);
    for (const tag of variant.tags) add(tags, tag, variant);
  }

  function remove(id: string): void {
    const variant = byId.get(id);
    if (!variant) return;
    byId.delete(id);
    for (const tag of variant.tags) take(tags, tag, variant);
    const here = components.get(variant.component);
    if (here) {
      take(here.keys, variant.key, variant);
      here.count -= 1;
      if (here.count === 0) components.delete(variant.component);
    }
    const gate = gates.get(variant.scopeKey);
    if (!gate) return;
    gate.users -= 1;
    if (gate.users === 0) gates.delete(variant.scopeKey);
  }

  return {
    get size() {
      return byId.size;
    },
    get componentCount() {
      return components.size;
    },
    get: (id) => byId.get(id),
    ofKey: (component, key) => components.get(component)?.keys.get(key) ?? [],
    *ofComponent(component) {
      for (const variants of components.get(component)?.keys.values() ?? []) yield* variants;
    },
    countOf: (component) => components.get(component)?.count ?? 0,
    hasComponent: (component) => components.has(component),
    *tagged(wanted) {
      const sets = wanted.map((tag) => tags.get(tag) ?? new Set<Variant>());
      const [fewest, ...others] = sets.toSorted((a, b) => a.size - b.size);
      for (const variant of fewest ?? []) {
        if (others.every((set) => set.has(variant))) yield variant;
      }
    },
    *tagCounts() {
      for (const [tag, { size }] of tags) yield [tag, size];
    },
    all: () => byId.values(),
    put(stored) {
      const { id, component, key, audience, expiresAtMs, session } = stored;
      const hint = frozen(stored.hint);
      const scope = scopeKey(hint.meta.scope ?? {});
      const gate = gateOf(scope, hint);
      remove(id);
      const tags = [...new Set(hint.meta.tags)];
      const words = [key, printedValue(hint.value), ...tags];
      // Listed field by field, so that all variants share one hidden class and scans stay fast.
      const variant: Variant = {
        id,
        component,
        key,
        hint,
        audience,
        expiresAtMs,
        session,
        scopeKey: scope,
        gate,
        isPrivate: ownerOf(audience) !== null,
        isSecret: hint.meta.sensitivity === 'secret',
        merits: meritsOf(hint),
        tags,
        words,
        size: words.reduce((sum, word) => sum + word.length, 0),
        scored: null,
      };
      byId.set(id, variant);
      addToIndex(variant);
      return variant;
    },
    remove,
  };
}

function add(sets: Map<string, Set<Variant>>, name: string, variant: Variant): void {
  const set = sets.get(name);
  if (set) set.add(variant);
  else sets.set(name, new Set([variant]));
}

function take(sets: Map<string, Set<Variant>>, name: string, variant: Variant): void {
  const set = sets.get(name);
  set?.delete(variant);
  if (set?.size === 0) sets.delete(name);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
