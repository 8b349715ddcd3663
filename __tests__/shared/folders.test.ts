import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../../src/shared/folders.js';
import { withProc } from '../helpers/where.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cue-folder-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('makes a folder with those above it, each with its mode', () => {
  const path = join(home, 'a', 'b', 'c');
  makeFolder(path, 0o700);
  makeFolder(path, 0o700);
  const modes = [join(home, 'a'), path].map((one) => statSync(one).mode & 0o777);
  expect(modes).toEqual(process.platform === 'win32' ? [0o666, 0o666] : [0o700, 0o700]);
});

it('says what stands in the way', () => {
  writeFileSync(join(home, 'file'), '');
  expect(() => makeFolder(join(home, 'file'))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(home, 'file', 'a', 'b'))).toThrow(/EEXIST|ENOTDIR/);
  expect(existsSync(join(home, 'file', 'a'))).toBe(false);
});

it.runIf(withProc())('comes back where no folder can be made', () => {
  expect(() => makeFolder('/proc/nope/a')).toThrow(/ENOENT/);
});
