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
import { ageOf, DAY_MS } from '../shared/clock.js';
import { AppError } from '../shared/errors.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import type { Hint, StoredHint } from './schema.js';
import { type CompiledScope, compileScope, scopeKey, specificity } from './scope.js';
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

export type Variants = ReturnType<typeof createVariants>;

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

export function createVariants() {
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
    get: (id: string): Variant | undefined => byId.get(id),
    ofKey: (component: string, key: string): Iterable<Variant> =>
      components.get(component)?.keys.get(key) ?? [],
    *ofComponent(component: string): Generator<Variant> {
      for (const variants of components.get(component)?.keys.values() ?? []) yield* variants;
    },
    countOf: (component: string) => components.get(component)?.count ?? 0,
    /** Those with all of the tags, of which there is at least one. */
    *tagged(wanted: readonly string[]): Generator<Variant> {
      const sets = wanted.map((tag) => tags.get(tag) ?? new Set<Variant>());
      const [fewest, ...others] = sets.toSorted((a, b) => a.size - b.size);
      for (const variant of fewest ?? []) {
        if (others.every((set) => set.has(variant))) yield variant;
      }
    },
    all: (): Iterable<Variant> => byId.values(),
    put(stored: StoredHint): Variant {
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

/**
 * The order of hints that are eligible (seed `nudge.md` §4):
 *
 * `score = 0.30 frecency + 0.20 priority/10 + 0.20 confidence + 0.20 scope_specificity + 0.10 recency`
 *
 * Each term is between 0 and 1, so the score is, too. What is left out counts as priority 5 and
 * confidence 0.5. A score is rounded to thousandths, so that hints which differ by minutes are equal
 * and the files that are open decide between them. Pure.
 */

const DEFAULT_PRIORITY = 5;
const DEFAULT_CONFIDENCE = 0.5;

/** After a week without use, past uses count half. */
const USE_HALF_LIFE_MS = 7 * DAY_MS;
/** This many uses just now give half of the maximum. */
const HALF_USES = 2;
/** A day after a change, its freshness is half. */
const CHANGE_HALF_LIFE_MS = DAY_MS;
/** Uses within it are called recent in the reasons. */
const RECENT_MS = DAY_MS;

/** What a hint has to do with the order, for `openFileOf`. */
interface Rankable {
  component: string;
  hint: Hint;
}

/** The inputs of a score that only a use or a change of the hint alters; the rest depends on the time. */
interface Merits {
  /** `priority / 10`. */
  priority: number;
  confidence: number;
  /** Fields of the scope that are given, of six. */
  specificity: number;
  uses: number;
  /** Epoch ms; 0: never, or nobody knows when. */
  usedAtMs: number;
  changedAtMs: number;
}

export function meritsOf({ meta, use_count, last_used_at, updated_at }: Hint): Merits {
  return {
    priority: between(0, (meta.priority ?? DEFAULT_PRIORITY) / 10, 1),
    confidence: between(0, meta.confidence ?? DEFAULT_CONFIDENCE, 1),
    specificity: specificity(meta.scope),
    uses: Math.max(0, use_count ?? 0),
    usedAtMs: timeOf(last_used_at),
    changedAtMs: timeOf(updated_at),
  };
}

export function scoreAt(merits: Merits, nowMs: number): number {
  const score =
    0.3 * frecency(merits, nowMs) +
    0.2 * merits.priority +
    0.2 * merits.confidence +
    0.2 * merits.specificity +
    0.1 * recency(merits, nowMs);
  return Math.round(score * 1_000) / 1_000;
}

/**
 * How much and how lately a hint was used: `u / (u + 2)`, where `u` is the number of uses, halved for
 * every 7 days since the last one. 0 when it was never used, or nobody knows when.
 */
export function frecency({ uses, usedAtMs }: Pick<Merits, 'uses' | 'usedAtMs'>, nowMs: number) {
  const left = uses * halvings(usedAtMs, USE_HALF_LIFE_MS, nowMs);
  return left === 0 ? 0 : left / (left + HALF_USES);
}

/** How lately a hint was changed: 1 just now, halved every day. */
export function recency({ changedAtMs }: Pick<Merits, 'changedAtMs'>, nowMs: number): number {
  return halvings(changedAtMs, CHANGE_HALF_LIFE_MS, nowMs);
}

/** Why a hint stands where it does; its scope explains why it is eligible. */
export function rankReasons(one: Rankable, files: readonly string[], nowMs: number): string[] {
  const { use_count = 0, last_used_at } = one.hint;
  const reasons: string[] = [];
  const atMs = timeOf(last_used_at);
  if (use_count > 0 && atMs > 0) {
    const age = ageOf(atMs, nowMs);
    const isRecent = nowMs - atMs < RECENT_MS;
    reasons.push(isRecent ? `recently used (${age})` : `used ${use_count}× (last ${age})`);
  }
  const file = openFileOf(one, files);
  if (file !== null) reasons.push(`fits the open file ${file}`);
  return reasons;
}

/**
 * The first of the files that has to do with a hint: its component or one of its tags is a folder of
 * the file, its name or its ending, or the file lies where the path of the hint points.
 */
export function openFileOf({ component, hint }: Rankable, files: readonly string[]): string | null {
  if (files.length === 0) return null;
  const names = new Set([component, ...(hint.meta.tags ?? [])].map((name) => name.toLowerCase()));
  const { value } = hint;
  const place = typeof value !== 'string' && value.type === 'path' ? slashed(value.abs) : null;
  const found = files.find((file) => {
    const path = slashed(file);
    if (place !== null && (path === place || path.startsWith(`${place}/`))) return true;
    return partsOf(path).some((part) => names.has(part));
  });
  return found ?? null;
}

const slashed = (path: string): string =>
  path.replaceAll('\\', '/').replace(/\/+$/, '').toLowerCase();

/** `src/api/auth.test.ts` → src, api, auth.test.ts, auth.test, auth, ts. */
function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  const name = parts.at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return parts;
  return [...parts, name.slice(0, dot), name.slice(0, name.indexOf('.', 1)), name.slice(dot + 1)];
}

/** 1 now (and in the future: a clock was set back), 0.5 after a half-life; 0 for no time. */
function halvings(atMs: number, halfLifeMs: number, nowMs: number): number {
  return atMs === 0 ? 0 : 2 ** (-Math.max(0, nowMs - atMs) / halfLifeMs);
}

/** Epoch ms; 0 for none. */
const timeOf = (time: string | undefined): number => Date.parse(time ?? '') || 0;
const between = (low: number, value: number, high: number): number =>
  Math.min(high, Math.max(low, value));
