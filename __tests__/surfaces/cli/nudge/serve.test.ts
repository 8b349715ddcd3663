/** `nudge serve`, `status` and `stop` as people and agents start them: real processes, a real database. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pidFileOf } from '../../../../src/server/client.js';
import { freePort } from '../../../helpers/free-port.js';
import {
  endNudges,
  type Fields,
  type RpcLine,
  runNudge,
  type ServeProcess,
  startServe,
} from '../../../helpers/nudge.js';

let home: string;
let env: NodeJS.ProcessEnv;
let port: number;
let pidFile: string;
let primary: ServeProcess;
let proxy: ServeProcess;

const DURABLE = { component: 'api', key: 'test' };
const PASSING = { component: 'api', key: 'run' };

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cue-serve-'));
  port = await freePort();
  env = {
    NUDGE_PID_DIR: join(home, 'pid'),
    PGLITE_DATA_DIR: join(home, 'db'),
    CUE_DATA_DIR: join(home, 'cue'),
    ELIZA_SERVER_AUTH_TOKEN: '',
    POSTGRES_URL: '',
  };
  pidFile = pidFileOf(env, { kind: 'directory', directory: join(home, 'db') });
});
afterAll(async () => {
  await endNudges();
  rmSync(home, { recursive: true, force: true });
});

const written = () => JSON.parse(readFileSync(pidFile, 'utf8')) as { pid: number; port: number };
/** A slow machine may take longer to serve than calls are held: what was not carried out is called again. */
async function carriedOut(
  one: ServeProcess,
  method: string,
  params: Fields = {},
): Promise<RpcLine> {
  for (;;) {
    const answer = await one.call(method, params);
    if (answer.error?.data?.details.carried_out !== false) return answer;
  }
}
const named = (...args: string[]) => runNudge([...args, '-p', String(port)], env);

describe('nudge', () => {
  it('says that nothing serves, and how that is changed', async () => {
    const [shown, document, stopped] = await Promise.all([
      named('status'),
      named('status', '--json'),
      named('stop'),
    ]);
    expect([shown.code, document.code, stopped.code]).toEqual([3, 3, 3]);
    expect(shown.err).toBe(
      `nudge: nothing serves: nothing listens at http://127.0.0.1:${port}: start a server with "nudge serve", or say its port with -p PORT\n`,
    );
    expect(JSON.parse(document.out)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('takes no wrong setting, and says why it cannot serve', async () => {
    const isFile = fileURLToPath(import.meta.url);
    const [many, life, nowhere] = await Promise.all([
      runNudge(['serve', '--max-hints', 'abc'], env),
      runNudge(['serve'], { ...env, NUDGE_DEFAULT_TTL: 'zzz' }),
      runNudge(['serve'], { ...env, PGLITE_DATA_DIR: join(isFile, 'db') }),
    ]);
    expect([many.code, life.code, nowhere.code]).toEqual([2, 2, 2]);
    expect(many.err).toMatch(
      /^nudge: wrong setting: NUDGE_MAX_HINTS must be a whole number from 1 to 100000/,
    );
    expect(life.err).toMatch(
      /^nudge: wrong setting: NUDGE_DEFAULT_TTL is neither "session" nor a duration/,
    );
    expect(nowhere.err).toMatch(/^nudge: .* is no folder, but a file, so the database directory /);
  });

  it('serves once of two that start at once, and passes on in the other', async () => {
    const args = ['--log-level', 'debug', '--max-hints', '3', '-p', String(port)];
    const both = [startServe({ env, args }), startServe({ env, args })];
    const answers = await Promise.all(both.map((one) => carriedOut(one, 'status')));

    const pids = answers.map(({ result }) => result?.pid);
    expect(pids).toEqual([written().pid, written().pid]);
    expect(answers[0]?.result).toMatchObject({
      kind: 'headless',
      database: join(home, 'db'),
      counts: { hints: 0 },
    });
    const [first, second] = both as [ServeProcess, ServeProcess];
    [primary, proxy] = first.pid === written().pid ? [first, second] : [second, first];
    await primary.says('PRIMARY: serves on port');
    await proxy.says(`PROXY of process ${primary.pid} (headless)`);
    expect(written().port).toBe(port);
  });

  it('shares what either is told, within the limits of its flags', async () => {
    const value = 'npm test';
    await proxy.call('set_hint', { ...DURABLE, value, meta: { ttl: 'P7D', tags: ['check'] } });
    await primary.call('set_hint', { ...PASSING, value: 'npm start' });
    await proxy.call('set_hint', { component: 'api', key: 'build', value: 'make' });
    expect((await primary.call('get_hint', DURABLE)).result).toMatchObject({ hint: { value } });
    const tooMany = await proxy.call('set_hint', { component: 'api', key: 'more', value: 'x' });
    expect(tooMany.error).toMatchObject({ code: 42901, data: { reason: 'E_QUOTA' } });
  });

  it('answers on standard output and says nothing else there', async () => {
    proxy.send('nonsense');
    proxy.send('[{"jsonrpc":"2.0","id":"a","method":"nudge.list_components"}]');
    proxy.send('{"jsonrpc":"2.0","method":"nudge.bump","params":{"component":"api","key":"test"}}');
    const last = await proxy.call('get_hint', DURABLE);
    expect(last.result).toMatchObject({ hint: { use_count: 1 } });
    expect(proxy.lines.slice(-3, -1).map((line) => JSON.parse(line) as object)).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'this is not valid JSON' } },
        [{ jsonrpc: '2.0', id: 'a', result: { components: [{ name: 'api', hint_count: 3 }] } }],
      ]),
    );
    // Whatever is no JSON would have thrown in `startServe`.
    expect(primary.lines.length).toBeGreaterThan(0);
    expect(primary.errors()).toMatch(/debug/i);
  });

  it('shows who serves, and counts', async () => {
    const { code, out } = await runNudge(['status'], env);
    expect(code).toBe(0);
    expect(out.replaceAll(/[0-9a-f]{8}-[-0-9a-f]{27}/g, 'ID').split('\n')).toEqual([
      `PRIMARY (headless): process ${primary.pid}, port ${port}`,
      expect.stringMatching(/^ {2}started: 20\S+Z \(.+\)$/),
      '  session: ID',
      '  agent: ID',
      `  database: ${join(home, 'db')}`,
      '  hints: 3 of 1 component (1 durable, 2 of the session, 0 secret)',
      '  top tags: check (1)',
      '',
    ]);
    const { out: json } = await runNudge(['status', '--json'], env);
    expect(JSON.parse(json)).toMatchObject({
      name: 'cue',
      pid: primary.pid,
      port,
      kind: 'headless',
    });
  });

  it('has a server of its own for another project, which sees and stops nothing of this one', async () => {
    const cwd = join(home, 'other');
    const database = join(cwd, '.eliza', '.elizadb');
    mkdirSync(database, { recursive: true });
    writeFileSync(join(cwd, '.env'), 'CUE_PROJECT=not-from-here\n');
    const theirs = { ...env, PGLITE_DATA_DIR: database };
    const other = startServe({
      ...{ cwd, env: { ...env, PGLITE_DATA_DIR: '', CUE_DATA_DIR: '' } },
      args: ['-p', String(port)],
    });
    await other.says('PRIMARY: serves on port');
    expect((await other.call('list_components')).result).toEqual({ components: [] });
    const status = (await other.call('status')).result;
    expect(status).toMatchObject({ pid: other.pid, project: null, database });
    expect(other.errors()).toMatch(/^nudge: PRIMARY: serves on port \d+, database .*\n$/);
    expect(written().pid).toBe(primary.pid);

    await other.call('set_hint', { component: 'their', key: 'test', value: 'make check' });
    const [mine, stopped] = [await proxy.call('list_components'), await runNudge(['stop'], theirs)];
    expect(mine.result).toEqual({ components: [{ name: 'api', hint_count: 3 }] });
    expect(stopped.out).toContain(`✔ stopped the server (process ${other.pid}, port `);
    expect(await other.ended).toEqual({ code: 0, signal: null });
    const nobody = await runNudge(['get', 'api', 'test'], theirs);
    expect(nobody.code).toBe(1);
    expect(nobody.err).toContain(`nudge: no server has the database ${database}: `);
  });

  it('ends at once where nobody is there to be passed on, and somebody serves', async () => {
    const second = startServe({ env, client: 'nobody' });
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.errors()).toContain(`PROXY of process ${primary.pid}`);
  });

  it('says nothing but errors where no more is wanted', async () => {
    const quiet = startServe({ env, client: 'nobody', args: ['--log-level', 'error'] });
    expect(await quiet.ended).toEqual({ code: 0, signal: null });
    expect(quiet.errors()).not.toContain('PROXY');
  });

  it('ends when its client leaves, with what it was asked answered', async () => {
    const third = startServe({ env });
    third.send('{"jsonrpc":"2.0","id":7,"method":"nudge.list_components"}');
    third.hangUp();
    expect(await third.ended).toEqual({ code: 0, signal: null });
    expect(third.lines).toEqual([
      '{"jsonrpc":"2.0","id":7,"result":{"components":[{"name":"api","hint_count":3}]}}',
    ]);
  });

  it('goes on in the other when the server is killed, with what is durable', async () => {
    const before = (await proxy.call('status')).result?.session_id;
    await primary.kill();
    const held = await Promise.all([
      carriedOut(proxy, 'get_hint', DURABLE),
      carriedOut(proxy, 'get_hint', PASSING),
      carriedOut(proxy, 'status'),
    ]);

    expect(held[0].result).toMatchObject({ hint: { value: 'npm test', use_count: 1 } });
    expect(held[1].error).toMatchObject({ code: 40401 });
    expect(held[2].result).toMatchObject({ pid: proxy.pid, database: join(home, 'db') });
    expect(held[2].result?.session_id).not.toBe(before);
    expect(written()).toMatchObject({ pid: proxy.pid, port });
  });

  it('is stopped by name: no PID file, no lock, the database closed', async () => {
    const { code, out } = await runNudge(['stop'], env);
    expect({ code, out }).toEqual({
      code: 0,
      out: `✔ stopped the server (process ${proxy.pid}, port ${port}); a client was connected through it, such as a coding agent, and may have to reconnect\n`,
    });
    expect(await proxy.ended).toEqual({ code: 0, signal: null });
    expect(existsSync(pidFile)).toBe(false);
    expect(existsSync(`${join(home, 'db')}.cue-lock`)).toBe(false);
  });
});
