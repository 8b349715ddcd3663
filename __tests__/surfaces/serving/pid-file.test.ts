import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseLocation } from '../../../src/server/database-location.js';
import { findServer, targetDatabase } from '../../../src/server/find-server.js';
import {
  lookAtPidFile,
  pidFileOf,
  readPidFile,
  removePidFile,
  usualPidFile,
  writePidFile,
  writerMark,
} from '../../../src/server/pid-file.js';
import { isAppError } from '../../../src/shared/errors.js';
import { processName } from '../../../src/shared/process-life.js';
import { withProc } from '../../helpers/where.js';

/** More than any system gives. */
const DEAD = 2 ** 30;
const NOBODY = 65_534;
const SERVER = { pid: process.pid, port: 8770, started: '2026-01-31T12:00:00.000Z' };

let root: string;
let folder: string;
let env: { NUDGE_PID_DIR: string };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nudge-pid-'));
  folder = join(root, 'deep', 'nudge');
  env = { NUDGE_PID_DIR: folder };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What stands in the file, whatever it is. */
function put(text: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(usualPidFile(env), text);
}

/** The administrator may write everywhere, so takes the rights of somebody else for as long. */
function asUser(work: () => void): void {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0 || seteuid === undefined) {
    work();
    return;
  }
  chmodSync(root, 0o711);
  for (const path of [folder, usualPidFile(env)]) chownSync(path, NOBODY, NOBODY);
  seteuid(NOBODY);
  try {
    work();
  } finally {
    seteuid(0);
  }
}

function refusalOf(work: () => void): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    if (isAppError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the path of the PID file', () => {
  it.each([
    ['linux', {}, '/tmp/nudge/server.pid'],
    ['darwin', {}, '/tmp/nudge/server.pid'],
    ['linux', { NUDGE_PID_DIR: '' }, '/tmp/nudge/server.pid'],
    ['linux', { NUDGE_PID_DIR: '/run/me' }, '/run/me/server.pid'],
    ['win32', { LOCALAPPDATA: 'C:\\L' }, 'C:\\L\\nudge\\server.pid'],
    ['win32', { USERPROFILE: 'C:\\U' }, 'C:\\U\\AppData\\Local\\nudge\\server.pid'],
    ['win32', { NUDGE_PID_DIR: 'D:\\me' }, 'D:\\me\\server.pid'],
  ] as const)('on %s with %j is %s', (platform, given, path) => {
    expect(usualPidFile(given, platform)).toBe(path);
  });

  it('on Windows without any variable lies in the home folder', () => {
    const path = win32.join(homedir(), 'AppData', 'Local', 'nudge', 'server.pid');
    expect(usualPidFile({}, 'win32')).toBe(path);
  });
});

describe('the PID file', () => {
  it('is read as it was written, and is nobody else’s to read', () => {
    const file = { ...SERVER, path: '/api/cue/rpc', agentId: 'aaaa-1' };
    writePidFile(usualPidFile(env), SERVER);
    writePidFile(usualPidFile(env), file);

    expect(readPidFile(usualPidFile(env))).toEqual(file);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    expect(lstatSync(usualPidFile(env)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['server.pid']);
  });

  it('as the seed has it, with one field more, is one', () => {
    put(JSON.stringify({ ...SERVER, more: true }));
    expect(readPidFile(usualPidFile(env))).toEqual(SERVER);
  });

  it('goes only when it is still ours', () => {
    writePidFile(usualPidFile(env), SERVER);
    removePidFile(usualPidFile(env), SERVER.pid + 1);
    expect(readPidFile(usualPidFile(env))).toEqual(SERVER);
    removePidFile(usualPidFile(env), SERVER.pid);
    expect(readdirSync(folder)).toEqual([]);
    removePidFile(usualPidFile(env), SERVER.pid);
  });

  it('that is not there is no problem', () => {
    expect(lookAtPidFile(usualPidFile(env))).toEqual({ file: null });
  });

  it.each([
    ['no JSON', '4711\n'],
    ['nothing', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['no port', JSON.stringify({ ...SERVER, port: undefined })],
    ['a port that cannot be', JSON.stringify({ ...SERVER, port: 65_536 })],
    ['a pid of a group', JSON.stringify({ ...SERVER, pid: -1 })],
    ['a pid in words', JSON.stringify({ ...SERVER, pid: '1' })],
    ['a path that is a host', JSON.stringify({ ...SERVER, path: '//example.org/' })],
    ['a path that is a part of a host', JSON.stringify({ ...SERVER, path: '@example.org/' })],
    ['an agent that is a query', JSON.stringify({ ...SERVER, agentId: 'a&b=c' })],
    ['more than any server writes', JSON.stringify({ ...SERVER, more: 'x'.repeat(70_000) })],
  ])('with %s counts for nothing, and says so', (_what, text) => {
    put(text);
    expect(readPidFile(usualPidFile(env))).toBeNull();
    expect(lookAtPidFile(usualPidFile(env))).toEqual({
      file: null,
      reason: `${usualPidFile(env)} is no PID file of a server`,
    });
  });

  it('that is a link is neither read nor written', () => {
    const elsewhere = join(root, 'elsewhere');
    writeFileSync(elsewhere, JSON.stringify(SERVER));
    mkdirSync(folder, { recursive: true });
    symlinkSync(elsewhere, usualPidFile(env));

    const reason = `${usualPidFile(env)} is a symbolic link`;
    expect(lookAtPidFile(usualPidFile(env))).toEqual({ file: null, reason });
    const other = { ...SERVER, port: 1 };
    expect(refusalOf(() => writePidFile(usualPidFile(env), other))).toEqual({
      code: 'UNAVAILABLE',
      message: reason,
    });
    expect(JSON.parse(readFileSync(elsewhere, 'utf8'))).toEqual(SERVER);
  });

  it('is not written into a folder that is a link, or no folder', () => {
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(join(root, 'deep'));
    symlinkSync(elsewhere, folder);
    expect(refusalOf(() => writePidFile(usualPidFile(env), SERVER)).message).toBe(
      `${folder} is a symbolic link`,
    );
    expect(readdirSync(elsewhere)).toEqual([]);

    rmSync(folder);
    writeFileSync(folder, '');
    const { code, message } = refusalOf(() => writePidFile(usualPidFile(env), SERVER));
    expect(code).toBe('UNAVAILABLE');
    expect(message).toContain(`the PID file ${usualPidFile(env)} cannot be written: `);
  });

  it('in the place of a folder is refused', () => {
    mkdirSync(usualPidFile(env), { recursive: true });
    expect(refusalOf(() => writePidFile(usualPidFile(env), SERVER)).message).toBe(
      `${usualPidFile(env)} is no file`,
    );
    expect(lookAtPidFile(usualPidFile(env))).toMatchObject({ file: null });
  });

  it('takes the place of what a killed process left half written', () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${usualPidFile(env)}.${processName()}`, '{"pi');
    writePidFile(usualPidFile(env), SERVER);
    expect(readdirSync(folder)).toEqual(['server.pid']);
  });

  it('of another user is neither read nor written', ({ skip }) => {
    const own = process.geteuid;
    if (own === undefined) return skip('this system has no user numbers');
    writePidFile(usualPidFile(env), SERVER);
    process.geteuid = () => own() + 1000;
    try {
      // What the administrator owns is trusted, but not written to.
      const isRoot = own() === 0;
      const reason = `${usualPidFile(env)} belongs to another user`;
      expect(lookAtPidFile(usualPidFile(env))).toEqual(
        isRoot ? { file: SERVER } : { file: null, reason },
      );
      expect(refusalOf(() => writePidFile(usualPidFile(env), SERVER)).message).toBe(
        `${folder} belongs to another user`,
      );
    } finally {
      process.geteuid = own;
    }
  });

  it('in a folder that may only be read is not written, and stays as it was', () => {
    put(JSON.stringify(SERVER));
    asUser(() => {
      chmodSync(folder, 0o500);
      const { code, message } = refusalOf(() =>
        writePidFile(usualPidFile(env), { ...SERVER, port: 1 }),
      );
      expect(code).toBe('UNAVAILABLE');
      expect(message).toContain(`the PID file ${usualPidFile(env)} cannot be written: EACCES`);
      removePidFile(usualPidFile(env), SERVER.pid);
      expect(readdirSync(folder)).toEqual(['server.pid']);
      expect(readPidFile(usualPidFile(env))).toEqual(SERVER);
      chmodSync(folder, 0o700);
    });
  });
});

describe('the server that is found', () => {
  const found = (port?: number, more: Record<string, string> = {}) =>
    findServer({ env: { ...env, ...more }, cwd: root, port });

  it('is at the usual port when nobody says another', () => {
    expect(found()).toEqual({ baseUrl: 'http://127.0.0.1:8765', path: '/cue/rpc' });
  });

  it('is that of the PID file, with its path and agent', () => {
    writePidFile(usualPidFile(env), { ...SERVER, path: '/x/rpc', agentId: 'a-1' });
    const written = { baseUrl: 'http://127.0.0.1:8770', path: '/x/rpc', agentId: 'a-1' };
    expect(found()).toEqual(written);
    expect(found(8770)).toEqual(written);
  });

  it('is not chosen among several: they are listed, and the user says which', () => {
    const place = (directory: string): DatabaseLocation => ({ kind: 'directory', directory });
    const other = { ...SERVER, port: 8790, kind: 'eliza' as const, database: '/srv/b' };
    writePidFile(usualPidFile(env), { ...SERVER, agentId: 'a-1' });
    writePidFile(pidFileOf(env, place('/srv/b')), other);

    expect(refusalOf(() => found())).toEqual({
      code: 'INVALID_INPUT',
      message:
        'this folder has no database of its own, and several servers run: name one with -p PORT, ' +
        'or its database with --data-dir DIRECTORY\n' +
        `  -p 8770  process ${SERVER.pid}, agent a-1\n  -p 8790  process ${SERVER.pid}, database /srv/b`,
    });
    expect(found(8790).baseUrl).toBe('http://127.0.0.1:8790');
    expect(found(undefined, { PGLITE_DATA_DIR: '/srv/b' }).baseUrl).toBe('http://127.0.0.1:8790');
  });

  it('is that of no project for whoever is not in it', () => {
    const project: DatabaseLocation = { kind: 'directory', directory: '/srv/b' };
    writePidFile(pidFileOf(env, project), { ...SERVER, port: 8790, kind: 'headless' });
    expect(found().baseUrl).toBe('http://127.0.0.1:8765');
    writePidFile(usualPidFile(env), SERVER);
    expect(found().baseUrl).toBe('http://127.0.0.1:8770');
  });

  it('is at the port that was asked for, before all else', () => {
    writePidFile(usualPidFile(env), { ...SERVER, path: '/x/rpc', agentId: 'a-1' });
    expect(found(9000)).toEqual({ baseUrl: 'http://127.0.0.1:9000', path: '/cue/rpc' });
  });

  it('is not that of a PID file whose process is gone', () => {
    writePidFile(usualPidFile(env), { ...SERVER, pid: DEAD });
    expect(found().baseUrl).toBe('http://127.0.0.1:8765');
  });

  describe.runIf(withProc())('where pids are used again', () => {
    const KEY = { ELIZA_SERVER_AUTH_TOKEN: 'key' };

    it('gets no key at the usual port, where anybody may listen', () => {
      expect(found(undefined, KEY)).toEqual({
        ...{ baseUrl: 'http://127.0.0.1:8765', path: '/cue/rpc' },
        isKeyWithheld: true,
      });
    });

    it('gets the key when it has written the PID file', () => {
      writePidFile(usualPidFile(env), { ...SERVER, ...writerMark() });
      expect(found(undefined, KEY)).toMatchObject({
        baseUrl: 'http://127.0.0.1:8770',
        apiKey: 'key',
      });
    });

    it('is not that of a PID file whose pid is another process by now', () => {
      writePidFile(usualPidFile(env), { ...SERVER, startedTicks: '1' });
      expect(found(undefined, KEY)).toMatchObject({
        ...{ baseUrl: 'http://127.0.0.1:8765', isKeyWithheld: true },
      });
    });

    it('gets no key when its file does not say when it started', () => {
      writePidFile(usualPidFile(env), SERVER);
      expect(found(undefined, KEY)).not.toHaveProperty('apiKey');
      expect(found(8770, KEY).apiKey).toBe('key');
    });
  });

  it('gets the key that is set', () => {
    expect(found(1, { ELIZA_SERVER_AUTH_TOKEN: 'key' }).apiKey).toBe('key');
    expect(found(1, { ELIZA_SERVER_AUTH_TOKEN: '' })).not.toHaveProperty('apiKey');
  });
});

describe('the server of a database', () => {
  const inside = (directory: string): DatabaseLocation => ({ kind: 'directory', directory });
  const find = (more: Record<string, string>, cwd = root) =>
    findServer({ env: { ...env, ...more }, cwd });

  it('is found by all who mean it, through links and from below, and by nobody else', () => {
    const database = join(root, 'a', '.eliza', '.elizadb');
    const deep = join(root, 'a', 'src', 'deep');
    for (const made of [database, deep]) mkdirSync(made, { recursive: true });
    symlinkSync(join(root, 'a'), join(root, 'link'));
    writePidFile(usualPidFile(env), { ...SERVER, port: 8771 });
    writePidFile(pidFileOf(env, inside(database)), SERVER);

    const found = { baseUrl: 'http://127.0.0.1:8770', path: '/cue/rpc' };
    expect(find({}, deep)).toEqual(found);
    expect(find({ PGLITE_DATA_DIR: 'link/.eliza/.elizadb' })).toEqual(found);
    expect(find({ PGLITE_DATA_DIR: `file://${database}` })).toEqual(found);
    expect(find({}).baseUrl).toBe('http://127.0.0.1:8771');
    const elsewhere = join(root, 'b');
    expect(refusalOf(() => find({ PGLITE_DATA_DIR: elsewhere }, deep))).toEqual({
      code: 'UNAVAILABLE',
      message:
        `no server has the database ${elsewhere}: start one here with "cue mcp" or "nudge serve", ` +
        'or say the port of another with -p PORT',
    });
  });

  it('that has gone is nobody, also where the usual one serves', () => {
    writePidFile(usualPidFile(env), SERVER);
    writePidFile(pidFileOf(env, inside(join(root, 'db'))), { ...SERVER, pid: DEAD });
    expect(() => find({ PGLITE_DATA_DIR: 'db' })).toThrow('no server has the database');
  });

  it('is known by the port that was asked for, whatever is meant', () => {
    const written = { ...SERVER, path: '/x/rpc', agentId: 'a-1' };
    writePidFile(pidFileOf(env, inside('/srv/a')), written);
    const asked = { env: { ...env, PGLITE_DATA_DIR: '/srv/b' }, cwd: root, port: 8770 };
    expect(findServer(asked)).toMatchObject({ path: '/x/rpc', agentId: 'a-1' });
  });

  it('on a database server is that of the same URL, whatever its password is', () => {
    const fileOf = (POSTGRES_URL: string) => targetDatabase({ ...env, POSTGRES_URL }, root).pidFile;
    const first = fileOf('postgres://ada:one@db.example:5432/cue');
    expect(fileOf('postgresql://ada:two@db.example:5432/cue')).toBe(first);
    expect(fileOf('postgres://ada:one@db.example:5432/other')).not.toBe(first);
    expect(first).toMatch(/server-[0-9a-f]{16}\.pid$/);
    expect(() => find({ POSTGRES_URL: 'postgres://ada:one@db.example:5432/cue' })).toThrow(
      'no server has the database db.example:5432/cue: ',
    );
  });
});
