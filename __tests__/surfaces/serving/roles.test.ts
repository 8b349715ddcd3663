/** Who serves: found, followed, replaced. Servers are processes of their own, agents are none. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseLocation } from '../../../src/server/database-location.js';
import type { Server } from '../../../src/server/leader-election.js';
import { writerMark } from '../../../src/server/pid-file.js';
import { AppError } from '../../../src/shared/errors.js';
import { derivedId } from '../../../src/shared/ids.js';
import { localKey } from '../../../src/surfaces/mcp-client.js';
import { onPosix } from '../../helpers/where.js';
import { AGENT_ID, type FakeServer, makeStage, type Stage, until } from './stage.js';

let stage: Stage;
beforeEach(() => {
  stage = makeStage();
});
afterEach(() => stage.end());

describe('where nobody serves', () => {
  it('it serves, and says where in the PID file until it is closed', async () => {
    const election = stage.election();
    const server = await election.start();

    expect(server).toMatchObject({
      role: 'primary',
      identity: { pid: process.pid, kind: 'headless', sessionId: 'session-1' },
    });
    expect(stage.named()).toEqual({
      ...writerMark(),
      port: server.port,
      started: server.identity.started,
      path: '/cue/rpc',
      agentId: AGENT_ID,
      key: localKey(),
      kind: 'headless',
    });
    await election.close();
    expect(stage.agents).toMatchObject([{ closed: true }]);
    expect(() => stage.named()).toThrow('ENOENT');
    await expect(election.server()).rejects.toThrow('this process is stopping');
  });

  it('it writes the PID file again when somebody has tidied it away', async () => {
    await stage.election().start();
    const before = stage.named();
    rmSync(stage.pidFile);
    await until('the file is back', () => {
      try {
        return stage.named().pid === process.pid;
      } catch {
        return false;
      }
    });
    expect(stage.named()).toEqual(before);
  });

  it('it serves without a PID file where none can be written, and says what commands need', async () => {
    writeFileSync(dirname(stage.pidFile), 'in the way');
    const { port } = await stage.election().start();
    expect(stage.log).toEqual([
      expect.stringMatching(new RegExp(`; commands find this server with -p ${port} only$`)),
    ]);
  });

  it('it is closed while it starts, and lets go of what it has opened', async () => {
    const election = stage.election();
    const started = election.start();
    await election.close();
    await expect(started).rejects.toThrow('this process is stopping');
    expect(stage.agents.every(({ closed }) => closed)).toBe(true);
    expect(() => stage.named()).toThrow('ENOENT');
  });

  it('what keeps the agent from starting is thrown as it is', async () => {
    stage.refusal.error = new AppError('INVALID_INPUT', 'NUDGE_MAX_HINTS is no number');
    await expect(stage.election().start()).rejects.toBe(stage.refusal.error);
  });
});

describe('a PID file is replaced', () => {
  it.each([
    ['of a process that is gone', async () => ({ pid: 2 ** 22 - 1 })],
    ['of a pid that is another program by now', async () => ({ pid: process.ppid, port: 9 })],
    [
      'of a port where another server of ours answers',
      async () => ({ pid: process.ppid, port: (await stage.fake()).port }),
    ],
    [
      'of a port where somebody else answers',
      async () => {
        const { pid, port } = await stage.fake({ name: 'other' });
        return { pid, port };
      },
    ],
  ])('%s', async (_name, stale) => {
    stage.name(await stale());
    const server = await stage.election().start();
    expect(server.role).toBe('primary');
    expect(stage.named().pid).toBe(process.pid);
  });
});

describe('where somebody serves', () => {
  it('it follows, starts nothing and leaves the PID file as it is', async () => {
    const fake = await stage.fake();
    stage.name({ pid: fake.pid, port: fake.port });
    const election = stage.election();
    expect(await election.start()).toMatchObject({ role: 'proxy', port: fake.port });
    await election.close();
    expect(stage.agents).toEqual([]);
    expect(stage.named().pid).toBe(fake.pid);
  });

  it('it takes the place of a server that dies, with its database and agent', async () => {
    const fake = await stage.fake({ database: '/srv/db', agent_id: 'agent-7' });
    stage.name({ pid: fake.pid, port: fake.port }, '/srv/db');
    const election = stage.election();
    await election.start();
    await fake.kill();
    await until('it is missed', () => election.current?.role !== 'proxy');

    expect((await election.server()).role).toBe('primary');
    const { env } = stage.agents[0]?.options ?? {};
    expect(env).toEqual({ ...stage.env, PGLITE_DATA_DIR: '/srv/db', CUE_AGENT: 'agent-7' });
    // Those who come now, and mean none, are not led to the database of that one.
    expect([stage.named('/srv/db').pid, stage.named().pid]).toEqual([process.pid, fake.pid]);
  });

  it.each([
    ['not without one of its own', {}, null],
    ['with one of its own, for the same agent', { POSTGRES_URL: 'postgres://same' }, 'agent-7'],
  ])('of one with a database server it takes the place %s', async (_name, more, agent) => {
    const fake = await stage.fake({ kind: 'headless', database: null, agent_id: 'agent-7' });
    const place: DatabaseLocation = { kind: 'server', postgresUrl: 'postgres://same' };
    stage.name({ pid: fake.pid, port: fake.port }, place);
    const env = { ...stage.env, ...more };
    const election = stage.election({ env });
    await election.start();
    await fake.kill();
    await until('it has decided', () =>
      agent ? stage.agents.length > 0 : election.trouble !== null,
    );

    expect(stage.agents.map(({ options }) => options.env)).toEqual(
      agent ? [{ ...env, CUE_AGENT: agent }] : [],
    );
    if (agent === null) expect(election.trouble).toContain('does not take its place without');
    else {
      await election.server();
      expect(stage.log.at(-1)).toMatch(
        /^another memory than before: agent aaaaaaaa.* agent agent-7 /,
      );
    }
  });

  it.runIf(onPosix())('it misses one that hangs, and begins none beside it', async () => {
    const fake = await stage.fake();
    stage.name({ pid: fake.pid, port: fake.port });
    const election = stage.election({ times: { answerMs: 150, hangingMs: 60_000 } });
    await election.start();
    // As a server of ours does.
    stage.hold(fake.pid);
    const missed: (Server | undefined)[] = [];
    election.onChange((_server, silent) => missed.push(silent));
    const before = election.current;
    process.kill(fake.pid, 'SIGSTOP');
    await until('it is missed', () => election.trouble?.includes('does not answer') === true);
    expect(missed).toEqual([before]);
    const words =
      `the server (process ${fake.pid}, port ${fake.port}) does not answer: ` +
      `wait until it goes on, or end it (kill -9 ${fake.pid})`;
    const patience = { answerMs: 150, patienceMs: 60_000 };
    await expect(stage.election({ times: patience }).start()).rejects.toThrow(words);
    expect(stage.log.filter((line) => line.includes('about to serve'))).toEqual([]);
    expect([stage.agents, stage.named().pid]).toEqual([[], fake.pid]);

    process.kill(fake.pid, 'SIGCONT');
    expect(await election.server()).toMatchObject({ role: 'proxy', port: fake.port });
  });

  it('it misses one that lives on without serving', async () => {
    const fake = await stage.fake();
    stage.name({ pid: fake.pid, port: fake.port });
    const election = stage.election();
    await election.start();
    fake.goDeaf();
    await until('it serves itself', () => election.current?.role === 'primary');
  });

  it('it looks at once when a call could not be brought there, and stays when all is well', async () => {
    const fake = await stage.fake();
    stage.name({ pid: fake.pid, port: fake.port });
    const election = stage.election({ times: { checkMs: 60_000 } });
    const before = await election.start();
    election.lost(before);
    expect(election.current).toBeNull();
    expect(await election.server()).toMatchObject({ role: 'proxy', port: fake.port });
    // Of one that it does not follow any more.
    election.lost(before);
    expect(election.current).not.toBeNull();
  });

  it('it looks at once when a connection to the server has ended', async () => {
    const fake = await stage.fake();
    stage.name({ pid: fake.pid, port: fake.port });
    const election = stage.election({ times: { checkMs: 60_000 } });
    const before = await election.start();
    election.doubt(before);
    await fake.kill();
    election.doubt(before);
    await until('it serves itself', () => election.current?.role === 'primary');
  });

  it('it loads ahead what taking the place of the server needs', async () => {
    const fake = await stage.fake({ database: '/srv/db', agent_id: 'agent-7' });
    stage.name({ pid: fake.pid, port: fake.port }, '/srv/db');
    const loaded: unknown[] = [];
    const preload = async (options: object) => void loaded.push(options);
    const start = async () => Promise.reject(new Error('it is not to start'));
    const election = stage.election({
      startAgent: async () => Object.assign(start, { preload }),
      times: { preloadMs: 1 },
    });
    await election.start();
    await until('it is loaded', () => loaded.length > 0);
    const env = { ...stage.env, PGLITE_DATA_DIR: '/srv/db', CUE_AGENT: 'agent-7' };
    expect(loaded).toEqual([{ cwd: expect.any(String), env }]);
  });

  it('it says which variable is missing when the server wants a key', async () => {
    const fake = await stage.fake({}, 'secret');
    stage.name({ pid: fake.pid, port: fake.port });
    await expect(stage.election().start()).rejects.toThrow('set ELIZA_SERVER_AUTH_TOKEN');
    const withKey = stage.election({ env: { ...stage.env, ELIZA_SERVER_AUTH_TOKEN: 'secret' } });
    expect((await withKey.start()).role).toBe('proxy');
    expect(stage.agents).toEqual([]);
  });
});

describe('a database that another process has open', () => {
  const inUse = (pid: number) => new AppError('UNAVAILABLE', 'it is in use', { pid });

  it('is served by it, also without a PID file', async () => {
    const fake = await stage.fake();
    stage.refusal.error = inUse(fake.pid);
    const server = await stage.election({ port: fake.port, times: { patienceMs: 60_000 } }).start();
    expect(server).toMatchObject({ role: 'proxy', port: fake.port });
  });

  it('is followed by the PID file that it is about to write, which has its key', async () => {
    const fake = await stage.fake();
    stage.refusal.error = inUse(fake.pid);
    const times = { retryMs: 5_000, patienceMs: 60_000 };
    const started = stage.election({ port: fake.port, times }).start();
    await new Promise((resolve) => setTimeout(resolve, 150));
    const key = derivedId('key of a server');
    stage.name({ pid: fake.pid, port: fake.port, key });
    expect((await started).address.localKey).toBe(key);
  });

  it('is waited for until that process serves', async () => {
    const fake = await stage.fake();
    stage.refusal.error = inUse(fake.pid);
    const started = stage.election({ port: 1, times: { patienceMs: 60_000 } }).start();
    await new Promise((resolve) => setTimeout(resolve, 150));
    stage.name({ pid: fake.pid, port: fake.port });
    expect((await started).role).toBe('proxy');
  });

  it('is not waited for longer than one should', async () => {
    stage.refusal.error = inUse(process.ppid);
    await expect(stage.election({ port: 1 }).start()).rejects.toBe(stage.refusal.error);
  });
});

describe('an Eliza server that wants the database', () => {
  it.each(['wanted', 'opened'] as const)('gets it, and is followed (%s)', async (how) => {
    const election = stage.election();
    const seen: (string | null)[] = [];
    election.onChange((server) => seen.push(server?.role ?? null));
    await election.start();
    stage.agents[0]?.want(how);
    await until('it has stepped down', () => stage.agents[0]?.closed === true);
    expect(() => stage.named()).toThrow('ENOENT');
    expect([election.current, election.trouble]).toEqual([
      null,
      expect.stringContaining('Eliza server'),
    ]);

    const fake = await stage.fake();
    stage.name({ pid: fake.pid, port: fake.port });
    expect((await election.server()).role).toBe('proxy');
    expect(seen).toEqual(['primary', null, 'proxy']);
    expect(stage.agents).toHaveLength(1);
  });

  it('is not waited for for ever', async () => {
    const election = stage.election({ times: { handOverMs: 200 } });
    await election.start();
    stage.agents[0]?.want('wanted');
    await until('it serves again', () => stage.agents.length === 2 && election.current !== null);
    expect(election.current?.identity.sessionId).toBe('session-2');
  });
});

describe('several projects on one machine', () => {
  let top: string;
  /** The database of a project, which is made. */
  function project(name: string): { cwd: string; database: string } {
    const cwd = join(top, name);
    const database = join(cwd, '.eliza', '.elizadb');
    mkdirSync(database, { recursive: true });
    return { cwd, database };
  }
  async function serving(database: string, kind = 'headless'): Promise<FakeServer> {
    const fake = await stage.fake({ kind, database });
    const file = { pid: fake.pid, port: fake.port };
    stage.name(file, database, kind === 'headless' ? 'alone' : undefined);
    return fake;
  }
  beforeEach(() => {
    top = dirname(dirname(stage.pidFile));
  });

  it('have a server each, and nobody follows that of another', async () => {
    const [a, b] = [project('a'), project('b')];
    const fake = await serving(a.database);
    const deep = join(a.cwd, 'src');
    mkdirSync(deep);
    symlinkSync(a.database, join(top, 'link'));

    expect((await stage.election({ cwd: b.cwd }).start()).role).toBe('primary');
    expect(stage.agents.map(({ options }) => options.cwd)).toEqual([b.cwd]);
    const env = { ...stage.env, PGLITE_DATA_DIR: join(top, 'link') };
    for (const more of [{ cwd: deep }, { cwd: b.cwd, env }]) {
      expect(await stage.election(more).start()).toMatchObject({ role: 'proxy', port: fake.port });
    }
  });

  it('have headless servers that no folder without a database of its own follows', async () => {
    const a = project('a');
    const server = await stage.election({ cwd: a.cwd, port: undefined }).start();
    // Clients that mean none, and find none named, try 8765 at last.
    expect([server.role, server.port > 8765]).toEqual(['primary', true]);
    expect(stage.named(a.database).port).toBe(server.port);
    expect(() => stage.named()).toThrow('ENOENT');

    expect((await stage.election().start()).role).toBe('primary');
    expect(stage.agents.map(({ options }) => options.cwd)).toEqual([a.cwd, top]);
  });

  it.each([
    ['who means that database', 'headless', (cwd: string) => ({ cwd })],
    ['who has joined it because it was the Eliza server', 'eliza', () => ({})],
  ])(
    'that of a server which dies is served next by %s, beside the others',
    async (_who, kind, of) => {
      const [a, b] = [project('a'), project('b')];
      const first = await serving(a.database, kind);
      const election = stage.election(of(a.cwd));
      await election.start();
      await serving(b.database, 'eliza');
      await first.kill();
      await until('it is missed', () => election.current?.role !== 'proxy');

      expect((await election.server()).role).toBe('primary');
      expect(stage.agents.map(({ options }) => options.env.PGLITE_DATA_DIR)).toEqual([a.database]);
    },
  );

  it('of one that cannot be taken over nobody joins another instead', async () => {
    const first = await stage.fake({ database: null });
    stage.name({ pid: first.pid, port: first.port }, { kind: 'memory', dataDir: 'memory://' });
    const election = stage.election();
    await election.start();
    await serving(project('b').database, 'eliza');
    await first.kill();
    await until('it has decided', () => election.trouble !== null);
    expect([election.current, election.trouble]).toEqual([
      null,
      expect.stringMatching(/^another memory is served now: .*start anew to join it$/),
    ]);
  });
});

describe('an agent or a project that is named', () => {
  const said = { agent_name: 'Ada', project: 'the house' };
  const other = 'aaaaaaaa-0000-4000-8000-000000000002';
  const rolesFor = (more: Record<string, string>) =>
    stage.election({ env: { ...stage.env, ...more } }).start();

  it('is joined where it is served', async () => {
    const { pid, port } = await stage.fake(said);
    stage.name({ pid, port });
    const named = [{ CUE_AGENT: 'ada' }, { CUE_AGENT: AGENT_ID.toUpperCase() }];
    for (const more of [...named, { CUE_PROJECT: 'the house' }]) {
      expect(await rolesFor(more)).toMatchObject({ role: 'proxy', port });
    }
  });

  it.each([
    ['CUE_AGENT', 'Eliza', `"Ada" (${AGENT_ID})`],
    ['CUE_AGENT', other, `"Ada" (${AGENT_ID})`],
    ['CUE_PROJECT', 'the garden', '"the house"'],
  ])('%s=%s is refused by a server of another', async (setting, asked, served) => {
    const { pid, port } = await stage.fake(said);
    stage.name({ pid, port });
    await expect(rolesFor({ [setting]: asked })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(
        `${setting} is "${asked}", but the server (process ${pid}, port ${port}) serves ${served}: `,
      ),
    });
    expect(stage.agents).toEqual([]);
  });
});

it('says what to do about a process that is about to serve and never does', async () => {
  stage.hold(process.ppid);
  await expect(stage.election().start()).rejects.toThrow(
    new RegExp(`process ${process.ppid} has been about to serve for over .* end it`),
  );
});
