/**
 * The hints of one process in memory: components → keys → variants, and by tag. Expired hints
 * stay until they are swept, so readers check `isLive`. Hints are frozen and handed out without copying.
 */
import {
  type Caller,
  canRead,
  identityOfSession,
  projectScope,
  type Scope,
} from '../records/index.js';
import { AppError } from '../shared/errors.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { type Merits, meritsOf } from './rank.js';
import type { Hint, StoredHint } from './schema.js';
import { type CompiledScope, compileScope, scopeKey } from './scope.js';
import { printedValue } from './secrets.js';
import { parseTtl } from './ttl.js';

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
  /** The last computed score and its time. */
  scored: { atMs: number; score: number } | null;
}

export interface Variants extends Counted {
  get(id: string): Variant | undefined;
  ofKey(component: string, key: string): Iterable<Variant>;
  ofComponent(component: string): Iterable<Variant>;
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

/** Limits of the store (seed §9). A variant counts as one hint, whoever may read it. */
export interface Quotas {
  maxHints: number;
  maxComponents: number;
  /** Of one component. */
  maxPerComponent: number;
}

export const DEFAULT_QUOTAS: Quotas = { maxHints: 5_000, maxComponents: 500, maxPerComponent: 200 };

/** What is counted, expired hints included; an import counts what would be stored. */
export interface Counted {
  readonly size: number;
  readonly componentCount: number;
  countOf(component: string): number;
}

interface Exceeded {
  quota: 'hints' | 'components' | 'hints_per_component';
  max: number;
}

/** What one more hint of the component would exceed; `null`: there is room. */
export function exceeded(quotas: Quotas, counted: Counted, component: string): Exceeded | null {
  const { maxHints, maxComponents, maxPerComponent } = quotas;
  const here = counted.countOf(component);
  if (counted.size >= maxHints) return { quota: 'hints', max: maxHints };
  if (here >= maxPerComponent) return { quota: 'hints_per_component', max: maxPerComponent };
  const isNew = here === 0 && counted.componentCount >= maxComponents;
  return isNew ? { quota: 'components', max: maxComponents } : null;
}

const WORDS: Record<Exceeded['quota'], string> = {
  hints: 'hints in all',
  components: 'components',
  hints_per_component: 'hints of one component',
};

export function quotaError({ quota, max }: Exceeded): AppError {
  return new AppError('LIMIT_REACHED', `there may be ${max} ${WORDS[quota]}: delete some first`, {
    quota,
    max,
  });
}

export interface ProjectIds {
  projectId: Uuid;
  /** The Eliza agent's. */
  agentId: Uuid;
}

/**
 * Where a new hint of the caller belongs (DESIGN §3, §10). Hints set in chat are private to the person, in
 * whatever room; all others belong to the project, which is one store that every client shares (seed §11):
 * any client may change, use and delete what another one has set, and `if_match_version` keeps two clients
 * from overwriting each other by accident. A person changes the project's hints only as owner or admin.
 * The author only records who set it first.
 * @param isShared for everybody, though it is set in chat
 */
export function audienceFor(caller: Caller, isShared: boolean, project: ProjectIds): Scope {
  const { projectId, agentId } = project;
  if (caller.kind === 'entity') {
    const { entityId, roomId } = caller;
    const visibility = isShared ? 'project' : 'user';
    return { projectId, visibility, entityId, roomId, authorId: agentId };
  }
  const authorId = authorOf(caller, project);
  return projectScope(projectId, authorId);
}

/** As in work memory, an unregistered client is known by its session and never counts as the Eliza agent. */
function authorOf(caller: Exclude<Caller, { kind: 'entity' }>, project: ProjectIds): Uuid {
  if (caller.kind === 'operator') return caller.agentId ?? project.agentId;
  const { identityId, sessionId } = caller;
  const ofSession =
    sessionId === undefined ? null : identityOfSession(project.projectId, sessionId);
  return identityId ?? ofSession ?? project.agentId;
}

/** The person a private hint belongs to; `null`: it is the project's. */
export function ownerOf({ visibility, entityId }: Scope): Uuid | null {
  return visibility === 'project' ? null : entityId;
}

export function mayRead(caller: Caller, audience: Scope): boolean {
  const { kind } = caller;
  return canRead(kind === 'entity' ? { kind, entityId: caller.entityId } : { kind }, audience);
}

/** @param isAdmin of the world the person asks in */
export function mayWrite(caller: Caller, audience: Scope, isAdmin: boolean): boolean {
  if (caller.kind === 'operator') return true;
  const isProjects = audience.visibility === 'project';
  if (caller.kind === 'agent') return isProjects;
  return isProjects ? isAdmin : audience.entityId === caller.entityId;
}

/** Whether the hint is the caller's own; it comes before the project's when both score the same. */
export function isOwn(caller: Caller, audience: Scope): boolean {
  return caller.kind === 'entity' && ownerOf(audience) === caller.entityId;
}

/** The same component, key, normalized scope and owner are the same hint, on every machine. */
export function hintId(
  projectId: Uuid,
  { component, key, scope }: { component: string; key: string; scope: string },
  audience: Scope,
): Uuid {
  return derivedId('cue_hint', projectId, component, key, scope, ownerOf(audience) ?? '');
}
