/** The commands against a real store: what is sent, what is printed, how they end. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onPosix } from '../../../helpers/where.js';
import { AGENT_ID, type HintServer, makeStage, type Stage, startHintServer } from './nudge.js';

const CWD = '/srv/minerva/http-proxy';
const HERE = ['--cwd', CWD, '--repo', 'git:minerva/http-proxy', '--branch', 'dev', '--os', 'linux'];
const BUILD = 'docker compose build router';
const SECRET = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

let server: HintServer;
let stage: Stage;
beforeEach(async () => {
  server = await startHintServer();
  stage = makeStage(server);
});
afterEach(async () => {
  stage.remove();
  await server.close();
});

const done = (out: string, err = '') => ({ code: 0, out, err });

/** What is said of a hint without a TTL. */
const NOTICE =
  'kept until the serving process ends (ttl "session", the default): give a ttl like P30D to keep it longer\n';

/** A hint that must be stored. */
async function made(...argv: string[]): Promise<void> {
  const { code, err } = await stage.nudge('set', ...argv);
  expect({ code, err }).toEqual({ code: 0, err: argv.includes('--ttl') ? '' : NOTICE });
}

async function json(...argv: string[]): Promise<{ code: number | null; document: unknown }> {
  const { code, out } = await stage.nudge(...argv, '--json');
  return { code, document: JSON.parse(out) };
}

const lastParams = () => server.calls.at(-1)?.params;

describe('the transcript of the seed', () => {
  it('is what set, get and bump print, byte for byte', async () => {
    const set = [
      ...['set', 'http-proxy', 'build', BUILD, '--tags', 'build,docker', '--priority', '7'],
      ...['--ttl', 'session', '--scope-cwd-glob', '**/http-proxy*'],
    ];
    await stage.nudge(...set);
    await stage.nudge(...set);

    expect(await stage.nudge(...set)).toEqual(
      done(
        '✔ upserted hint http-proxy/build (v3)\n' +
          '  score base: priority=7 tags=build,docker ttl=session scope=cwd_glob\n',
      ),
    );
    for (let use = 0; use < 3; use += 1) await stage.nudge('bump', 'http-proxy', 'build', ...HERE);
    expect(await stage.nudge('bump', 'http-proxy', 'build', ...HERE)).toEqual(
      done('↑ bumped frecency: use_count=4 last_used_at=now\n'),
    );
    server.room.pass(5 * 60_000);
    expect(await stage.nudge('get', 'http-proxy', 'build', ...HERE)).toEqual(
      done(
        `value: ${BUILD}\nmatch:\n  score: 0.57\n  reasons:\n` +
          '    - cwd matched **/http-proxy*\n    - recently used (5m ago)\n',
      ),
    );
  });
});

describe('the scenarios of the seed', () => {
  it('C: people on two systems get the folder of their own', async () => {
    const key = ['http-proxy', 'directory'];
    await made(...key, 'c:\\code\\http-proxy', '--scope-os', 'windows');
    await made(...key, '/Users/dev/code/http-proxy', '--scope-os', 'darwin');

    const folderOn = async (os: string) =>
      (await stage.nudge('get', ...key, '--os', os)).out.split('\n')[0];
    expect(await folderOn('windows')).toBe('value: c:\\code\\http-proxy');
    expect(await folderOn('darwin')).toBe('value: /Users/dev/code/http-proxy');
    expect((await stage.nudge('get', ...key, '--os', 'linux')).code).toBe(3);
  });

  it('E: what a person seeds by hand is there at once', async () => {
    const hints = { build: { value: 'docker compose build router', meta: { tags: ['build'] } } };
    const seed = { schema_version: '1.0', components: { 'http-proxy': { hints } } };
    stage.write('nudge-seed.json', JSON.stringify(seed));
    expect(await stage.nudge('import', './nudge-seed.json')).toEqual(
      done('✔ imported 1 hint, skipped 0\n'),
    );
    expect((await stage.nudge('get', 'http-proxy', 'build')).out).toMatch(
      /^value: docker compose build router\n/,
    );
  });

  it('and is bad input where none of it is a hint', async () => {
    const seed = { schema_version: '1.0', components: { api: { hints: { build: { value: 3 } } } } };
    stage.write('broken.json', JSON.stringify(seed));
    expect(await stage.nudge('import', './broken.json')).toEqual({
      code: 2,
      out: 'imported 0 hints, skipped 1\n  - api/build: value: must be text or an object\n',
      err: '',
    });
  });
});

describe('nudge set', () => {
  it('sends every flag of meta and scope', async () => {
    const flags = [
      ...['--reason', 'custom image', '--tags', 'build', '--tags', 'docker,ci'],
      ...['--priority', '8', '--confidence', '0.9', '--ttl', 'PT2H', '--sensitivity', 'normal'],
      ...['--source', 'agent', '--added-by', 'agent:codex'],
      ...['--scope-cwd-glob', '**/{api,web}/**,/srv/*', '--scope-repo', 'git:a/b,git:c/d'],
      ...['--scope-branch', 'dev,hotfix/*', '--scope-os', 'linux,macOS'],
      ...['--scope-env-required', 'CI,HOME', '--scope-env-match', 'STAGE=dev'],
      ...['--scope-env-match', 'STAGE=test', '--scope-env-match', 'MODE=a=b'],
      ...['--if-match-version', '0', '--allow-secret'],
    ];
    await made('api', 'build', 'make', ...flags);

    expect(lastParams()).toEqual({
      component: 'api',
      key: 'build',
      value: 'make',
      meta: {
        reason: 'custom image',
        tags: ['build', 'docker', 'ci'],
        priority: 8,
        confidence: 0.9,
        ttl: 'PT2H',
        sensitivity: 'normal',
        source: 'agent',
        added_by: 'agent:codex',
        scope: {
          cwd_glob: ['**/{api,web}/**', '/srv/*'],
          repo: ['git:a/b', 'git:c/d'],
          branch: ['dev', 'hotfix/*'],
          os: ['linux', 'darwin'],
          env_required: ['CI', 'HOME'],
          env_match: { STAGE: ['dev', 'test'], MODE: 'a=b' },
        },
      },
      if_match_version: 0,
      allow_secret: true,
    });
  });

  it('sends no more than was said', async () => {
    await made('api', 'build', 'make');
    expect(lastParams()).toEqual({ component: 'api', key: 'build', value: 'make' });
  });

  it.each([
    ['a command', ['make', '--type', 'command'], { type: 'command', cmd: 'make' }],
    [
      'a command of a shell',
      ['make', '--type', 'command', '--shell', 'bash'],
      { type: 'command', shell: 'bash', cmd: 'make' },
    ],
    [
      'a path',
      ['/srv/api', '--type', 'path', '--os', 'linux,darwin'],
      { type: 'path', os: ['linux', 'darwin'], abs: '/srv/api' },
    ],
    [
      'a template',
      ['hi {{a}}', '--type', 'template', '--format', 'mustache', '--default', 'a=b=c'],
      { type: 'template', format: 'mustache', body: 'hi {{a}}', defaults: { a: 'b=c' } },
    ],
    ['data', ['{"a":[1]}', '--type', 'json'], { type: 'json', data: { a: [1] } }],
    ['plain text by name', ['make', '--type', 'string'], 'make'],
    ['plain text that looks like a flag', ['--', '--verbose'], '--verbose'],
    ['plain text that begins with @', ['@@scope/pack'], '@scope/pack'],
    ['a Windows path as text', ['c:\\code\\http-proxy'], 'c:\\code\\http-proxy'],
  ])('makes %s', async (_what, argv, value) => {
    await made('api', 'it', ...argv);
    expect(lastParams()?.value).toEqual(value);
  });

  it('reads the value from standard input, and from a file, without its last line break', async () => {
    stage.write('build.sh', 'set -e\nmake\n');
    await stage.nudgeIn({ stdin: 'make all\r\n' }, 'set', 'api', 'one', '-');
    expect(lastParams()?.value).toBe('make all');
    await made('api', 'two', '@build.sh', '--type', 'command');
    expect(lastParams()?.value).toEqual({ type: 'command', cmd: 'set -e\nmake' });
  });

  it.each([
    ['a flag of another kind', ['x', '--shell', 'bash'], '--shell goes with --type command'],
    [
      'a kind that is unknown',
      ['x', '--type', 'yaml'],
      '--type is string, command, path, template, json, not "yaml"',
    ],
    [
      'a template without a format',
      ['x', '--type', 'template'],
      'a template needs --format: mustache, handlebars, jinja or interpolate',
    ],
    ['data that is none', ['{a', '--type', 'json'], 'the value is not valid JSON'],
    ['a file that is not there', ['@none.txt'], 'there is no file none.txt'],
    ['a priority in words', ['x', '--priority', 'high'], '--priority is a number, not "high"'],
    [
      'a variable without a value',
      ['x', '--scope-env-match', 'CI'],
      '--scope-env-match is NAME=VALUE, not "CI"',
    ],
    [
      'a system that does not exist',
      ['x', '--scope-os', 'beos'],
      '--scope-os is linux, darwin, windows, not "beos"',
    ],
  ])('refuses %s without asking anybody', async (_what, argv, message) => {
    expect(await stage.nudge('set', 'api', 'it', ...argv)).toEqual({
      code: 2,
      out: '',
      err: `nudge: ${message}\n`,
    });
    expect(server.calls).toEqual([]);
  });

  it('ends with 2 for what the server finds wrong, naming it', async () => {
    expect(await stage.nudge('set', 'api', 'it', 'x', '--priority', '11')).toEqual({
      code: 2,
      out: '',
      err: 'nudge: --priority: must be at most 10\n',
    });
    expect((await stage.nudge('set', 'api', 'it', 'x', '--scope-cwd-glob', '../up/**')).code).toBe(
      2,
    );
  });

  it('ends with 1 when somebody else was first', async () => {
    await made('api', 'it', 'x');
    const { code, err } = await stage.nudge('set', 'api', 'it', 'y', '--if-match-version', '7');
    expect({ code, err }).toEqual({ code: 1, err: 'nudge: api/it has version 1, not 7\n' });
  });

  it('refuses a secret, and with --allow-secret never shows it', async () => {
    const refused = await stage.nudge('set', 'api', 'auth', SECRET);
    expect(refused.code).toBe(2);
    expect(refused.err).not.toContain(SECRET);

    expect(await stage.nudge('set', 'api', 'auth', SECRET, '--allow-secret')).toEqual(
      done(
        '✔ upserted hint api/auth (v1)\n  score base: priority=5 ttl=session sensitivity=secret\n',
        NOTICE,
      ),
    );
    const got = await stage.nudge('get', 'api', 'auth');
    expect(got.out).toMatch(/^value: \[redacted\]\n/);
    expect(got.err).toBe('the value is a secret: --json shows it\n');
    expect((await stage.nudge('ls', 'api')).out).toBe('auth: [redacted]\n');
    expect((await stage.nudge('query')).out).toContain('value: [redacted]');
    expect((await stage.nudge('delete', 'api', 'auth')).out).not.toContain(SECRET);
  });
});

describe('nudge get', () => {
  it('prints what more belongs to a value', async () => {
    await made('api', 'a', 'make', '--type', 'command', '--shell', 'bash');
    await made('api', 'b', '/srv', '--type', 'path', '--os', 'linux');
    await made(
      ...['api', 'c', 'a\n\nb', '--type', 'template', '--format', 'jinja', '--default', 'x=1'],
    );
    await made('api', 'd', '{"n":[1,2]}', '--type', 'json');
    const value = async (key: string) =>
      (await stage.nudge('get', 'api', key)).out.split('match:')[0];

    expect(await value('a')).toBe('value: make\nshell: bash\n');
    expect(await value('b')).toBe('value: /srv\nos: linux\n');
    expect(await value('c')).toBe('value: |\n  a\n\n  b\nformat: jinja\ndefaults:\n  x=1\n');
    expect(await value('d')).toBe('value: {"n":[1,2]}\n');
  });

  it('prints the value alone with --raw, and nothing where there is none', async () => {
    await made('api', 'raw', 'make "a b" | tee log', '--type', 'command', '--scope-branch', 'dev');
    await made('api', 'hidden', SECRET, '--allow-secret');
    const raw = (...more: string[]) => stage.nudge('get', 'api', ...more, '--raw');
    expect(await raw('raw', '--branch', 'dev')).toEqual(done('make "a b" | tee log\n'));
    expect(await raw('hidden')).toEqual(done(`${SECRET}\n`));
    const none = await raw('raw', '--branch', 'main');
    expect([none.code, none.out]).toEqual([3, '']);
    expect((await raw('raw', '--json')).code).toBe(2);
  });

  it('says why nothing is eligible, beside an empty result', async () => {
    await made('http-proxy', 'build', BUILD, '--scope-branch', 'main', '--scope-os', 'windows');

    expect(await stage.nudge('get', 'http-proxy', 'build', ...HERE)).toEqual({
      code: 3,
      out: '',
      err:
        'nudge: http-proxy/build is not eligible here\n' +
        '  - branch=dev not in main\n  - os=linux not in windows\n',
    });
    const { code, document } = await json('get', 'http-proxy', 'build', ...HERE);
    expect({ code, document }).toEqual({
      code: 3,
      document: {
        hint: null,
        match_explain: {
          matched: false,
          reasons: ['branch=dev not in main', 'os=linux not in windows'],
        },
      },
    });
  });

  it('lists several variants, and with --explain the others', async () => {
    await made('http-proxy', 'build', 'make', '--priority', '9');
    await made('http-proxy', 'build', BUILD, '--scope-branch', 'dev');
    await made('http-proxy', 'build', 'nmake', '--scope-os', 'windows');

    const argv = ['get', 'http-proxy', 'build', ...HERE, '--limit', '3', '--explain'];
    expect((await stage.nudge(...argv)).out).toBe(
      'value: make\nmatch:\n  score: 0.38\n  reasons:\n    - fits everywhere\n\n' +
        `value: ${BUILD}\nmatch:\n  score: 0.33\n  reasons:\n    - branch=dev allowed\n\n` +
        'not eligible here:\n  - nmake\n    - os=linux not in windows\n',
    );
    expect(lastParams()).toMatchObject({ limit: 3, explain: 'all' });
  });

  it('is not found with 3, also as a document', async () => {
    expect(await stage.nudge('get', 'none', 'build')).toEqual({
      code: 3,
      out: '',
      err: 'nudge: no component "none"\n',
    });
    expect(await json('get', 'none', 'build')).toEqual({
      code: 3,
      document: {
        error: {
          code: 40401,
          message: 'no component "none"',
          data: { reason: 'E_NOT_FOUND', details: { component: 'none' } },
        },
      },
    });
  });

  it('prints the exact result as JSON', async () => {
    await made('api', 'build', 'make');
    const { document } = await json('get', 'api', 'build', ...HERE);
    const context = { cwd: CWD, os: 'linux' } as const;
    const asked = { component: 'api', key: 'build', context };
    expect(document).toEqual(await server.room.hints.getHint(asked, { kind: 'operator' }));
  });
});

describe('nudge query', () => {
  it('prints what fits, named, best first', async () => {
    await made('api', 'build', 'make', '--tags', 'build,ci', '--priority', '9');
    await made('web', 'build', 'vite build', '--tags', 'build,ci');
    await made('web', 'test', 'vitest', '--tags', 'test');

    expect(await stage.nudge('query', '--tags', 'build,ci', ...HERE)).toEqual(
      done(
        'api/build\n  value: make\n  match:\n    score: 0.38\n    reasons:\n      - fits everywhere\n\n' +
          'web/build\n  value: vite build\n  match:\n    score: 0.30\n    reasons:\n      - fits everywhere\n',
      ),
    );
  });

  it('sends its filters', async () => {
    const filters = ['--component', 'api', '--keys', 'build,run', '--keys', 'test', '--tags', 'ci'];
    await stage.nudge('query', ...filters, '--regex', 'dock.*build', '--limit', '5', '--explain');
    expect(lastParams()).toMatchObject({
      component: 'api',
      keys: ['build', 'run', 'test'],
      tags: ['ci'],
      regex: 'dock.*build',
      limit: 5,
      explain: 'all',
    });
  });

  it('ends with 3 when nothing fits here', async () => {
    await made('api', 'build', 'make', '--scope-os', 'windows');
    expect(await stage.nudge('query', ...HERE, '--explain')).toEqual({
      code: 3,
      out: 'not eligible here:\n  - api/build: make\n    - os=linux not in windows\n',
      err: 'nudge: no hint fits here\n',
    });
    expect(await json('query', ...HERE)).toEqual({ code: 3, document: { hints: [] } });
  });
});

describe('nudge ls', () => {
  it.each(['ls', 'list-components'])('lists the components: %s', async (name) => {
    await made('web', 'build', 'vite build');
    await made('api', 'build', 'make');
    await made('api', 'test', 'make test');

    expect(await stage.nudge(name)).toEqual(done('api: 2 hints\nweb: 1 hint\n'));
    expect(await json(name)).toEqual({
      code: 0,
      document: {
        components: [
          { name: 'api', hint_count: 2 },
          { name: 'web', hint_count: 1 },
        ],
      },
    });
  });

  it('lists the keys of a component, also those that are not eligible here', async () => {
    await made('api', 'test', 'make test\nmake lint');
    await made('api', 'build', 'make');
    await made('api', 'build', 'nmake', '--scope-branch', 'windows-port');

    const { code, out } = await stage.nudge('ls', 'api');
    expect(code).toBe(0);
    expect(out).toBe(
      'build: make\nbuild: nmake (not eligible here: branch unknown)\ntest: make test …\n',
    );
  });

  it('has nothing to list at first, and knows no other component', async () => {
    expect(await stage.nudge('ls')).toEqual(
      done('', 'no hints yet: nudge set <component> <key> <value>\n'),
    );
    expect(await stage.nudge('ls', 'api')).toEqual({
      code: 3,
      out: '',
      err: 'nudge: no component "api"\n',
    });
  });
});

/** What is said before anything is deleted. */
const WHERE = /^In .+: agent .+, server process \d+ at http:.+\n$/;

describe('nudge delete', () => {
  beforeEach(async () => {
    await made('api', 'dir', '/Users/dev', '--scope-os', 'darwin');
    await made('api', 'dir', 'c:\\dev', '--scope-os', 'windows');
  });

  it('removes all variants of a key, and shows what they were', async () => {
    const { code, out } = await stage.nudge('delete', 'api', 'dir');
    expect(code).toBe(0);
    expect(out.split('\n').sort()).toEqual([
      '',
      '  value: /Users/dev',
      '  value: c:\\dev',
      '✔ deleted hint api/dir (2 variants)',
    ]);
    expect((await stage.nudge('delete', 'api', 'dir')).code).toBe(3);
  });

  it('removes only the variant of a scope', async () => {
    expect(await stage.nudge('delete', 'api', 'dir', '--scope-os', 'windows')).toEqual({
      ...done('✔ deleted hint api/dir (v1)\n  value: c:\\dev\n'),
      err: expect.stringMatching(WHERE),
    });
    expect((await stage.nudge('get', 'api', 'dir', '--os', 'darwin')).code).toBe(0);
  });

  it('removes only what is eligible there', async () => {
    expect((await stage.nudge('delete', 'api', 'dir', '--os', 'darwin')).out).toBe(
      '✔ deleted hint api/dir (v1)\n  value: /Users/dev\n',
    );
    expect(await stage.nudge('delete', 'api', 'dir', '--here', '--scope-os', 'linux')).toEqual({
      code: 2,
      out: '',
      err: 'nudge: give a scope or a context, not both\n',
    });
  });
});

describe('nudge bump', () => {
  it('counts for the variant that is given here, by as much as is said', async () => {
    await made('api', 'build', 'make', '--scope-os', 'linux');
    await made('api', 'build', 'nmake', '--scope-os', 'windows', '--priority', '10');

    const bumped = await json('bump', 'api', 'build', '--os', 'linux', '--delta', '3');
    expect(bumped).toMatchObject({ code: 0, document: { hint: { value: 'make', use_count: 3 } } });
    const scoped = await json('bump', 'api', 'build', '--scope-os', 'windows');
    expect(scoped).toMatchObject({ document: { hint: { value: 'nmake', use_count: 1 } } });
  });

  it('ends with 3 where none is eligible', async () => {
    await made('api', 'build', 'make', '--scope-os', 'windows');
    const { code, err } = await stage.nudge('bump', 'api', 'build', '--os', 'linux');
    expect({ code, err }).toEqual({
      code: 3,
      err: 'nudge: no hint api/build that is eligible here: os=linux not in windows\n',
    });
  });
});

describe('nudge export and import', () => {
  it('carry everything to another server', async () => {
    await made('api', 'build', 'make', '--scope-os', 'linux', '--tags', 'build', '--ttl', 'P30D');
    await made('api', 'build', 'nmake', '--scope-os', 'windows');
    await made('web', 'token', SECRET, '--allow-secret');
    const exported = await stage.nudge('export', '--format', 'json');
    expect(exported.err).toBe('1 of these hints hold secrets, which are in it as they are\n');
    stage.write('seed.json', exported.out);

    const other = await startHintServer();
    const there = makeStage(other);
    const file = there.write('seed.json', exported.out);
    expect(await there.nudge('import', file, '--allow-secret')).toEqual(
      done('✔ imported 3 hints, skipped 0\n'),
    );
    const components = (out: string) => JSON.parse(out).components;
    expect(components((await there.nudge('export')).out)).toEqual(components(exported.out));
    there.remove();
    await other.close();
  });

  it('export prints the result with --json, which import takes, too', async () => {
    await made('api', 'build', 'make');
    const { document } = await json('export', '--component', 'api');
    expect(document).toMatchObject({ payload: { schema_version: '1.0' } });

    const stdin = JSON.stringify(document);
    expect(await stage.nudgeIn({ stdin }, 'import', '-')).toEqual(
      done('✔ imported 0 hints, skipped 1\n  - api/build: what is here is as new\n'),
    );
    expect(await stage.nudgeIn({ stdin }, 'import', '-', '--mode', 'replace')).toEqual({
      ...done('✔ imported 1 hint, skipped 0\n'),
      err: expect.stringMatching(WHERE),
    });
  });

  it.each([
    ['what is no JSON', '{', 'standard input is not valid JSON'],
    ['what holds nothing', '7', 'standard input holds no hints'],
    [
      'a future version',
      '{"schema_version":"2.0","components":{}}',
      'payload.schema_version: is not "1.0", the only version that is known',
    ],
  ])('import refuses %s', async (_what, stdin, message) => {
    expect(await stage.nudgeIn({ stdin }, 'import', '-')).toEqual({
      code: 2,
      out: '',
      err: `nudge: ${message}\n`,
    });
  });

  it('import reads of standard input what it reads of a file', async () => {
    const stdin = `${' '.repeat(2_100_000)}{"schema_version":"1.0","components":{}}`;
    const { code, err } = await stage.process({ stdin }, 'import', '-');
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it.runIf(onPosix())('import reads a device, and refuses a folder', async () => {
    const [empty, folder] = [
      await stage.nudge('import', '/dev/null'),
      await stage.nudge('import', 'pids'),
    ];
    expect([empty.code, empty.err]).toEqual([2, 'nudge: /dev/null is not valid JSON\n']);
    expect([folder.code, folder.err]).toEqual([2, 'nudge: pids is a folder, not a file\n']);
  });

  it('import sends a file over 2 MB in parts, and sums what came of them', async () => {
    const value = 'word '.repeat(3_000);
    const keys = Array.from({ length: 140 }, (_, at) => [`key-${at}`, { value }]);
    const hints = { api: { hints: Object.fromEntries(keys) }, web: { hints: { a: { value: 7 } } } };
    stage.write('big.json', JSON.stringify({ schema_version: '1.0', components: hints }));

    const { code, out } = await stage.nudge('import', 'big.json');
    expect(code).toBe(0);
    expect(out).toMatch(/^✔ imported 140 hints, skipped 1\n {2}- web\/a: /);
    expect(server.calls.map(({ method }) => method)).toEqual(['nudge.import', 'nudge.import']);
    expect((await stage.nudge('import', 'big.json', '--mode', 'replace')).code).toBe(2);
  });
});

describe('an agent that is named', () => {
  it('is asked where it is served, and nobody else is where it is not', async () => {
    await made('api', 'test', 'npm test');
    const asked = async (agent: string) => {
      server.calls.length = 0;
      const ended = await stage.nudgeIn({ env: { CUE_AGENT: agent } }, 'ls');
      return { ...ended, methods: server.calls.map(({ method }) => method) };
    };
    const methods = ['nudge.status'];
    expect(await asked('cue')).toEqual({
      ...done('api: 1 hint\n'),
      methods: [...methods, 'nudge.list_components'],
    });
    expect(await asked('Ada')).toEqual({
      code: 2,
      out: '',
      err:
        `nudge: CUE_AGENT is "Ada", but the server (process ${process.pid}, port ${server.port}) ` +
        `serves "Cue" (${AGENT_ID}): set CUE_AGENT to what it serves, or leave it out\n`,
      methods,
    });
  });
});

describe('what would drive a terminal or pass for a line of ours', () => {
  it('stays within its own lines', async () => {
    await made('api', 'it', 'a\nmatch:\n  score: 1.00', '--scope-branch', 'x');
    const { out } = await stage.nudge('get', 'api', 'it', '--branch', 'x');
    expect(out).toMatch(/^value: \|\n {2}a\n {2}match:\n {4}score: 1\.00\nmatch:\n/);
  });
});
