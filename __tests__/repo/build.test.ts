import { execFile } from 'node:child_process';
import { on } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle, replaceTree, writeData } from '../../scripts/build.mjs';

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

  it('keeps what a process of the former build may still load, and packs none of it', async () => {
    const built = (n: number): string => {
      const fresh = join(folder, `fresh-${n}`);
      mkdirSync(join(fresh, 'chunks'), { recursive: true });
      writeFileSync(join(fresh, 'chunks', `late-${n}.js`), `export const n = ${n};\n`);
      return fresh;
    };
    replaceTree(built(1), dist);
    replaceTree(built(2), dist);

    expect(readFileSync(join(dist, 'chunks', '.npmignore'), 'utf8')).toBe('late-1.js');
    expect(await import(join(dist, 'chunks', 'late-1.js'))).toMatchObject({ n: 1 });
    const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1_000);
    utimesSync(join(dist, 'chunks', 'late-1.js'), longAgo, longAgo);
    replaceTree(built(3), dist);
    expect(readdirSync(join(dist, 'chunks')).sort()).toEqual([
      '.npmignore',
      'late-2.js',
      'late-3.js',
    ]);
  });

  it('makes the thread that indexes memories', async () => {
    await bundle(dist);
    await writeData(dist);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
    const workerData = { project: 'p', models: { cue_work_memory: 'lexical-v1' }, instant: null };
    const worker = new Worker(join(dist, 'memory', 'index-worker.js'), { workerData });
    worker.postMessage({ kind: 'end' });
    const kinds = new Set<string>();
    for await (const [{ kind }] of on(worker, 'message', { close: ['exit'] })) {
      kinds.add(kind);
      if (kind === 'end') await worker.terminate();
    }
    expect([...kinds]).toEqual(['frame', 'end']);
  });

  it('makes one file of what a hook, nudge get or a recall loads', async () => {
    await bundle(dist);
    writeFileSync(join(folder, 'package.json'), '{"version":"1.0.0"}');
    const tell = join(folder, 'tell.cjs');
    writeFileSync(
      tell,
      `process.on('exit', () => console.error('\\n%j\\n', {
        files: Object.keys(require.cache).filter((path) => path !== ${JSON.stringify(tell)}),
      }));`,
    );
    const nobody = { ...process.env, NUDGE_PID_DIR: join(folder, 'none') };
    const loadedBy = async (name: string, ...args: string[]) => {
      const program = join(realpathSync(dist), 'bin', name);
      const env = { ...nobody, PGLITE_DATA_DIR: join(folder, 'no-db') };
      const child = run(process.execPath, ['-r', tell, program, ...args], { env });
      child.child.stdin?.end('{}');
      const { stderr } = await child.catch((error: { stderr: string }) => error);
      return { program, ...JSON.parse(/\{"files".*/.exec(stderr)?.[0] ?? '{}') };
    };

    const hook = await loadedBy('cue.js', 'hook');
    expect(hook.files).toEqual([hook.program]);
    const get = await loadedBy('nudge.js', 'get', 'api', 'port');
    expect(get.files).toEqual([get.program]);
    // Without the reader of command lines, say.
    expect(statSync(hook.program).size).toBeLessThan(80_000);
    const recall = join(realpathSync(dist), 'bin', 'when.js');
    const when = await loadedBy('cue.js', 'when', 'writing tests');
    expect(when.files).toEqual([when.program, recall]);
    // Neither that nor the parser of the files.
    const text = readFileSync(recall, 'utf8');
    expect(text).toMatch(/function quickRecall\b/);
    expect(text).not.toMatch(/\b(?:CommanderError|ParserBlock)\b/);
    // Names and lines tell where something went wrong, and that is all they are for.
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(2_000);
    expect(text).not.toMatch(/^ *(?:\/\*\*|\/\/ src)/m);
  }, 60_000);
});
