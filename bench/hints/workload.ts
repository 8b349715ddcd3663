/**
 * Hints as a large team has them: ten for each component, one in ten with a scope, most of these a
 * variant of a key that also has a value for everywhere. The same for the same number in every process.
 */
import type {
  Hint,
  HintScope,
  HintValue,
  NudgeContext,
  SetHintParams,
  StorePayload,
} from '../../src/hints/index.js';
import { drawsOf, someWord } from '../memory/workload.js';

/** 5,000 hints are of 500 components. */
export const PER_COMPONENT = 10;
const KEYS = ['build', 'test', 'run', 'lint', 'env-file', 'logs', 'port', 'migrate', 'config'];
const TAGS = 40;
const TTL = 'P90D';
const START_MS = Date.UTC(2026, 0, 1);
const SPAN_MS = 90 * 86_400_000;

export interface Item {
  component: string;
  key: string;
  value: HintValue;
  meta: NonNullable<SetHintParams['meta']>;
}

type Random = () => number;

export const componentAt = (index: number): string => `${wordAt(index)}-${index}`;

/** The hint with the number; every tenth has a scope. */
export function itemAt(index: number): Item {
  const random = drawsOf(`hint ${index}`);
  const at = Math.floor(index / PER_COMPONENT);
  const component = componentAt(at);
  const slot = index % PER_COMPONENT;
  const tags = new Set(Array.from({ length: Math.floor(random() * 4) }, () => someTag(random)));
  const rest = slot < KEYS.length ? { key: KEYS[slot] ?? '' } : scopedAt(at, component);
  return {
    component,
    key: rest.key,
    value: madeValue(rest.key, component, random),
    meta: {
      reason: `${someWord(random)} ${someWord(random)} ${someWord(random)}`,
      tags: [...tags],
      priority: 1 + Math.floor(random() * 10),
      confidence: Math.round(random() * 100) / 100,
      ttl: TTL,
      source: 'user',
      ...('scope' in rest ? { scope: rest.scope } : {}),
    },
  };
}

/** What `import` takes; hints of one key that differ by scope are its variants. */
export function payloadOf(size: number, nowMs: number): StorePayload {
  const components: StorePayload['components'] = {};
  for (let index = 0; index < size; index += 1) {
    const { component, key, value, meta } = itemAt(index);
    components[component] ??= { hints: {}, variants: {} };
    const { hints, variants = {} } = components[component];
    const hint = hintOf(index, value, meta, nowMs);
    const first = hints[key];
    if (first) variants[key] = [...(variants[key] ?? [first]), hint];
    else hints[key] = hint;
  }
  return { schema_version: '1.0', created_at: iso(nowMs), session_id: 'bench', components };
}

/** What is asked in a series; `name` is short: `drawsOf` tells only short ones apart. */
export function asked(size: number, name: string) {
  const random = drawsOf(name);
  const some = (): Item => itemAt(Math.floor(random() * size));
  const scoped = (): Item => {
    const at = Math.floor(random() * Math.floor(size / PER_COMPONENT));
    return itemAt(at * PER_COMPONENT + PER_COMPONENT - 1);
  };
  const named = ({ component, key }: Item) => ({ component, key, context: contextOf(component) });
  return {
    get: () => named(some()),
    /** A key of which one variant has a scope; it is eligible in every second context. */
    getScoped: () => named(scoped()),
    byComponent: () => {
      const { component } = some();
      return { component, context: contextOf(component) };
    },
    byTag: () => ({ tags: [someTag(random)], context: contextOf(some().component) }),
    everything: () => ({ context: contextOf(some().component) }),
    byRegex: () => ({
      regex: `^pnpm .*${some().component.split('-')[0]}.* (test|lint)\\b`,
      context: contextOf(some().component),
    }),
    /** The value of a hint that is there, changed. */
    set: (): SetHintParams => {
      const { component, key, value, meta } = some();
      const more = ` --round=${Math.floor(random() * 1e6)}`;
      return { component, key, meta, value: longer(value, more) };
    },
    named: () => {
      const { component, key } = some();
      return { component, key };
    },
    /** A key that has a value for everywhere. */
    everywhere: () => {
      const at = Math.floor(random() * Math.floor(size / PER_COMPONENT)) * PER_COMPONENT;
      const { component, key } = itemAt(at + Math.floor(random() * KEYS.length));
      return { component, key };
    },
    draw: random,
  };
}

/** Where somebody works on a component: every second one on a release branch. */
export function contextOf(component: string): NudgeContext {
  return {
    cwd: `/home/dev/src/shop/packages/${component}/lib`,
    repo: 'git@github.com:acme/shop.git',
    branch: component.length % 2 === 0 ? 'release/2.1' : 'main',
    os: 'linux',
    env: { CI: '0', NODE_ENV: 'development', SHELL: '/bin/bash', LANG: 'en_US.UTF-8' },
  };
}

function scopedAt(at: number, component: string): { key: string; scope: HintScope } {
  if (at % 3 === 0) return { key: 'build', scope: { os: ['windows'], cwd_glob: ['**/shop/**'] } };
  if (at % 3 === 1) return { key: 'test', scope: { branch: ['release/*', 'hotfix/*'] } };
  const scope = { cwd_glob: [`**/${component}/**`], repo: 'github.com/acme/shop' };
  return { key: 'deploy', scope };
}

function madeValue(key: string, component: string, random: Random): HintValue {
  const words = `${someWord(random)} ${someWord(random)}`;
  if (key === 'env-file' || key === 'logs') {
    return {
      type: 'path',
      os: ['linux'],
      abs: `/srv/shop/${component}/${someWord(random)}/.${key}`,
    };
  }
  if (key === 'config') {
    return { type: 'json', data: { workers: Math.floor(random() * 8), profile: words } };
  }
  if (key === 'port') return `${3_000 + Math.floor(random() * 5_000)} for ${words}`;
  const cmd = `pnpm --filter ${component} ${key} -- ${words.replace(' ', ' --')}`;
  return { type: 'command', shell: 'bash', cmd };
}

function hintOf(index: number, value: HintValue, meta: Item['meta'], nowMs: number): Hint {
  const random = drawsOf(`use ${index}`);
  const made = START_MS + Math.floor(random() * SPAN_MS);
  const changed = nowMs - Math.floor(random() * 30 * 86_400_000);
  const uses = Math.floor(random() ** 3 * 40);
  return {
    value,
    meta,
    version: 1 + Math.floor(random() * 5),
    created_at: iso(Math.min(made, changed)),
    updated_at: iso(changed),
    use_count: uses,
    ...(uses > 0 ? { last_used_at: iso(changed) } : {}),
  };
}

function longer(value: HintValue, more: string): HintValue {
  if (typeof value === 'string') return value + more;
  if (value.type === 'command') return { ...value, cmd: value.cmd + more };
  return value.type === 'path' ? { ...value, abs: value.abs + more.trim() } : value;
}

/** The first tags most often. */
function someTag(random: Random): string {
  return `tag-${Math.floor(random() ** 2 * TAGS)}`;
}

const wordAt = (index: number): string => someWord(drawsOf(`name ${index}`));
const iso = (ms: number): string => new Date(ms).toISOString();
