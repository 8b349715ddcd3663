/** What is said where the database cannot be served: the cause, and none of its credentials. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { causeWords, unopened } from '../../src/server/headless/database.js';
import { startHeadless } from '../../src/server/headless/index.js';
import { freePort } from '../helpers/free-port.js';

const console_ = { ...globalThis.console };
const { LOG_LEVEL } = process.env;

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'cue-failure-'));
});
afterAll(() => {
  Object.assign(globalThis.console, console_);
  process.env.LOG_LEVEL = LOG_LEVEL;
  rmSync(home, { recursive: true, force: true });
});

/** What is thrown at a start on this database. */
function failure(env: Record<string, string>): Promise<unknown> {
  const options = { cwd: home, env: { LOG_LEVEL: 'fatal', ...env }, log: () => {} };
  return startHeadless(options).then(
    () => 'it has started',
    (error: unknown) => error,
  );
}

describe('a start on a database that cannot be used', () => {
  it('says which server does not answer, and nothing of who may log in there', async () => {
    const port = await freePort();
    const error = await failure({ POSTGRES_URL: `postgres://ada:Tr0ub4dor@127.0.0.1:${port}/x` });

    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      message: `the headless agent did not start: its database failed: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it('says that a file is no folder', async () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    const end = 'name another one with PGLITE_DATA_DIR';

    expect(await failure({ PGLITE_DATA_DIR: file })).toMatchObject({
      code: 'INVALID_INPUT',
      message: `the database directory ${file} is no folder, but a file: ${end}`,
    });
    expect(await failure({ PGLITE_DATA_DIR: join(file, 'a', 'db') })).toMatchObject({
      code: 'INVALID_INPUT',
      message: `${file} is no folder, but a file, so the database directory ${join(file, 'a', 'db')} cannot lie in it: ${end}`,
    });
    expect(readdirSync(home)).toEqual(['file']);
  });

  it('says that a folder holds something else, and leaves that as it is', async () => {
    const folder = join(home, 'notes');
    mkdirSync(folder);
    writeFileSync(join(folder, 'readme.txt'), 'hello\n');

    expect(await failure({ PGLITE_DATA_DIR: folder })).toMatchObject({
      code: 'UNAVAILABLE',
      message: `the database in ${folder} cannot be opened: the folder holds no database of PGlite, but something else: name another one with PGLITE_DATA_DIR, or an empty folder`,
      details: { reason: expect.stringContaining('ExitStatus') },
    });
    expect(readdirSync(folder)).toEqual(['readme.txt']);
  });

  it('says that a database is damaged', () => {
    const folder = join(home, 'broken');
    mkdirSync(folder);
    writeFileSync(join(folder, 'PG_VERSION'), '17\n');
    const place = { kind: 'directory', directory: folder } as const;

    expect(unopened(place, { name: 'ExitStatus', status: 1 }).message).toBe(
      `the database in ${folder} cannot be opened: it is damaged, of another version, or its disk is full: take a copy that is whole, or name another one with PGLITE_DATA_DIR`,
    );
  });
});

describe('the words of a cause', () => {
  const place = (postgresUrl: string) => ({ kind: 'server', postgresUrl }) as const;
  const query = (cause: Error) => new Error('Failed query: select 1\nparams: ', { cause });

  it.each([
    ['a host with several addresses', new AggregateError([new Error('a'), new Error('b')]), 'a, b'],
    ['one without words', Object.assign(new Error(''), { code: 'ECONNRESET' }), 'ECONNRESET'],
    ['one below another', new Error('outside', { cause: new Error('inside') }), 'inside'],
  ])('are the innermost: %s', (_what, cause, words) => {
    expect(causeWords(query(cause), place('postgres://localhost/x'))).toBe(
      `its database failed: ${words}`,
    );
  });

  it('keep what stands around the innermost, unless it says the same', () => {
    const local = place('postgres://localhost/x');
    const outside = new Error('the tables are old', { cause: new Error('no column') });
    expect(causeWords(outside, local)).toBe('the tables are old: no column');
    expect(causeWords(new Error('a: b', { cause: new Error('b') }), local)).toBe('a: b');
  });

  it.each([
    ['postgres://u:p@db.example/x', 'no pg_hba for p at postgres://u:p@db.example/x'],
    ['postgres://ada:a%2Fb%3Fc@db.example/x', 'wrong: a/b?c or a%2Fb%3Fc'],
    ['postgres://ada:$(x)+@db.example/x', 'wrong "$(x)+" here'],
  ])('have no password of %s', (url, said) => {
    const words = causeWords(query(new Error(said)), place(url));
    const { password } = new URL(url);
    expect(words).not.toContain(`:${password}@`);
    expect(words).not.toContain(decodeURIComponent(password).padEnd(2, ' '));
    expect(words).toMatch(/\*\*\*/);
  });
});
