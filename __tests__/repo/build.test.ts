import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceTree } from '../../scripts/build.mjs';

const MODULES = 60;
const run = promisify(execFile);

describe('the build', () => {
  let folder: string;
  let dist: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cue-build-'));
    dist = join(folder, 'dist');
    mkdirSync(dist);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** A program of many modules; those of version `n` have names of their own. */
  function compiled(n: number): string {
    const fresh = join(folder, `fresh-${n}`);
    mkdirSync(join(fresh, 'bin'), { recursive: true });
    const names = Array.from({ length: MODULES }, (_, at) => `m${at}.js`);
    for (const name of names) writeFileSync(join(fresh, name), `export const n = ${n};\n`);
    const imports = names.map((name) => `import '../${name}';\n`).join('');
    writeFileSync(join(fresh, 'bin', 'cue.js'), `${imports}console.log('ran');\n`);
    writeFileSync(join(fresh, `only-in-${n}.js`), '');
    return fresh;
  }

  it('leaves a program that starts meanwhile every module it needs', async () => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    replaceTree(compiled(0), dist);
    let runs = 0;
    const programs = Promise.all(
      Array.from({ length: 4 }, async () => {
        const { stdout } = await run(process.execPath, [join(dist, 'bin', 'cue.js')]);
        runs += 1;
        return stdout.trim();
      }),
    );
    let builds = 0;
    while (runs < 4) {
      builds += 1;
      replaceTree(compiled(builds), dist);
      await new Promise((done) => setImmediate(done));
    }

    expect(await programs).toEqual(['ran', 'ran', 'ran', 'ran']);
    expect(builds).toBeGreaterThan(1);
  });

  it('removes what is no longer part of it, and leaves no file half written', () => {
    replaceTree(compiled(1), dist);
    replaceTree(compiled(2), dist);

    expect(readdirSync(dist).filter((name) => name.startsWith('only'))).toEqual(['only-in-2.js']);
    expect(readdirSync(join(folder, 'fresh-2')).filter((name) => name.endsWith('.js'))).toEqual([]);
  });
});
