/** Parts of a bench in processes of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inChild } from '../../bench/in-child.js';

const helper = new URL('../../bench/in-child.ts', import.meta.url).href;
let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cue-in-child-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A script of a child, with what it does to its request. */
function script(work: string): URL {
  const path = join(directory, 'child.mjs');
  writeFileSync(path, `import { answerParent } from '${helper}';\nanswerParent(${work});\n`);
  return pathToFileURL(path);
}

const flags = ['--import', 'tsx'];

it('a child answers its request with a report and is gone', async () => {
  const child = script('async ({ size }) => ({ pid: process.pid, twice: size * 2 })');
  const report = await inChild<{ pid: number; twice: number }>(
    child,
    { size: 21 },
    { name: 'the test', flags },
  );
  expect(report.twice).toBe(42);
  expect(() => process.kill(report.pid, 0)).toThrow('ESRCH');
});

it('a child that fails is an error that names what it was doing', async () => {
  const child = script("async () => { throw new Error('broken on purpose'); }");
  await expect(inChild(child, {}, { name: 'the test', flags })).rejects.toThrow(
    'the test ended with code 1',
  );
});
