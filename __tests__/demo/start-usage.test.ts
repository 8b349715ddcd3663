import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runningServer } from '../../scripts/running.mjs';

function start(...flags: string[]) {
  const args = ['--import', './demo/typescript.mjs', 'demo/start.ts', ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

it.each(['--help', '-h'])('npm start -- %s prints how to use it, and starts nothing', (flag) => {
  const { status, stdout, stderr } = start(flag, '--example');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: npm start \[-- --example\]\n/);
  expect(stdout).not.toContain('Starting');
});

it('an option that does not exist is refused with the usage', () => {
  const { status, stdout, stderr } = start('--exmaple');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^\nI do not know "--exmaple"\.\n\nUsage: npm start /);
});

it('npm start beside a running server says where that is, and changes nothing', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cue-running-'));
  const server = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const lock = join(dataDir, 'db.cue-lock');
  const found = (holder: object) => {
    writeFileSync(lock, JSON.stringify(holder));
    return runningServer({ CUE_DATA_DIR: dataDir });
  };
  try {
    const url = `http://127.0.0.1:${port}`;
    expect(await found({ pid: 7, port, kind: 'agent' })).toEqual({ url, pid: 7 });
    // A headless one of the command line makes room for it.
    expect(await found({ pid: 7, port, kind: 'headless' })).toBeUndefined();
    expect(await runningServer({ CUE_DATA_DIR: join(dataDir, 'other') })).toBeUndefined();
    expect(existsSync(join(dataDir, 'db'))).toBe(false);
  } finally {
    await new Promise((done) => server.close(done));
  }
  // What a dead process has left.
  expect(await found({ pid: 7, port, kind: 'agent' })).toBeUndefined();
  rmSync(dataDir, { recursive: true });
});
