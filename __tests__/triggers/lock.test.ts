/** One process per embedded database directory: two would corrupt it (DESIGN §11). */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { AgentRuntime, type ServiceTypeName, stringToUuid } from '@elizaos/core';
import bootstrapPlugin from '@elizaos/plugin-bootstrap';
import sqlPlugin, { createDatabaseAdapter } from '@elizaos/plugin-sql';
import { afterAll, describe, expect, it } from 'vitest';
import { createCuePlugin, TriggerService } from '../../src/index.js';
import { holdsDirectory, lockDirectory } from '../../src/shared/dir-lock.js';
import { LEASE_MS } from '../../src/shared/process-life.js';
import { boot } from '../helpers/boot.js';
import { cleanUp, newDirectory, startAgent } from '../helpers/children.js';
import { programOf } from '../helpers/programs.js';
import { scriptedModel } from '../helpers/scripted-model.js';

const children: ChildProcess[] = [];
/** Elsewhere a process cannot be told from a later one with its pid. */
const hasProc = existsSync('/proc/self/stat');

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await cleanUp();
});

const lockOf = (directory: string) => `${directory}.cue-lock`;
/** A pid that was given away and is free again. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('a second process', () => {
  it('is refused by init, which names the pid and the port of the first', async () => {
    const dataDir = join(newDirectory(), 'db');
    const first = startAgent({ kind: 'bare', dataDir, env: { SERVER_PORT: '45671' } });
    await first.ready;
    const second = startAgent({ kind: 'bare', dataDir, migrated: true });
    await expect(second.ready).rejects.toThrow(
      `${dataDir} is in use by process ${first.pid}, serving on port 45671`,
    );
    // The first one goes on undisturbed, and leaves nothing behind.
    expect(await first.call('health')).toMatchObject({ enabled: true });
    expect(existsSync(lockOf(dataDir))).toBe(true);
    await first.call('exit');
    expect(await first.ended).toEqual({ code: 0, signal: null });
    expect(existsSync(lockOf(dataDir))).toBe(false);
  });
});

it('a database in memory needs no lock', async () => {
  const cwd = process.cwd();
  const locks = () => readdirSync(cwd).filter((name) => name.includes('.cue-lock'));
  const before = locks();
  const agent = await boot();
  expect(locks()).toEqual(before);
  await agent.stop();
});

it('locks a directory that is given as a file URL', async () => {
  const dataDir = join(newDirectory(), 'db');
  const agent = await boot({ dataDir: `file://${dataDir}` });
  expect(JSON.parse(readFileSync(lockOf(dataDir), 'utf8'))).toMatchObject({ pid: process.pid });
  await agent.stop();
});

it('two agents of one process share the directory', async () => {
  const dataDir = join(newDirectory(), 'db');
  const one = await boot({ dataDir, name: 'One' });
  const other = startAgent({ kind: 'bare', dataDir, migrated: true });
  const agentId = stringToUuid('Two');
  const two = new AgentRuntime({
    character: { name: 'Two', bio: ['tests'] },
    agentId,
    // The same PGlite: the host keeps one per process.
    adapter: createDatabaseAdapter({ dataDir }, agentId),
    plugins: [sqlPlugin, bootstrapPlugin, scriptedModel().plugin, createCuePlugin()],
    settings: { PGLITE_DATA_DIR: dataDir, CUE_TIMEZONE: 'UTC' },
  });
  await two.initialize();
  await two.getServiceLoadPromise('task');
  const service = await two.getServiceLoadPromise(TriggerService.serviceType as ServiceTypeName);
  expect(await (service as TriggerService).health()).toMatchObject({ enabled: true });
  expect(JSON.parse(readFileSync(lockOf(dataDir), 'utf8'))).toMatchObject({ pid: process.pid });
  await expect(other.ready).rejects.toThrow(`in use by process ${process.pid}`);
  await two.stop();
  await one.stop();
});

describe('the lock file', () => {
  it('is kept until the last of this process lets go', async () => {
    const directory = join(newDirectory(), 'db');
    const first = await lockDirectory(directory, 1234);
    const second = await lockDirectory(directory, 1234);
    first.release();
    first.release();
    expect(existsSync(lockOf(directory))).toBe(true);
    second.release();
    expect(existsSync(lockOf(directory))).toBe(false);
  });

  it.runIf(hasProc)(
    'of a process that is dead, or was another one with the same pid, is taken',
    async () => {
      const pid = await deadPid();
      const ours = await lockDirectory(join(newDirectory(), 'probe'), null);
      for (const holder of [
        { pid, startedTicks: null, port: null },
        { pid: process.ppid, startedTicks: '1', port: 99 },
        { pid: process.pid, startedTicks: '1', port: null },
      ]) {
        const directory = join(newDirectory(), 'db');
        writeFileSync(lockOf(directory), JSON.stringify(holder));
        (await lockDirectory(directory, null)).release();
      }
      ours.release();
    },
  );

  it.runIf(hasProc)('of a process that has ended but that nobody has buried is taken', async () => {
    // The shell becomes a sleep that never waits for its child.
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60']);
    children.push(parent);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    expect(() => process.kill(pid, 0)).not.toThrow();
    const directory = join(newDirectory(), 'db');
    writeFileSync(lockOf(directory), JSON.stringify({ pid, startedTicks: null, port: null }));
    (await lockDirectory(directory, null)).release();
  });

  it('that holds rubbish is taken once nobody can be writing it any more', async () => {
    const directory = join(newDirectory(), 'db');
    const longAgo = Date.now() / 1_000 - 10;
    for (const rubbish of ['', '{"pid":', 'null', '{}']) {
      writeFileSync(lockOf(directory), rubbish);
      utimesSync(lockOf(directory), longAgo, longAgo);
      (await lockDirectory(directory, null)).release();
    }
    const startMs = performance.now();
    writeFileSync(lockOf(directory), '');
    (await lockDirectory(directory, null)).release();
    expect(performance.now() - startMs).toBeGreaterThan(1_500);
  });

  describe('of a process of another host', () => {
    const elsewhere = (pid: number) =>
      JSON.stringify({
        ...{ pid, startedTicks: '1', port: null, kind: 'agent', id: '0' },
        ...{ host: 'far', machine: 'another', pidSpace: 'pid:[1]', device: '1' },
      });

    it('is taken when its lease has run out, and not while that is renewed', async () => {
      const [ended, renewed] = [join(newDirectory(), 'db'), join(newDirectory(), 'db')];
      for (const directory of [ended, renewed]) writeFileSync(lockOf(directory), elsewhere(7));
      const almostOver = (Date.now() - LEASE_MS + 500) / 1_000;
      utimesSync(lockOf(ended), almostOver, almostOver);
      const renewing = setInterval(() => writeFileSync(lockOf(renewed), elsewhere(7)), 50);
      await expect(lockDirectory(renewed, null)).rejects.toThrow(
        'is in use by process 7 on the host "far"',
      );
      clearInterval(renewing);
      (await lockDirectory(ended, null)).release();
    });

    it('takes the place of ours where our lease ran out; one that is deleted is made again', async () => {
      const [taken, deleted] = [join(newDirectory(), 'db'), join(newDirectory(), 'db')];
      const lost: string[] = [];
      const onLost = (path: string) => void lost.push(path);
      const locks = [
        await lockDirectory(taken, null, { onLost }),
        await lockDirectory(deleted, null, { onLost }),
      ];
      const mine = readFileSync(lockOf(deleted), 'utf8');
      writeFileSync(lockOf(taken), elsewhere(7));
      rmSync(lockOf(deleted));
      await expect.poll(() => lost).toEqual([lockOf(taken)]);
      await expect.poll(() => existsSync(lockOf(deleted))).toBe(true);
      expect(readFileSync(lockOf(deleted), 'utf8')).toBe(mine);
      expect([holdsDirectory(taken), holdsDirectory(deleted)]).toEqual([false, true]);
      for (const lock of locks) lock.release();
      expect(readFileSync(lockOf(taken), 'utf8')).toBe(elsewhere(7));
      expect(existsSync(lockOf(deleted))).toBe(false);
    });
  });

  it('is one, whatever the path to the directory', async () => {
    const parent = newDirectory();
    mkdirSync(join(parent, 'db'));
    symlinkSync(join(parent, 'db'), join(parent, 'alias'));
    const lock = await lockDirectory(join(parent, 'alias'), null);
    expect(existsSync(lockOf(join(parent, 'db')))).toBe(true);
    lock.release();
  });

  it('is taken by exactly one of many that come at once', async () => {
    const program = programOf('__tests__/helpers/lock-child');
    const racers = Array.from({ length: 6 }, () => fork(program));
    children.push(...racers);
    await Promise.all(racers.map((racer) => once(racer, 'message')));
    const pid = await deadPid();
    for (let race = 0; race < 40; race += 1) {
      const directory = join(newDirectory(), 'db');
      if (race % 2 === 0) {
        writeFileSync(lockOf(directory), JSON.stringify({ pid, startedTicks: null, port: null }));
      }
      const atMs = Date.now() + 30;
      const results = racers.map(async (racer) => {
        racer.send({ directory, atMs });
        const [said] = (await once(racer, 'message')) as [string];
        return said;
      });
      const said = await Promise.all(results);
      expect({ race, winners: said.filter((word) => word === 'mine').length }).toEqual({
        race,
        winners: 1,
      });
      const { pid: holder } = JSON.parse(readFileSync(lockOf(directory), 'utf8')) as {
        pid: number;
      };
      expect(holder).toBe(racers[said.indexOf('mine')]?.pid);
    }
  });
});
