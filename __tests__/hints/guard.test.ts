import { describe, expect, it } from 'vitest';
import { join } from '../../eval/hints/secrets/cases.js';
import { lineOf, measureGuard } from '../../eval/hints/secrets/measure.js';
import { NEGATIVES } from '../../eval/hints/secrets/negatives.js';
import { POSITIVES } from '../../eval/hints/secrets/positives.js';
import { createGuard, type HintTexts, loadSecretlint } from '../../src/hints/guard.js';

const MIX = 'Zk3vQ9xT7mLp2RwY8sBn4HcJ6dFg1KaV';
const HEX = '9f86d081884c7d659a2feaa0c55ad015';
const GITHUB = join('ghp', '_', MIX, '5uEo');
const AWS = join('AKIA', 'QOSFODNN7ABCDEFG');

const guard = createGuard({ enabled: true });
const foundIn = async (hint: HintTexts) => (await guard.check(hint)).found;

describe('the corpus', () => {
  it('finds at least 98 % of the secrets and suspects at most 0.5 % of the other hints', async () => {
    const measured = await measureGuard(false);
    process.stdout.write(`secret guard: ${lineOf(measured)}\n`);
    const of = (kind: string, half: string) =>
      measured.rates.find((rate) => rate.kind === kind && rate.half === half);
    expect(of('positive', 'all')?.cases).toBeGreaterThanOrEqual(100);
    expect(of('negative', 'all')?.cases).toBeGreaterThanOrEqual(200);
    expect(of('positive', 'all')?.rate).toBeGreaterThanOrEqual(0.98);
    expect(of('positive', 'held')?.rate).toBeGreaterThanOrEqual(0.98);
    expect(of('negative', 'all')?.rate).toBeLessThanOrEqual(0.005);
    // A short value under a name that often has a harmless one, and a name of a program with a year in it.
    const wrong = measured.wrong.filter(({ half }) => half === 'tune');
    const told = wrong.map(({ kind, index }) =>
      JSON.stringify((kind === 'positive' ? POSITIVES : NEGATIVES)[index]),
    );
    expect(told).toEqual(['"SENDGRID_KEY: x93kd02ndk38"', '"token: Token2022Program"']);
  });
});

describe('a verdict', () => {
  it('lets a hint without a secret in', async () => {
    expect(await guard.check({ value: 'docker compose build router' })).toEqual({
      ok: true,
      secret: false,
      found: [],
    });
  });

  it('refuses a secret, naming the rule and the place but not the secret', async () => {
    const verdict = await guard.check({ value: { type: 'command', cmd: `login ${GITHUB}` } });
    expect(verdict).toEqual({
      ok: false,
      secret: true,
      found: [{ rule: 'github', where: 'value.cmd' }],
    });
  });

  it('lets a secret in that was allowed, and marks it', async () => {
    expect(await guard.check({ value: GITHUB }, true)).toMatchObject({ ok: true, secret: true });
  });

  it('lets in what is said to be secret', async () => {
    const meta = { sensitivity: 'secret' } as const;
    expect(await guard.check({ value: GITHUB, meta })).toMatchObject({ ok: true, secret: true });
    expect(await guard.check({ value: 'opensesame', meta })).toEqual({
      ok: true,
      secret: true,
      found: [],
    });
  });

  it('is no refusal when the guard is off, yet marks what it finds', async () => {
    const off = createGuard({ enabled: false });
    expect(await off.check({ value: AWS })).toEqual({
      ok: true,
      secret: true,
      found: [{ rule: 'aws', where: 'value' }],
    });
  });

  it('tells each of several places in order, at most twenty', async () => {
    const data = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? AWS : 'fine'));
    const found = await foundIn({ value: { type: 'json', data }, component: GITHUB });
    expect(found).toHaveLength(16);
    expect(found[0]).toEqual({ rule: 'github', where: 'component' });
    expect(found.at(-1)?.where).toMatch(/^value\.data\[\d+\]$/);
    const many = Array.from({ length: 100 }, () => AWS);
    expect(await foundIn({ value: { type: 'json', data: many } })).toHaveLength(20);
  });
});

describe('where it looks', () => {
  const places: [where: string, hint: HintTexts][] = [
    ['component', { component: GITHUB, value: 'x' }],
    ['key', { key: GITHUB, value: 'x' }],
    ['value', { value: GITHUB }],
    ['value.cmd', { value: { type: 'command', cmd: `echo ${GITHUB}` } }],
    ['value.abs', { value: { type: 'path', abs: `/srv/${GITHUB}/app` } }],
    ['value.body', { value: { type: 'template', format: 'mustache', body: `{{a}} ${GITHUB}` } }],
    [
      'value.defaults.a',
      { value: { type: 'template', format: 'mustache', body: '{{a}}', defaults: { a: GITHUB } } },
    ],
    ['value.data', { value: { type: 'json', data: GITHUB } }],
    ['value.data.a[1].b', { value: { type: 'json', data: { a: [0, { b: GITHUB }] } } }],
    ['value.data.a.(name)', { value: { type: 'json', data: { a: { [GITHUB]: 1 } } } }],
    ['meta.reason', { value: 'x', meta: { reason: `as ${GITHUB}` } }],
    ['meta.tags[1]', { value: 'x', meta: { tags: ['build', GITHUB] } }],
    ['meta.added_by', { value: 'x', meta: { added_by: GITHUB } }],
    ['meta.scope.repo', { value: 'x', meta: { scope: { repo: `https://me:${GITHUB}@h/r` } } }],
    ['meta.scope.env_match.T[0]', { value: 'x', meta: { scope: { env_match: { T: [GITHUB] } } } }],
    ['meta.scope.cwd_glob[0]', { value: 'x', meta: { scope: { cwd_glob: [`/x/${GITHUB}`] } } }],
  ];
  it.each(places)('finds a token in %s', async (where, hint) => {
    const found = await foundIn(hint);
    expect([...new Set(found.map((one) => one.where))]).toEqual([where]);
  });

  it('does not repeat a name that is a secret itself', async () => {
    const data = { [GITHUB]: { inner: AWS } };
    const found = await foundIn({ value: { type: 'json', data } });
    expect(JSON.stringify(found)).not.toContain(MIX.slice(0, 8));
    expect(found).toContainEqual({ rule: 'aws', where: 'value.data.[redacted:github].inner' });
  });

  it('judges a value by the key of the hint, a property, a default and a variable', async () => {
    expect(await foundIn({ key: 'db_password', value: 'hunter22' })).toHaveLength(1);
    expect(await foundIn({ key: 'db_host', value: 'hunter22' })).toEqual([]);
    const json = { type: 'json', data: { password: ['hunter22'] } } as const;
    expect(await foundIn({ value: { ...json, data: { password: ['hunter22'] } } })).toHaveLength(1);
    expect(await foundIn({ value: { type: 'json', data: { pin: 12345678 } } })).toEqual([]);
    expect(await foundIn({ value: { type: 'json', data: { password: 12345678 } } })).toHaveLength(
      1,
    );
    const env_match = { DB_PASSWORD: 'hunter22' };
    expect(await foundIn({ value: 'x', meta: { scope: { env_match } } })).toHaveLength(1);
  });

  it('finds one secret among a thousand texts, and stays fast', async () => {
    const data = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index === 777 ? AWS : `v${index}`]),
    );
    expect(await foundIn({ value: { type: 'json', data } })).toEqual([
      { rule: 'aws', where: 'value.data.k777' },
    ]);
  });

  it('does not see two texts as one', async () => {
    const halves = [HEX.slice(0, 16), HEX.slice(16)];
    expect(await foundIn({ value: { type: 'json', data: halves } })).toEqual([]);
    expect(await foundIn({ value: { type: 'json', data: ['password:', 'hunter22'] } })).toEqual([]);
  });

  it('goes through data of any depth', async () => {
    let data: HintTexts['value'] = { type: 'json', data: AWS };
    for (let depth = 0; depth < 5_000; depth++) data = { type: 'json', data: [data.data] };
    const found = await foundIn({ value: data });
    expect(found).toHaveLength(1);
    expect(found[0]?.where.length).toBeLessThan(100);
  });
});

describe('the detector beside our rules', () => {
  it('is asked for what our rules do not see, text by text', async () => {
    const asked: string[] = [];
    const other = createGuard({
      enabled: true,
      lint: async () => async (text) => {
        asked.push(text);
        return [{ rule: 'ODD', start: text.indexOf('odd thing') }];
      },
    });
    const { found } = await other.check({ component: 'api', key: 'k', value: 'an odd thing' });
    expect(found).toEqual([{ rule: 'secretlint:ODD', where: 'value' }]);
    expect(asked).toHaveLength(1);
  });

  it('does not see what stands for a secret', async () => {
    const address = (password: string) => join('mongodb://u:', password, '@h/shop');
    for (const standIn of ['<password>', '$PASS', join('$', '{PASS}'), '{{ password }}']) {
      expect(await foundIn({ value: address(standIn) }), standIn).toEqual([]);
    }
    expect((await foundIn({ value: address('hunter2') })).length).toBeGreaterThan(0);
  });

  it('knows nothing that switches it off', async () => {
    const value = `# secretlint-disable\nop run with ${join('ops', '_eyJ', MIX.repeat(8))}`;
    expect((await foundIn({ value })).length).toBeGreaterThan(0);
  });

  it('does not take the number of an account for a secret', async () => {
    const value = '"aws_account_id": "123456789012" AWS_ACCOUNT_ID=1234-5678-9012';
    expect(await foundIn({ value })).toEqual([]);
  });

  it('leaves nothing behind on the timeline of the process', async () => {
    const marks = () =>
      (['mark', 'measure'] as const).flatMap((type) => performance.getEntriesByType(type)).length;
    await foundIn({ value: 'make build' });
    const before = marks();
    for (let check = 0; check < 200; check++) await foundIn({ value: `make build-${check}` });
    expect(marks()).toBe(before);
  });

  it('names what comes first in the text first, whichever rule saw it', async () => {
    const lint = await loadSecretlint();
    const npm = join('npm', '_', MIX, '5uEo');
    const found = await lint(`a ${GITHUB} b ${npm}`);
    expect(found).toEqual([
      { rule: 'GITHUB_TOKEN', start: 2 },
      { rule: 'NPM_ACCESS_TOKEN', start: 45 },
    ]);
  });
});
