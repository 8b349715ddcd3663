/** What a sentence says of a hint. */
import { describe, expect, it } from 'vitest';
import { parseTtl } from '../../../src/hints/index.js';
import { mask } from '../../../src/surfaces/eliza/hint-mask.js';
import { metaOf } from '../../../src/surfaces/eliza/hint-phrases.js';
import { readHint } from '../../../src/surfaces/eliza/hint-words.js';
import { readEntry } from '../../../src/when/index.js';
import { expectQuick } from '../../helpers/quick.js';

const command = (cmd: string) => ({ type: 'command', cmd });
/** Component, key and value. */
function told(text: string) {
  const read = readHint(text);
  return read && [read.component, read.key, read.value];
}
function meta(text: string) {
  const read = readHint(text);
  return read && metaOf(read);
}

describe('a sentence that tells a hint', () => {
  it.each([
    ['remember: build http-proxy with `make all`', 'http-proxy', 'build', 'make all'],
    ['Please remember that you build http-proxy with `make`', 'http-proxy', 'build', 'make'],
    ['note: test api using `npm test`.', 'api', 'test', 'npm test'],
    ['remember: deploy the web app by running `./up.sh`', 'web app', 'deploy', './up.sh'],
    ['remember: run `make` to build http-proxy', 'http-proxy', 'build', 'make'],
    ['to build http-proxy, run `make router`', 'http-proxy', 'build', 'make router'],
    ['to build http-proxy `make router`', 'http-proxy', 'build', 'make router'],
    ['for building http-proxy use `make`', 'http-proxy', 'build', 'make'],
    ['we build http-proxy with `make`', 'http-proxy', 'build', 'make'],
    ['http-proxy is built with `make`', 'http-proxy', 'build', 'make'],
    ['the api can be tested with `npm test`', 'api', 'test', 'npm test'],
    ['http-proxy builds with `make`', 'http-proxy', 'build', 'make'],
    ['the test command of api is `npm test`', 'api', 'test', 'npm test'],
    ["api's start script is `npm start`", 'api', 'start', 'npm start'],
    ['keep in mind: lint api with ``echo `x` ``', 'api', 'lint', 'echo `x`'],
  ])('%s', (text, component, key, value) => {
    expect(told(text)).toEqual([component, key, command(value)]);
  });

  it.each([
    [
      'set hint http-proxy build = docker compose build',
      'http-proxy',
      'build',
      'docker compose build',
    ],
    ['set hint http-proxy/build to make all', 'http-proxy', 'build', 'make all'],
    ['set hint http-proxy build make all', 'http-proxy', 'build', 'make all'],
    ['add a hint: the port of api is 8080', 'api', 'port', '8080'],
    ['set the build hint of http-proxy to `make`', 'http-proxy', 'build', 'make'],
    ['set hint api greeting = "hello world"', 'api', 'greeting', 'hello world'],
    ['set hint api env.FEATURE_X = 1', 'api', 'env.FEATURE_X', '1'],
    ['set hint packages/api build = tsc -b', 'packages/api', 'build', 'tsc -b'],
    ['remember the hint api port = 8080', 'api', 'port', '8080'],
    ['the port of api is `8080`', 'api', 'port', '8080'],
    ['set hint web dir "c:\\code\\web"', 'web', 'dir', 'c:\\code\\web'],
    ['set hint api test\n```bash\nnpm ci\nnpm test\n```', 'api', 'test', 'npm ci\nnpm test'],
  ])('a plain value: %j', (text, component, key, value) => {
    expect(told(text)).toEqual([component, key, value]);
  });

  it.each([
    ['add a hint', '', '', null],
    ['set hint for http-proxy', 'http-proxy', '', null],
    ['set hint the build of http-proxy', 'http-proxy', 'build', null],
    ['remember: build with `make`', '', 'build', command('make')],
    ['the test command is `npm test`', '', 'test', command('npm test')],
  ])('something is missing in: %s', (text, ...rest) => {
    expect(told(text)).toEqual(rest);
  });
});

describe('words of other requests are no hints', () => {
  it.each([
    'remember that the login bug came from an expired refresh token #auth',
    'remember that the cause of the login bug is an expired token',
    'remember that we fixed auth with `npm ci`',
    'remember that the login bug was fixed with `git revert abc`',
    'remember: Bob fixed it with a retry',
    'remember: Bob fixed auth with `npm ci`',
    'remember that we won the game with a trick',
    'remember that the deploy failed because the name of the image was `abc`',
    'save this memory: ```json {"intent":1}```',
    'remember: note 1: buy milk',
    'remember: build api with docker compose build',
    'remember that the port of api is 8080',
    'the test command of api is npm test',
    'remember my name is Ada',
    'remember to build http-proxy with `make`',
    "don't forget to build http-proxy with `make`",
    'remind me to build http-proxy with `make` tomorrow at 9',
    'every friday at 5 build http-proxy with `make`',
    'tomorrow at 9 run `make` to build http-proxy',
    'set the time of the standup to 10am',
    'set my time zone to Europe/Berlin',
    '/remember writing tests | Mock patching | patch where it is used',
    'remember this: /when splitting modules | Module Split | by reason',
    'build http-proxy with `make`',
    'run `make` to build http-proxy',
    'is http-proxy built with `make`?',
    'how do I build http-proxy?',
    "don't build http-proxy with `make`",
    'remember that http-proxy is not built with `make`',
    'remember: never build http-proxy with `make`',
    'hello',
    '',
  ])('%j', (text) => {
    expect(readHint(text)).toBeNull();
  });

  it('and the words of a hint are no entry of the /when index', () => {
    const { trigger, header, description } = readEntry('remember: build http-proxy with `make`');
    expect([header, description]).toEqual(['', '']);
    expect(trigger).not.toContain('|');
  });
});

describe('how long, where and for whom', () => {
  it.each([
    ['for two hours', { ttl: 'PT2H' }],
    ['for 30 minutes', { ttl: 'PT30M' }],
    ['for half an hour', { ttl: 'PT0.5H' }],
    ['for a day', { ttl: 'P1D' }],
    ['for 3 months', { ttl: 'P3M' }],
    ['for this session', { ttl: 'session' }],
    ['until restart', { ttl: 'session' }],
    ['for good', { ttl: 'P100Y' }],
    ['permanently', { ttl: 'P100Y' }],
    ['with ttl PT5M', { ttl: 'PT5M' }],
    ['on branch dev', { scope: { branch: ['dev'] } }],
    ['on the dev branch', { scope: { branch: ['dev'] } }],
    ['on branches dev, main and hotfix/*', { scope: { branch: ['dev', 'main', 'hotfix/*'] } }],
    ['on branch `feature/a b`', { scope: { branch: ['feature/a b'] } }],
    ['on windows', { scope: { os: ['windows'] } }],
    ['on linux and macOS', { scope: { os: ['linux', 'darwin'] } }],
    ['in /srv/api', { scope: { cwd_glob: ['/srv/api/**'] } }],
    ['under **/http-proxy*', { scope: { cwd_glob: ['**/http-proxy*'] } }],
    ['in repo git:org/repo', { scope: { repo: 'git:org/repo' } }],
    ['when CI is set', { scope: { env_required: ['CI'] } }],
    ['when STAGE=prod', { scope: { env_match: { STAGE: 'prod' } } }],
    ['tagged docker and build', { tags: ['docker', 'build'] }],
    ['#docker', { tags: ['docker'] }],
    ['with priority 8', { priority: 8 }],
    ['priority 8, confidence 0.9', { priority: 8, confidence: 0.9 }],
    [
      'on branch dev, for two hours, priority 8',
      { scope: { branch: ['dev'] }, ttl: 'PT2H', priority: 8 },
    ],
  ])('"%s" behind a command, behind a plain value, and before both', (phrase, expected) => {
    for (const text of [
      `remember: test api with \`npm test\` ${phrase}`,
      `set hint api test = npm test ${phrase}`,
      `${phrase}, remember: test api with \`npm test\``,
    ]) {
      expect(meta(text)).toEqual(expected);
      expect([text, ...(told(text) ?? []).slice(0, 2)]).toEqual([text, 'api', 'test']);
    }
  });

  it('every time it reads is one that the store knows', () => {
    for (const ttl of ['PT2H', 'PT0.5H', 'P3M', 'session', 'P100Y']) {
      expect(parseTtl(ttl)).not.toHaveProperty('finding');
    }
  });

  it('is not read out of the value in backticks', () => {
    expect(meta('remember: test api with `npm test on branch dev for two hours #x`')).toEqual({});
  });

  it('may be a list at the end', () => {
    expect(meta('remember: test api with `x` tagged docker, build')).toEqual({
      tags: ['docker', 'build'],
    });
  });

  it('may stand between', () => {
    const text = 'the build command of api on windows is `build.cmd`';
    expect([meta(text), told(text)?.[0]]).toEqual([{ scope: { os: ['windows'] } }, 'api']);
  });

  it.each([
    ['for everybody', true],
    ['and share it with the team', true],
    ['for me', false],
  ])('"%s" shares: %s', (phrase, share) => {
    expect(readHint(`set hint api port = 8080 ${phrase}`)?.share).toBe(share);
  });
});

describe('what follows', () => {
  it.each([
    ['because the CI is slow', { reason: 'the CI is slow' }],
    ['. It needs docker.', { reason: 'It needs docker.' }],
    ['until friday', { unread: 'until friday' }],
    ['if the moon is full', { unread: 'if the moon is full' }],
    ['!', {}],
  ])('"%s" is a reason, or not understood', (tail, expected) => {
    const read = readHint(`remember: build api with \`make\` ${tail}`);
    expect({
      ...(read?.reason === undefined ? {} : { reason: read.reason }),
      ...(read?.unread === undefined ? {} : { unread: read.unread }),
    }).toEqual(expected);
  });
});

describe('what stands in marks', () => {
  it.each([
    ['a `b` c', ['b']],
    ['``a `b` c``', ['a `b` c']],
    ['` `` `', ['``']],
    ['```sh\nx\ny\n```', ['x\ny']],
    ['"a b" and “c”', ['a b', 'c']],
    ['`open', []],
    ["don't and won't", []],
    ['` `', []],
  ])('%j holds %j', (text, spans) => {
    const masked = mask(text);
    const found = [...masked.text].flatMap((one) => masked.spanOf(one)?.text ?? []);
    expect(found).toEqual(spans);
    expect(masked.restore(masked.text, 'raw')).toBe(text);
  });

  it('cannot be forged with the characters that stand for it', () => {
    expect(mask('\ue000 `x`').restore('\ue000')).toBe('x');
    expect(mask('\ue000\ue001 x').text).toBe('   x');
  });

  it.each([
    ['backticks', '`'.repeat(20_000)],
    ['runs of backticks', Array.from({ length: 190 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
    ['branches', 'remember: '.concat('on branch a, '.repeat(1_500))],
    ['a list', `remember: x with \`y\` on branch ${'a,'.repeat(9_000)}`],
    ['words', `remember: build ${'a '.repeat(9_000)}`],
    ['brackets', `set hint a b = ${'('.repeat(19_000)}`],
    ['spaces', `remember: ${' '.repeat(19_000)}x`],
  ])('of any length is read in no time: %s', (_name, text) => {
    expectQuick(5_000, () => readHint(text));
  });
});
