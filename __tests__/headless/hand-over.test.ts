/** One writer per database: a headless agent leaves when an Eliza agent comes (DESIGN §11). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startHeadless } from '../../src/server/headless/index.js';
import { openerOf } from '../../src/server/headless/lock-handover.js';
import { lockDirectory } from '../../src/shared/dir-lock.js';
import { cleanUp, newDirectory } from '../helpers/children.js';
import { expectSound, handOver, headlessOn, keysIn } from '../helpers/hand-over.js';
import { endHeadlessProcesses, type HeadlessProcess } from '../helpers/headless.js';

// A start in this process sets both for all of it.
const console_ = { ...globalThis.console };
const { LOG_LEVEL } = process.env;
afterAll(async () => {
  Object.assign(globalThis.console, console_);
  process.env.LOG_LEVEL = LOG_LEVEL;
  await endHeadlessProcesses();
  await cleanUp();
});

const hasProc = existsSync('/proc/self/fd');
const lockFile = (dataDir: string) => `${dataDir}.cue-lock`;
const holderOf = (dataDir: string): unknown => JSON.parse(readFileSync(lockFile(dataDir), 'utf8'));

/** Of the tests in their order: each goes on where the one before has left the database. */
const dataDir = join(newDirectory(), 'db');
let again: HeadlessProcess;

describe('an Eliza agent that opens the database of a headless one', () => {
  let acknowledged: string[] = [];

  it('has all that was acknowledged, and its lock', async () => {
    const headless = await headlessOn(dataDir, 'info');
    expect(holderOf(dataDir)).toMatchObject({ pid: headless.pid, kind: 'headless' });
    const handed = await handOver(headless, dataDir, { delayMs: 100, name: 'a', kind: 'bare' });
    acknowledged = handed.acknowledged;
    const { agent } = handed;
    expect(acknowledged.length).toBeGreaterThan(20);
    const ask = (statement: string) => agent.call('rows', statement);
    const keys = new Set(await keysIn(ask));
    expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
    expect(holderOf(dataDir)).toMatchObject({ pid: agent.pid, kind: 'agent' });
    expect(existsSync(`${lockFile(dataDir)}.wanted`)).toBe(false);

    // Seen without a lock as well: a host that has no such plugin takes none.
    if (hasProc) expect(openerOf(dataDir)).toBe(agent.pid);

    await agent.call('rows', 'checkpoint');
    headless.send({ kind: 'close' });
    expect(await headless.ended).toBe(0);
    // Whatever host and plugin had to say: standard output is the protocol's.
    expect(headless.stdout()).toBe('');
    expect(headless.stderr()).toMatch(/Info/);
    await agent.kill('SIGKILL');
  });

  it('finds it undamaged at the next start: the first has written nothing over it', async () => {
    again = await headlessOn(dataDir);
    const keys = new Set(await keysIn(again.rows));
    expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
    await expectSound(again.rows);
  });
});

describe('a headless agent', () => {
  it('is not asked to leave by another one, which is told who serves', async () => {
    const env = { PGLITE_DATA_DIR: dataDir };
    await expect(startHeadless({ cwd: '/', env, log: () => {} })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { pid: again.pid },
    });
    expect(again.events.some(({ kind }) => kind === 'wanted')).toBe(false);
  });

  it('leaves for who asks before opening, with a clean close', async () => {
    const lock = await lockDirectory(dataDir, 3999, {
      ask: { opened: false, patienceMs: 60_000 },
    });
    expect(await again.next('wanted')).toMatchObject({ how: 'wanted' });
    await again.next('closed');
    expect(holderOf(dataDir)).toMatchObject({ pid: process.pid, port: 3999, kind: 'agent' });
    expect(existsSync(`${lockFile(dataDir)}.wanted`)).toBe(false);
    lock.release();
    again.send({ kind: 'close' });
    expect(await again.ended).toBe(0);
    expect(again.stderr()).toBe('');
  });

  it('is not opened beside who has asked for the directory, and not kept off by the dead', async () => {
    const asked = (pid: number) =>
      writeFileSync(`${lockFile(dataDir)}.wanted`, JSON.stringify({ pid, opened: true }));
    asked(process.ppid);
    await expect(lockDirectory(dataDir, null, { kind: 'headless' })).rejects.toThrow(
      `${dataDir} is about to be used by process ${process.ppid}`,
    );
    asked(again.pid);
    (await lockDirectory(dataDir, null, { kind: 'headless' })).release();
  });

  it('is final to who does not ask', async () => {
    const holder = { pid: process.ppid, startedTicks: null, port: 3000, kind: 'headless' };
    writeFileSync(lockFile(dataDir), JSON.stringify(holder));
    await expect(lockDirectory(dataDir, null)).rejects.toMatchObject({
      details: { pid: process.ppid, port: 3000 },
    });
    // One that does not answer: the asker gives up, and takes its request back.
    const ask = { opened: false, patienceMs: 50 };
    await expect(lockDirectory(dataDir, null, { ask })).rejects.toMatchObject({
      details: { pid: process.ppid },
    });
    expect(existsSync(`${lockFile(dataDir)}.wanted`)).toBe(false);
    writeFileSync(lockFile(dataDir), JSON.stringify({ ...holder, kind: 'agent' }));
    await expect(lockDirectory(dataDir, null, { ask })).rejects.toThrow('is in use by');
  });
});
