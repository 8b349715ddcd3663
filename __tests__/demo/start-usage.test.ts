import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

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
