/** What is loaded before a command runs: read from the imports that are not made on demand. */
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../../src', import.meta.url));

interface Loaded {
  packages: Set<string>;
  files: Set<string>;
}

function loadedBy(file: string, loaded: Loaded = { packages: new Set(), files: new Set() }) {
  if (loaded.files.has(file)) return loaded;
  loaded.files.add(file);
  const imports = /^(?:import|export)(?! type\b)[^;'"]*?from '([^']+)'|^import '([^']+)'/gm;
  for (const [, named, bare] of readFileSync(file, 'utf8').matchAll(imports)) {
    const target = named ?? bare ?? '';
    if (target.startsWith('.')) {
      loadedBy(resolve(dirname(file), target.replace(/\.js$/, '.ts')), loaded);
    } else loaded.packages.add(target);
  }
  return loaded;
}

/** Beside Node's own and the reader of command lines. */
const foreign = ({ packages }: Loaded) =>
  [...packages].filter((name) => !name.startsWith('node:') && name !== 'commander');
const rooms = ({ files }: Loaded) =>
  [...files]
    .map((file) => relative(SRC, file))
    .filter((file) => !/^(?:bin|shared|surfaces|server)\b/.test(file));

describe('cue', () => {
  it('loads no group, and nothing of a server, before one is asked for', () => {
    const loaded = loadedBy(resolve(SRC, 'bin/commands.ts'));
    loadedBy(resolve(SRC, 'surfaces/cli/program.ts'), loaded);
    expect(foreign(loaded)).toEqual([]);
    const groups =
      /\bcommand\.ts$|\bcli\/(?:memory|offers|trigger|status|transfer|mcp)\.ts$|\bserver\b/;
    expect([...loaded.files].filter((file) => groups.test(relative(SRC, file)))).toEqual([]);
  });

  it('hook goes without the reader of command lines, and what it loads stays little', () => {
    const loaded = loadedBy(resolve(SRC, 'bin/cue.ts'));
    loadedBy(resolve(SRC, 'surfaces/cli/hook/answer.ts'), loaded);
    const slow = ['commander', 'node:crypto', 'node:child_process', 'node:fs/promises'];
    expect([...loaded.packages].filter((name) => slow.includes(name))).toEqual([]);
    expect(loaded.files.size).toBeLessThan(30);
  });

  it('when loads nothing of a server: it works on files', () => {
    const loaded = loadedBy(resolve(SRC, 'bin/cue.ts'));
    const { files } = loadedBy(resolve(SRC, 'surfaces/cli/when-commands/command.ts'), loaded);
    const names = [...files].map((file) => relative(SRC, file));
    expect(names.filter((name) => name.startsWith('server/'))).toEqual([]);
  });

  it('mcp loads nothing that installs', () => {
    const { files } = loadedBy(resolve(SRC, 'surfaces/cli/mcp.ts'));
    const names = [...files].map((file) => relative(SRC, file));
    expect(names.filter((name) => name.includes('cli/install/')).sort()).toEqual([
      'surfaces/cli/install/clients.ts',
      'surfaces/cli/install/command.ts',
    ]);
  });

  it.each([
    'memory',
    'offers',
    'trigger',
    'status',
    'transfer',
    'completion',
    'complete',
    'doctor',
    'open',
    'list',
  ])('%s brings neither host nor schemas along', (group) => {
    const loaded = loadedBy(resolve(SRC, `surfaces/cli/${group}.ts`));
    expect({ foreign: foreign(loaded), rooms: rooms(loaded) }).toEqual({
      foreign: [],
      rooms: [],
    });
  });
});
