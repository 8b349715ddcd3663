/** When a process that serves goes on, and when it ends. */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { personalDatabase } from '../../../src/server/database-location.js';
import type { Bridge } from '../../../src/server/json-lines.js';
import type { LeaderElectionDeps } from '../../../src/server/leader-election.js';
import { type InputKind, inputKind, live } from '../../../src/server/serve-stdio.js';
import { deferred } from '../../../src/shared/async.js';
import { makeStage, type Stage, until } from './stage.js';

let stage: Stage;
beforeEach(() => {
  stage = makeStage();
});
afterEach(() => stage.end());

/** A life with a client that the test is. */
function begin(
  input: InputKind,
  more: Partial<LeaderElectionDeps> = {},
  said: Pick<Bridge, 'isUsed' | 'hasGreeted'> = { isUsed: true },
) {
  const gone = deferred<void>();
  const answered = deferred<void>();
  const steps: string[] = [];
  const bridge: Bridge = {
    ...said,
    gone: gone.promise,
    close: () => {
      steps.push('closed');
      return answered.promise;
    },
  };
  let isOver = false;
  const over = live({
    election: stage.election(more),
    input,
    startBridge: () => bridge,
    giveUp: (why) => {
      steps.push(why === undefined ? 'gave up' : `gave up: ${why}`);
      answered.resolve();
    },
    log: (line) => stage.log.push(line),
    stopMs: 60_000,
  }).finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  return {
    over,
    steps,
    isOver: () => isOver,
    leave: () => gone.resolve(),
    answer: () => answered.resolve(),
  };
}

const served = () => until('it serves', () => stage.log.some((line) => /^PR/.test(line)));
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 60));

/** To this life alone: others in this process may listen, too. */
function signal(): void {
  const listener = process.listeners('SIGTERM').at(-1);
  listener?.('SIGTERM');
}

async function elsewhere(): Promise<void> {
  const { pid, port } = await stage.fake();
  stage.name({ pid, port });
}

describe('a process that serves', () => {
  it('ends when its client has left and is answered', async () => {
    const life = begin('client');
    await served();
    life.leave();
    await aWhile();
    expect([life.isOver(), stage.agents[0]?.closed]).toEqual([false, false]);
    life.answer();
    await life.over;
    expect([life.steps, stage.agents[0]?.closed]).toEqual([['closed', 'gave up'], true]);
  });

  it.each(['file', 'nobody'] as const)('goes on when its input was %s', async (input) => {
    const life = begin(input);
    await served();
    life.leave();
    await aWhile();
    expect(life.isOver()).toBe(false);
    signal();
    await life.over;
    expect(stage.agents).toMatchObject([{ closed: true }]);
  });

  it('ends at a signal, with what cannot be answered soon given up', async () => {
    const before = process.listenerCount('SIGTERM');
    const life = begin('client');
    await served();
    signal();
    await life.over;
    expect(life.steps).toEqual(['closed', 'gave up']);
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('ends once an Eliza server serves in its place, if nobody is there to be passed on', async () => {
    const life = begin('nobody');
    await served();
    stage.agents[0]?.want('wanted');
    await until('it has stepped down', () => stage.agents[0]?.closed === true);
    expect(life.isOver()).toBe(false);
    await elsewhere();
    await life.over;
    const [who, database] = stage.log.at(-1)?.split(', database ') ?? [];
    expect(who).toMatch(/^PROXY of process \d+ \(an Eliza server\), port \d+$/);
    expect(database).toBe(personalDatabase().directory);
  });
});

describe('a process that passes on', () => {
  it('goes on while it has a client', async () => {
    await elsewhere();
    const life = begin('client');
    await served();
    await aWhile();
    expect(life.isOver()).toBe(false);
    life.leave();
    life.answer();
    await life.over;
    expect(stage.agents).toEqual([]);
  });

  it('ends after what stands in a file is answered', async () => {
    await elsewhere();
    const life = begin('file');
    await served();
    life.leave();
    await aWhile();
    expect(life.isOver()).toBe(false);
    life.answer();
    await life.over;
  });

  it('ends at once without a client', async () => {
    await elsewhere();
    await begin('nobody').over;
    expect(stage.agents).toEqual([]);
  });
});

it('a process that cannot serve answers what it was asked, and says why', async () => {
  stage.refusal.error = new Error('no room on the disk');
  const life = begin('client');
  await expect(life.over).rejects.toThrow('no room on the disk');
  expect(life.steps).toEqual(['closed', 'gave up: no room on the disk']);
});

it('a process that cannot serve and has greeted its client says so at each call until that leaves', async () => {
  stage.refusal.error = new Error('no room on the disk');
  const life = begin('client', {}, { isUsed: true, hasGreeted: true });
  await until('it is told', () => stage.log.length > 0);
  expect(stage.log).toEqual(['no room on the disk']);
  expect(life.steps).toEqual(['gave up: no room on the disk']);
  expect(life.isOver()).toBe(false);
  life.leave();
  await expect(life.over).rejects.toThrow('no room on the disk');
});

it('a process that cannot serve says so also to a client that has asked and left', async () => {
  const failed = deferred<never>();
  const life = begin('client', { startAgent: () => failed.promise });
  await until('it hears no more', () => {
    life.leave();
    return life.steps.length > 0;
  });
  expect(life.isOver()).toBe(false);
  failed.reject(new Error('no room on the disk'));
  await expect(life.over).rejects.toThrow('no room on the disk');
  expect(life.steps).toEqual(['closed', 'gave up: no room on the disk']);
});

describe('a process whose start takes long', () => {
  /** Ends by itself when the test says so. */
  function starting(isUsed: boolean) {
    const start = deferred<never>();
    const life = begin('client', { startAgent: () => start.promise }, { isUsed });
    return { life, fail: () => start.reject(new Error('too late')) };
  }
  const stopping = (steps: string[]) =>
    until('it stops', () => steps.some((step) => step.startsWith('gave up')));

  it('says that nobody served when its client was told so, and leaves', async () => {
    const { life, fail } = starting(true);
    life.answer();
    life.leave();
    await stopping(life.steps);
    fail();
    await expect(life.over).rejects.toThrow('no server has started before the client left');
  });

  it('ends without a word with a client that has asked nothing', async () => {
    const { life, fail } = starting(false);
    life.answer();
    life.leave();
    await stopping(life.steps);
    fail();
    await life.over;
    expect(stage.log).toEqual([]);
  });

  it('says so when a signal ends it', async () => {
    const { life, fail } = starting(true);
    signal();
    await stopping(life.steps);
    fail();
    await life.over;
    expect(stage.log).toEqual(['ended by a signal before anybody served']);
  });
});

it('tells files from nobody', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cue-life-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const kindOf = (path: string): InputKind => {
    const descriptor = openSync(path, 'r');
    const kind = inputKind(descriptor);
    closeSync(descriptor);
    return kind;
  };
  expect([kindOf(file), kindOf('/dev/null'), inputKind(9_999)]).toEqual([
    'file',
    'nobody',
    'nobody',
  ]);
  rmSync(folder, { recursive: true });
});
