/** Which database and which agent a headless process serves: before anything is opened. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseAgent, whenFolderFor } from '../../src/server/headless/agent.js';
import { importPeer, placeOf } from '../../src/server/headless/index.js';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('the database', () => {
  let top: string;
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), 'cue-place-'));
    mkdirSync(join(top, 'project', '.eliza', '.elizadb'), { recursive: true });
    mkdirSync(join(top, 'project', 'src', 'deep'), { recursive: true });
    mkdirSync(join(top, 'elsewhere'));
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));
  const at = (folder: string, env = {}) => placeOf(env, join(top, folder), join(top, 'home'));
  const directory = (...parts: string[]) => ({
    kind: 'directory',
    directory: join(top, ...parts),
  });

  it('is the one of the Eliza project that the folder lies in', () => {
    const found = directory('project', '.eliza', '.elizadb');
    expect(at('project')).toEqual(found);
    expect(at('project/src/deep')).toEqual(found);
  });

  it('is one for all tools elsewhere, in a folder that only its owner may enter', () => {
    expect(at('elsewhere')).toEqual(directory('home', '.cue', 'db'));
    for (const made of [join(top, 'home', '.cue'), join(top, 'home', '.cue', 'db')]) {
      expect(statSync(made).mode & 0o777).toBe(0o700);
    }
  });

  it.each([
    ['/data/db', '/data/db'],
    ['file:///data/db', '/data/db'],
  ])('is the one that PGLITE_DATA_DIR says: %s', (said, found) => {
    expect(at('project', { PGLITE_DATA_DIR: said })).toEqual({
      kind: 'directory',
      directory: found,
    });
  });

  it('is said from where the command is called, or from the home folder', () => {
    expect(at('elsewhere', { PGLITE_DATA_DIR: 'db' })).toEqual(directory('elsewhere', 'db'));
    expect(at('elsewhere', { PGLITE_DATA_DIR: '~/db' })).toEqual(directory('home', 'db'));
    expect(at('elsewhere', { PGLITE_DATA_DIR: '~' })).toEqual(directory('home'));
    expect(at('elsewhere', { PGLITE_DATA_DIR: '~x/db' })).toEqual(
      directory('elsewhere', '~x', 'db'),
    );
  });

  it('is no directory where it lies in memory or on a server', () => {
    expect(at('project', { PGLITE_DATA_DIR: 'memory://' })).toEqual({
      kind: 'memory',
      dataDir: 'memory://',
    });
    const postgresUrl = 'postgres://localhost/cue';
    expect(at('project', { PGLITE_DATA_DIR: '/data', POSTGRES_URL: postgresUrl })).toEqual({
      kind: 'server',
      postgresUrl,
    });
  });
});

describe('the /when index', () => {
  let top: string;
  beforeAll(() => {
    top = mkdtempSync(join(tmpdir(), 'cue-when-place-'));
    mkdirSync(join(top, 'agents'));
    mkdirSync(join(top, '.eliza'));
    writeFileSync(join(top, 'agents', 'memory-index.md'), '');
  });
  afterAll(() => rmSync(top, { recursive: true, force: true }));
  const found = (...parts: string[]) =>
    whenFolderFor({ kind: 'directory', directory: join(top, ...parts) });

  it('is looked for in the folder which the database belongs to', () => {
    expect(found('.eliza', '.elizadb')).toBe(top);
    expect(found('db')).toBe(top);
    expect(found('elsewhere', 'db')).toBe(join(top, 'elsewhere'));
  });

  it('is none for what belongs to no folder', () => {
    expect(whenFolderFor({ kind: 'server', postgresUrl: 'postgres://x' })).toBeNull();
    expect(found('.cue', 'db')).toBe(join(top, '.cue'));
    expect(whenFolderFor(placeOf({}, join(top, 'agents'), top), top)).toBeNull();
  });
});

describe('the agent', () => {
  const eliza = { id: 'b850bc30-45f8-0041-a00a-83df46d8555d', name: 'Eliza' };
  const ada = { id: '0c000000-0000-0000-0000-000000000001', name: 'Ada' };
  const other = { id: '0c000000-0000-0000-0000-000000000002', name: 'eliza' };

  it('is the only one there is', () => {
    expect(chooseAgent([eliza], undefined)).toBe(eliza);
    expect(chooseAgent([eliza], ' ')).toBe(eliza);
  });

  it('is made where there is none, as Cue or as it was called', () => {
    expect(chooseAgent([], undefined)).toEqual({ make: 'Cue' });
    expect(chooseAgent([], 'Ada')).toEqual({ make: 'Ada' });
  });

  it('is meant by id, by name, or by the name in other letters where that is one', () => {
    const all = [eliza, ada, other];
    expect(chooseAgent(all, ada.id.toUpperCase())).toBe(ada);
    expect(chooseAgent(all, 'Eliza')).toBe(eliza);
    expect(chooseAgent(all, 'eliza')).toBe(other);
    expect(chooseAgent(all, 'ADA')).toBe(ada);
  });

  it('has to be named where there are several, and is never made by a mistyped name', () => {
    const list = `set CUE_AGENT to one of Eliza (${eliza.id}), Ada (${ada.id})`;
    expect(thrownBy(() => chooseAgent([eliza, ada], undefined))).toMatchObject({
      code: 'INVALID_INPUT',
      message: `there are several agents in this database: ${list}`,
    });
    expect(thrownBy(() => chooseAgent([eliza, ada], 'Elisa'))).toMatchObject({
      code: 'INVALID_INPUT',
      message: `CUE_AGENT is "Elisa", which no agent of this database is called: ${list}`,
    });
    expect(thrownBy(() => chooseAgent([eliza, other], 'ELIZA'))).toMatchObject({
      message: expect.stringContaining('which several agents of this database are called'),
    });
  });
});

it('a package of the host that is missing is named, with how to install it', async () => {
  await expect(importPeer('@elizaos/plugin-absent' as '@elizaos/core')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(
      /needs the package @elizaos\/plugin-absent.*npm install @elizaos\/core @elizaos\/plugin-sql/,
    ),
  });
});
