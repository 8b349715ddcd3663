/** Commands that come before the server does. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppError } from '../../../../src/shared/errors.js';
import { onceServed } from '../../../../src/surfaces/cli/ask-server.js';

let home: string;
let env: { NUDGE_PID_DIR: string };
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cue-once-'));
  env = { NUDGE_PID_DIR: join(home, 'pid') };
  mkdirSync(env.NUDGE_PID_DIR);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Held by a process that lives and is not this one. */
function starting(): void {
  const holder = { pid: process.ppid, startedTicks: null, port: null, kind: 'agent' };
  writeFileSync(join(env.NUDGE_PID_DIR, 'server.pid.cue-lock'), JSON.stringify(holder));
}

const nobody = () => new AppError('UNAVAILABLE', 'nothing listens', { met: 'nobody' });

it('asks again while a process is about to serve', async () => {
  starting();
  let asked = 0;
  const answer = await onceServed({ env, cwd: home }, async () => {
    asked += 1;
    if (asked < 2) throw nobody();
    return 'here';
  });
  expect([answer, asked]).toEqual(['here', 2]);
});

it('says who is about to serve when that takes too long', async () => {
  starting();
  const asking = onceServed({ env, cwd: home }, () => Promise.reject(nobody()), 0);
  await expect(asking).rejects.toThrow(
    `process ${process.ppid} is about to serve: try again in a moment`,
  );
});

it.each(['nobody is about to serve', 'the server that holds the lock says where it is'])(
  'does not wait where %s',
  async (what) => {
    if (what.startsWith('the server')) {
      starting();
      const file = { pid: process.ppid, port: 9, started: '2026-05-01T09:00:00.000Z' };
      writeFileSync(join(env.NUDGE_PID_DIR, 'server.pid'), JSON.stringify(file));
    }
    let asked = 0;
    const asking = onceServed({ env, cwd: home }, () => {
      asked += 1;
      return Promise.reject(nobody());
    });
    await expect(asking).rejects.toThrow('nothing listens');
    expect(asked).toBe(1);
  },
);
