/** The package and the repository themselves: what is declared is there, and nothing local is. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingOptionals } from '../../scripts/complete-lock.mjs';

const ROOT = join(import.meta.dirname, '..', '..');

interface Parameter {
  type: string;
  description: string;
  required: boolean;
  sensitive: boolean;
  default?: string | number | boolean;
  enum?: string[];
}

interface Manifest {
  main: string;
  module: string;
  types: string;
  exports: { '.': { types: string; default: string }; './package.json': string };
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
  optionalDependencies?: Record<string, string>;
  agentConfig: { pluginType: string; pluginParameters: Record<string, Parameter> };
}

interface Lock {
  packages: Record<string, { version?: string; resolved?: string }>;
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as T;
}

const manifest = readJson<Manifest>('package.json');
const lock = readJson<Lock>('package-lock.json');
const parameters = Object.entries(manifest.agentConfig.pluginParameters);

/** Every text file that is, or would be, committed; also outside a checkout. */
function committedFiles(): string[] {
  if (!existsSync(join(ROOT, '.git'))) {
    const ignored = /^(node_modules|dist|coverage|\.eliza|\.cue)(\/|$)/;
    return readdirSync(ROOT, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => !ignored.test(path));
  }
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

function linesMatching(pattern: RegExp): string[] {
  return committedFiles().flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );
}

describe('package.json', () => {
  it('declares every setting that the code reads, since the host hides the others', async () => {
    const { SETTING_KEYS } = await import('../../src/settings.js');
    const declared = parameters.map(([name]) => name);

    expect(SETTING_KEYS.filter((key) => !declared.includes(key))).toEqual([]);
    expect(SETTING_KEYS.length).toBeGreaterThan(0);
  });

  it('declares the defaults that the code falls back to', async () => {
    const { parseSettings } = await import('../../src/settings.js');
    const fallbacks = Object.entries(parseSettings(() => undefined));
    const declared = manifest.agentConfig.pluginParameters;

    expect(fallbacks.filter(([name, value]) => declared[name]?.default !== value)).toEqual([]);
  });

  it('describes every setting in full, and gives it a default of its own type', () => {
    const faults = parameters.flatMap(([name, parameter]) => {
      const { type, description, required, sensitive, default: fallback } = parameter;
      const complete =
        ['string', 'number', 'boolean'].includes(type) &&
        description.length > 15 &&
        required === false &&
        typeof sensitive === 'boolean' &&
        (fallback === undefined || typeof fallback === type) &&
        (!parameter.enum || parameter.enum.includes(String(fallback)));
      return complete ? [] : [name];
    });

    expect(faults).toEqual([]);
  });

  it('names one built entry in every field that a loader may read', () => {
    const entry = './dist/index.js';
    const source = 'src/index.ts';

    expect(`./${manifest.main}`).toBe(entry);
    expect(`./${manifest.module}`).toBe(entry);
    expect(manifest.exports['.'].default).toBe(entry);
    expect(manifest.exports['.'].types).toBe(`./${manifest.types}`);
    expect(Object.keys(manifest.exports['.'])[0]).toBe('types');
    expect(existsSync(join(ROOT, source))).toBe(true);
    expect(existsSync(join(ROOT, manifest.exports['./package.json']))).toBe(true);
  });

  it('exports the plugin from the source of that entry', async () => {
    const entry = await import('../../src/index.js');

    expect(entry.default.name).toBe('cue');
    expect(entry.cuePlugin).toBe(entry.default);
  });

  it('installs what it needs inside each command, since pre-scripts are switched off', () => {
    const hooks = Object.keys(manifest.scripts).filter((name) => /^(pre|post)/.test(name));
    const first = 'node scripts/ensure-install.mjs && ';
    const commands = Object.keys(manifest.scripts).filter((name) => name.startsWith('test'));
    commands.push('demo', 'bench');

    expect(hooks).toEqual([]);
    expect(commands.filter((name) => !manifest.scripts[name]?.startsWith(first))).toEqual([]);
    // It looks for a running server before it installs or builds anything below that.
    expect(manifest.scripts.start).toBe('node scripts/start.mjs');
  });

  it('leaves the host to the user: it is a peer, and never a dependency', () => {
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@eliza'))).toEqual(
      [],
    );
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual([
      '@elizaos/core',
      '@elizaos/plugin-bootstrap',
      '@elizaos/plugin-sql',
      '@huggingface/transformers',
    ]);
  });

  it('brings nobody the transformers who did not ask for them, and no tokenizer that is built in', () => {
    expect(manifest.peerDependenciesMeta).toEqual({
      '@huggingface/transformers': { optional: true },
    });
    expect(manifest.optionalDependencies).toBeUndefined();
    expect(Object.keys(manifest.dependencies)).not.toContain('gpt-tokenizer');
  });
});

describe('package-lock.json', () => {
  it('names no registry', () => {
    const resolved = Object.values(lock.packages).filter((entry) => entry.resolved);
    expect(resolved).toEqual([]);
  });

  it('locks the binaries of every platform, without which npm ci refuses it (npm/cli#9846)', () => {
    expect(missingOptionals(lock)).toEqual([]);
  });

  it('has one copy of what must be one copy: the host, the database layer and the schemas', () => {
    const single = ['@elizaos/core', '@elizaos/plugin-sql', 'drizzle-orm', 'zod'];
    const copies = Object.keys(lock.packages).filter((path) =>
      single.some((name) => path.endsWith(`node_modules/${name}`)),
    );
    expect(copies.sort()).toEqual(single.map((name) => `node_modules/${name}`).sort());
  });
});

describe('the committed files', () => {
  it('name no directory of the machine they were written on', () => {
    const places = [ROOT, dirname(ROOT), homedir()]
      .map((place) => place.replaceAll('\\', '/'))
      // A parent such as / or /tmp is no one's own and stands in honest text.
      .filter((place) => place.split('/').filter(Boolean).length > 0 && place !== '/tmp');
    const escaped = places.map((place) => place.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

    expect(linesMatching(new RegExp(`(?<![\\w./-])(${escaped.join('|')})/`))).toEqual([]);
  });

  it('name no address of a package registry', () => {
    expect(linesMatching(/https?:\/\/registry\b|registry\.(npmjs|yarnpkg)/)).toEqual([]);
  });
});
