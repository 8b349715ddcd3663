/**
 * Import and export (seed §5, §9; DESIGN §10): hint by hint, those that are damaged, expired, refused or too
 * many are skipped with their reason, the others keep all their metadata. What comes in belongs to
 * the importer's audience, and `replace` replaces only that. Nothing changes until every hint
 * has been validated, and nothing changes at all if the import is aborted by then or cannot be stored.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Caller, Scope } from '../records/index.js';
import { inSteps, type LongWork, yieldToLoop } from '../shared/async.js';
import { wrongField } from '../shared/errors.js';
import { judge } from '../shared/findings.js';
import { isDeeper } from '../shared/json.js';
import { safe } from '../shared/safe-text.js';
import { redactSecrets } from '../shared/secrets.js';
import { type Asked, best, liveFor, unfiltered } from './reads.js';
import {
  type Hint,
  hintSchema,
  type ImportOutcome,
  type importParams,
  type ListedHint,
  lostFields,
  MAX_DEPTH,
  nameSchema,
  SCHEMA_VERSION,
  type StoredHint,
  type StorePayload,
  sameName,
} from './schema.js';
import { redactValue } from './secrets.js';
import {
  beforeDelete,
  defaultTtlFor,
  type HintContext,
  notFound,
  requireShare,
  sessionFor,
} from './store.js';
import { FOR_GOOD } from './ttl.js';
import { validateHint, wordsOf } from './validate.js';
import {
  audienceFor,
  endOf,
  exceeded,
  hintId,
  isLive,
  isOwn,
  ownerOf,
  sumOf,
  type Variant,
} from './variants.js';
import type { SetOptions } from './writes.js';

const MAX_REASONS = 100;
/** Hints judged between two turns of the event loop. */
const BATCH = 25;
/** Imported counters are cut to this, so that they can still be incremented exactly. */
const MAX_COUNT = 1_000_000_000;
const NAME_LENGTH = 80;

/** Written by hand, a hint may leave out what the store knows by itself. */
const importedSchema = hintSchema.partial({
  meta: true,
  version: true,
  created_at: true,
  updated_at: true,
});

type ImportParams = z.output<typeof importParams>;

/** Aborted before the last hint is judged, an import changes nothing. */
export interface ImportOptions extends SetOptions, LongWork {}

interface Entry {
  component: string;
  key: string;
  raw: unknown;
}

interface Candidate extends StoredHint {
  /** Its value was redacted by an export, so the stored value is kept. */
  isRedacted: boolean;
}

/** Skipped hints, with their number and the reasons. */
interface Skips {
  count: number;
  reasons: string[];
  add(entry: Pick<Entry, 'component' | 'key'>, reason: string): void;
}

/**
 * A hint that is here already gives way to one that was changed later; its version then rises, so
 * that nobody's `if_match_version` fits another content.
 */
export async function importHints(
  room: HintContext,
  params: ImportParams,
  caller: Caller,
  { share = false, signal, onProgress }: ImportOptions = {},
): Promise<ImportOutcome> {
  const { payload, mode = 'merge' } = params;
  if (payload.schema_version !== SCHEMA_VERSION) {
    const message = `is not "${SCHEMA_VERSION}", the only version that is known`;
    throw wrongField('payload.schema_version', message);
  }
  await requireShare(room, caller, share);
  const audience = audienceFor(caller, share, room.project);
  const skips = createSkips();
  const entries = entriesOf(payload);
  // Each hint is judged, and then written.
  const steps = 2 * entries.length;
  const tell = inSteps(onProgress);
  const candidates = await judged(room, entries, params, caller, audience, skips, {
    signal,
    onProgress: (done) => tell(done, steps),
  });
  if (signal?.aborted) return { imported: 0, skipped: skips.count, reasons: skips.reasons };
  if (mode === 'replace' && entries.length > 0 && candidates.length === 0) {
    const message = `none of ${entries.length} hints can be taken in, so that none was replaced: ${skips.reasons[0]}`;
    throw wrongField('payload.components', message);
  }
  const old = () => (mode === 'replace' ? replacedBy(room, candidates, audience) : []);
  const takeIn = () =>
    room.store.inTurn(async () => {
      await room.store.expire(room.clock.now());
      const replaced = old();
      const put = chosen(room, candidates, new Set(replaced), mode, skips);
      const ids = new Set(put.map(({ id }) => id));
      const remove = replaced.filter(({ id }) => !ids.has(id));
      let written = 0;
      const onWritten = () => {
        written += 1;
        tell(entries.length + written, steps);
      };
      await room.store.commit({ put, remove, force: true, onWritten });
      if (steps > 0) tell(steps, steps);
      return { imported: put.length, skipped: skips.count, reasons: skips.reasons };
    });
  const kept = new Set(candidates.map(({ id }) => id));
  const gone = await room.store.inTurn(async () =>
    old().flatMap(({ id }) => (kept.has(id) ? [] : [id])),
  );
  return beforeDelete(room, gone, takeIn);
}

/** Every hint of the payload once as it stands there; the best of several is listed twice. */
function entriesOf({ components }: ImportParams['payload']): Entry[] {
  return Object.entries(components).flatMap(([component, { hints, variants = {} }]) => {
    const several = Object.entries(variants).flatMap(([key, list]) =>
      list.map((raw) => ({ component: sameName(component), key: sameName(key), raw })),
    );
    const texts = new Set(several.map(({ key, raw }) => JSON.stringify([key, raw])));
    const single = Object.entries(hints)
      .filter(([key, raw]) => !texts.has(JSON.stringify([sameName(key), raw])))
      .map(([key, raw]) => ({ component: sameName(component), key: sameName(key), raw }));
    return [...single, ...several];
  });
}

/** The valid hints, each once: of two with the same scope the later one. */
async function judged(
  room: HintContext,
  entries: readonly Entry[],
  { allow_secret = false }: ImportParams,
  caller: Caller,
  audience: Scope,
  skips: Skips,
  { signal, onProgress }: { signal: AbortSignal | undefined; onProgress: (done: number) => void },
): Promise<Candidate[]> {
  const found = new Map<string, Candidate>();
  const defaultTtl = defaultTtlFor(room, caller);
  const options = { guard: room.guard, defaultTtl, allowSecret: allow_secret };
  for (const [at, entry] of entries.entries()) {
    if (at % BATCH === 0) {
      onProgress(at);
      await yieldToLoop();
      if (signal?.aborted) break;
    }
    // The rest could not be stored anyway.
    if (found.size >= room.quotas.maxHints) {
      skips.add(entry, 'quota: hints');
      continue;
    }
    const nowMs = room.clock.now();
    const hint = readHint(entry, nowMs);
    if (typeof hint === 'string') {
      skips.add(entry, hint);
      continue;
    }
    const { component, key } = entry;
    const valid = await validateHint({ ...entry, value: hint.value, meta: hint.meta }, options);
    if ('code' in valid) {
      const isSecret = valid.code === 'SECRET_REJECTED';
      skips.add(entry, `${isSecret ? 'looks like a secret: ' : ''}${wordsOf(valid.findings)}`);
      continue;
    }
    const kept: Hint = { ...hint, meta: valid.meta };
    const expiresAtMs = endOf(kept);
    if (!isLive({ expiresAtMs }, nowMs)) {
      skips.add(entry, 'expired');
      continue;
    }
    const id = hintId(room.project.projectId, { component, key, scope: valid.scopeKey }, audience);
    const other = found.get(id);
    if (other) skips.add(entry, 'there are two with the same scope');
    if (other && other.hint.updated_at >= kept.updated_at) continue;
    const isRedacted = isHidden(kept);
    const session = sessionFor(kept, caller);
    const stored = { id, component, key, hint: kept, audience, expiresAtMs, session };
    found.set(id, { ...stored, isRedacted });
  }
  return [...found.values()];
}

/** @returns the hint with times in UTC and none in the future, or why it cannot be read */
function readHint({ component, key, raw }: Entry, nowMs: number): Hint | string {
  const names = z.tuple([nameSchema, nameSchema]).safeParse([component, key]);
  if (!names.success || names.data[0] !== component || names.data[1] !== key) {
    return 'component or key is no name';
  }
  if (isDeeper(raw, MAX_DEPTH)) return 'is nested too deep';
  const lost = lostFields(raw);
  if (lost.length > 0) return wordsOf(lost);
  const judged = judge(importedSchema, raw);
  if (judged.findings !== null) return wordsOf(judged.findings);
  const { value, meta = {}, version = 1, use_count, last_used_at } = judged.data;
  const time = (text: string | undefined) =>
    new Date(text === undefined ? nowMs : Math.min(Date.parse(text), nowMs)).toISOString();
  return {
    value: structuredClone(value),
    meta,
    version: Math.min(version, MAX_COUNT),
    created_at: time(judged.data.created_at ?? judged.data.updated_at),
    updated_at: time(judged.data.updated_at),
    ...(use_count === undefined ? {} : { use_count: Math.min(use_count, MAX_COUNT) }),
    ...(last_used_at === undefined ? {} : { last_used_at: time(last_used_at) }),
  };
}

function isHidden({ value, meta }: Hint): boolean {
  if (meta.sensitivity !== 'secret') return false;
  return JSON.stringify(redactValue(value)) === JSON.stringify(value);
}

/** What `replace` takes away: the hints of the audience, but for secrets that the payload hides. */
function replacedBy(
  { store }: HintContext,
  candidates: readonly Candidate[],
  audience: Scope,
): Variant[] {
  const kept = new Set(candidates.filter(({ isRedacted }) => isRedacted).map(({ id }) => id));
  return [...store.variants.all()].filter(
    (variant) => ownerOf(variant.audience) === ownerOf(audience) && !kept.has(variant.id),
  );
}

/** The hints to write, with their new versions. */
function chosen(
  { store, quotas }: HintContext,
  candidates: readonly Candidate[],
  old: ReadonlySet<Variant>,
  mode: 'merge' | 'replace',
  skips: Skips,
): StoredHint[] {
  const counts = new Map<string, number>();
  let size = 0;
  const add = (component: string) => {
    size += 1;
    counts.set(component, (counts.get(component) ?? 0) + 1);
  };
  for (const variant of store.variants.all()) {
    if (!old.has(variant)) add(variant.component);
  }
  const put: StoredHint[] = [];
  for (const { isRedacted, ...candidate } of candidates) {
    const { id, component, hint } = candidate;
    const here = store.variants.get(id);
    if (isRedacted) {
      skips.add(candidate, 'its secret is hidden in the payload');
      continue;
    }
    if (here && mode === 'merge' && here.hint.updated_at >= hint.updated_at) {
      skips.add(candidate, 'what is here is as new');
      continue;
    }
    const isSame = here === undefined || isDeepStrictEqual(contentOf(here.hint), contentOf(hint));
    const isThere = here !== undefined && !old.has(here);
    const counted = {
      size,
      componentCount: counts.size,
      countOf: (name: string) => counts.get(name) ?? 0,
    };
    const over = isThere ? null : exceeded(quotas, counted, component);
    if (over) {
      skips.add(candidate, `quota: ${over.quota}`);
      continue;
    }
    if (!isThere) add(component);
    const version = isSame ? hint.version : Math.max(hint.version, sumOf(here.hint.version, 1));
    const audience = here?.audience ?? candidate.audience;
    put.push({ ...candidate, audience, hint: { ...hint, version } });
  }
  return put;
}

function contentOf({ value, meta }: Hint): Pick<Hint, 'value' | 'meta'> {
  return { value, meta };
}

function createSkips(): Skips {
  const reasons: string[] = [];
  return {
    count: 0,
    reasons,
    add({ component, key }, reason) {
      this.count += 1;
      if (reasons.length >= MAX_REASONS) return;
      const name = [component, key].map((word) => safe(word, NAME_LENGTH)).join('/');
      reasons.push(`${redactSecrets(name).text}: ${safe(reason, 300)}`);
    },
  };
}

/** Hints listed between two turns of the event loop. */
const SLICE = 500;

/**
 * The hints at the time of the call, by component and key, the best variant of a key first. They do not say
 * whose they are or who may read them, so these are what may be opened to all: the project's hints, and for a
 * person in chat their own. Only the operator gets values that are marked as secret; others get `[redacted]`.
 */
export async function listHints(
  { store, clock }: HintContext,
  component: string | undefined,
  caller: Caller,
): Promise<ListedHint[]> {
  const asked: Asked = { caller, context: undefined, nowMs: clock.now() };
  const all =
    component === undefined ? store.variants.all() : store.variants.ofComponent(component);
  const named = await byName([...liveFor(all, caller, asked.nowMs)], caller);
  const listed: ListedHint[] = [];
  let next = SLICE;
  for (const [, scopes] of [...named].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const { variant } of best(unfiltered(scopes.values()), asked, scopes.size)) {
      const { component: name, key, expiresAtMs: at, hint } = variant;
      const endsByTime = at !== null && hint.meta.ttl !== FOR_GOOD;
      listed.push({
        ...{ component: name, key, hint: shown(variant, caller) },
        expires_at: endsByTime ? new Date(at).toISOString() : null,
      });
    }
    if (listed.length < next) continue;
    next = listed.length + SLICE;
    await yieldToLoop();
  }
  return listed;
}

/** A snapshot of the same as an import takes it in. */
export async function exportHints(
  room: HintContext,
  component: string | undefined,
  caller: Caller,
): Promise<StorePayload> {
  const components = new Map<string, Map<string, Hint[]>>();
  for (const { component: name, key, hint } of await listHints(room, component, caller)) {
    const keys = entryOf(components, name);
    keys.set(key, [...(keys.get(key) ?? []), hint]);
  }
  if (component !== undefined && components.size === 0) throw notFound(component, null);
  return {
    schema_version: SCHEMA_VERSION,
    created_at: room.openedAt,
    session_id: room.sessionId,
    components: Object.fromEntries([...components].map(([name, keys]) => [name, payloadOf(keys)])),
  };
}

function payloadOf(keys: ReadonlyMap<string, Hint[]>): StorePayload['components'][string] {
  const all = [...keys];
  const several = all.filter(([, hints]) => hints.length > 1);
  return {
    hints: Object.fromEntries(all.flatMap(([key, [best]]) => (best ? [[key, best]] : []))),
    ...(several.length === 0 ? {} : { variants: Object.fromEntries(several) }),
  };
}

/**
 * By component and key, then by scope. Other people's private hints are left out; the caller's own replace the
 * project's.
 */
async function byName(
  variants: readonly Variant[],
  caller: Caller,
): Promise<Map<string, Map<string, Variant>>> {
  const names = new Map<string, Map<string, Variant>>();
  for (const [at, variant] of variants.entries()) {
    if (at % SLICE === SLICE - 1) await yieldToLoop();
    const isMine = isOwn(caller, variant.audience);
    if (variant.isPrivate && !isMine) continue;
    // No name holds a line break, which stands before all that one may hold.
    const scopes = entryOf(names, `${variant.component}\n${variant.key}`);
    if (isMine || !scopes.has(variant.scopeKey)) scopes.set(variant.scopeKey, variant);
  }
  return names;
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
