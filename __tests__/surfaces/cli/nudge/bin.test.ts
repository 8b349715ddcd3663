/** The real program, and what it loads. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HintServer, makeStage, type Stage, startHintServer } from './nudge.js';

let server: HintServer;
let stage: Stage;
beforeAll(async () => {
  server = await startHintServer();
  stage = makeStage(server);
});
afterAll(async () => {
  stage.remove();
  await server.close();
});

describe('the nudge process', () => {
  it('keeps a hint read from standard input, and gives it where its scope says', async () => {
    const set = ['set', 'api', 'build', '-', '--type', 'command', '--scope-env-match', 'STAGE=dev'];
    set.push('--ttl', 'P1D');
    const made = await stage.process({ stdin: 'make all\n' }, ...set);
    expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });

    const get = ['get', 'api', 'build'];
    expect(await stage.process({ env: { STAGE: 'dev' } }, ...get)).toEqual({
      code: 0,
      out: 'value: make all\nmatch:\n  score: 0.33\n  reasons:\n    - env STAGE=dev allowed\n',
      err: '',
    });
    expect(await stage.process({}, ...get)).toEqual({
      code: 3,
      out: '',
      err: 'nudge: api/build is not eligible here\n  - env STAGE not set\n',
    });
  });

  it('says on standard error what it refuses', async () => {
    expect(await stage.process({}, 'get', 'api')).toEqual({
      code: 2,
      out: '',
      err: "nudge: missing required argument 'key'\n",
    });
  });
});

describe('what the nudge process loads for a hint', () => {
  const source = (path: string) =>
    fileURLToPath(new URL(`../../../../src/${path}`, import.meta.url));
  const packages = new Set<string>();
  const files = new Set<string>();

  function follow(file: string, lazily: boolean): void {
    if (files.has(file)) return;
    files.add(file);
    const imports = /^(?:import|export)(?! type\b)[^;'"]*?from '([^']+)'|^import '([^']+)'/gm;
    const found = [...readFileSync(file, 'utf8').matchAll(imports)].map(([, a, b]) => a ?? b ?? '');
    const later = [...readFileSync(file, 'utf8').matchAll(/await import\('([^']+)'\)/g)];
    for (const target of [...found, ...(lazily ? later.map(([, name]) => name ?? '') : [])]) {
      if (!target.startsWith('.')) packages.add(target);
      else follow(resolve(dirname(file), target.replace(/\.js$/, '.ts')), lazily);
    }
  }

  it('is not even the reader of command lines: no host, no schemas, no detector of secrets', () => {
    const foreign = () => [...packages].filter((name) => !name.startsWith('node:'));
    follow(source('bin/nudge.ts'), false);
    follow(source('surfaces/cli/nudge/print-hint.ts'), false);
    expect(foreign()).toEqual([]);
    expect(files.size).toBeLessThan(52);
    // Each takes two milliseconds more.
    expect([...packages]).not.toContain('node:child_process');
    // Where the whole command is needed, that reader alone comes with it.
    follow(source('surfaces/cli/nudge/hints.ts'), true);
    expect(foreign()).toEqual(['commander']);
    expect([...packages]).not.toContain('node:crypto');
    expect([...files].every((file) => existsSync(file))).toBe(true);
    expect([...files].some((file) => file.endsWith('hints/secrets.ts'))).toBe(true);
  });
});
