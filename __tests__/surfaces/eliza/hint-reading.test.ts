/** The hint that a message tells. */
import { describe, expect, it } from 'vitest';
import { readForm, readHint } from '../../../src/surfaces/eliza/hint-reading.js';

describe('without a model', () => {
  it.each([
    ['set hint api/port = 8080', ['api', 'port', '8080']],
    ['set hint api port=8080', ['api', 'port', '8080']],
    ['Please set a hint: packages/api build = make all', ['packages/api', 'build', 'make all']],
    ['set hint packages/api/build = make', ['packages/api', 'build', 'make']],
    ['set hint api env.CI = A=1 make', ['api', 'env.CI', 'A=1 make']],
    ['set hint api/up = `docker run -it for on`', ['api', 'up', 'docker run -it for on']],
    ['set hint api/up = ```bash\na\nb\n```', ['api', 'up', 'a\nb']],
    ['change the hint api/up = `` echo `date` ``', ['api', 'up', ' echo `date` ']],
  ])('%j', (text, told) => {
    const { params, share } = readHint(text)!;
    expect([params.component, params.key, params.value]).toEqual(told);
    expect([params.meta, share]).toEqual([{}, false]);
  });

  it.each([
    'set hint api/port = 80 on branch dev',
    'set hint api/port = `80` for two hours',
    'set hint api/port =',
    'set hint api = 80',
    'set hint api/port 80',
    'remember: build api with `make`',
    'why did you set hint api/port = 80?',
  ])('%j is for the model', (text) => {
    expect(readHint(text)).toBeNull();
  });
});

describe('by the form of the model', () => {
  const said =
    'remember: test api with npm test on branch dev in /srv/api when CI is set, tagged ci';
  const form = { component: 'api', key: 'test', value: 'npm test' };
  const read = (more: object) => readForm(JSON.stringify({ ...form, ...more }), said);

  it('is a hint with what limits it', () => {
    const limits = { branch: ['dev'], folder: ['/srv/api'], isSet: ['CI'], tags: ['ci'], os: [] };
    expect(read({ ...limits, isCommand: true, ttl: '', reason: null })).toEqual({
      params: {
        ...{ component: 'api', key: 'test', value: { type: 'command', cmd: 'npm test' } },
        meta: {
          scope: { branch: ['dev'], cwd_glob: ['/srv/api/**'], env_required: ['CI'] },
          tags: ['ci'],
        },
      },
      share: false,
    });
    expect(readForm(`Sure!\n${JSON.stringify(form)}\n`, said)).toMatchObject({ share: false });
  });

  it.each([
    ['another value', { value: 'npm run test' }],
    ['a branch that was not said', { branch: ['main'] }],
    ['a variable that was not said', { equals: { STAGE: 'prod' } }],
    ['no component', { component: '' }],
    ['a condition in another form', { os: 'windows' }],
    ['a system that is none', { os: ['amiga'] }],
  ])('is none with %s', (_what, more) => {
    expect(read(more)).toBeNull();
  });

  it.each(['', 'no', '{', '[]', 'null'])('%j is none', (answer) => {
    expect(readForm(answer, said)).toBeNull();
  });

  it('says what it did not understand', () => {
    expect(read({ other: 'until friday' })).toEqual({ other: 'until friday' });
  });
});
