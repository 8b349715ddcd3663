import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HintScope, NudgeContext } from '../../src/hints/schema.js';
import {
  checkScope,
  compileScope,
  factsOf,
  normalizeScope,
  scopeKey,
  specificity,
} from '../../src/hints/scope.js';

const explain = (scope: HintScope, context?: NudgeContext) => compileScope(scope).explain(context);
const reasons = (scope: HintScope, context?: NudgeContext): string => {
  const { eligible, reasons } = explain(scope, context);
  return `${eligible ? 'yes' : 'no'}: ${reasons.join('; ')}`;
};

it('matches what the specification matches, in its words', () => {
  const scope: HintScope = {
    cwd_glob: ['**/http-proxy*'],
    branch: ['dev', 'main'],
    os: ['linux', 'darwin'],
  };
  const context: NudgeContext = { cwd: '/srv/minerva/http-proxy', branch: 'dev', os: 'linux' };
  expect(explain(scope, context)).toEqual({
    eligible: true,
    reasons: ['cwd matched **/http-proxy*', 'branch=dev allowed', 'os=linux allowed'],
  });
});

it('says all that does not match, and nothing that does', () => {
  const scope: HintScope = {
    cwd_glob: ['**/y'],
    branch: ['dev'],
    os: ['windows'],
    repo: 'git:a/b',
  };
  expect(explain(scope, { cwd: '/x', os: 'linux', repo: 'git:a/b' })).toEqual({
    eligible: false,
    reasons: ['cwd /x matched none of **/y', 'branch unknown', 'os=linux not in windows'],
  });
});

it('lets a hint without a scope through everywhere, also when nothing is known', () => {
  expect(reasons({}, { cwd: '/x' })).toBe('yes: fits everywhere');
  expect(reasons({}, undefined)).toBe('yes: fits everywhere');
});

describe('what the context does not say matches nothing', () => {
  it.each<[HintScope, string]>([
    [{ cwd_glob: ['**'] }, 'no: cwd unknown'],
    [{ cwd_glob: ['!**/x'] }, 'no: cwd unknown'],
    [{ repo: 'git:a/b' }, 'no: repo unknown'],
    [{ branch: ['**'] }, 'no: branch unknown'],
    [{ branch: ['!main'] }, 'no: branch unknown'],
    [{ os: ['linux', 'darwin', 'windows'] }, 'no: os unknown'],
    [{ env_required: ['CI'] }, 'no: env unknown'],
    [{ env_match: { CI: '' } }, 'no: env unknown'],
  ])('%j', (scope, answer) => {
    expect(reasons(scope, {})).toBe(answer);
    expect(reasons(scope, undefined)).toBe(answer);
    expect(reasons(scope, { cwd: '', branch: '', repo: '' })).toBe(answer);
  });
});

describe('what checkScope refuses lets nothing through', () => {
  const everything: NudgeContext = {
    cwd: '/x',
    repo: 'git:a/b',
    branch: 'main',
    os: 'linux',
    env: { CI: '1' },
  };
  it.each<[HintScope, string, string]>([
    [{ cwd_glob: [] }, 'meta.scope.cwd_glob', 'no: cwd /x matched none of an empty list'],
    [{ repo: [] }, 'meta.scope.repo', 'no: repo=git:a/b not in an empty list'],
    [{ branch: [] }, 'meta.scope.branch', 'no: branch=main not in an empty list'],
    [{ os: [] }, 'meta.scope.os', 'no: os=linux not in an empty list'],
    [{ env_required: [] }, 'meta.scope.env_required', 'no: env_required is empty'],
    [{ env_match: {} }, 'meta.scope.env_match', 'no: env_match is empty'],
    [{ env_match: { CI: [] } }, 'meta.scope.env_match.CI', 'no: env CI is not an empty list'],
    [{ cwd_glob: ['**', 'a['] }, 'meta.scope.cwd_glob.1', 'no: cwd /x matched none of **, a['],
    [{ cwd_glob: ['!a[', '**'] }, 'meta.scope.cwd_glob.0', 'no: cwd /x matched none of !a[, **'],
    [{ branch: ['+(a', 'm*'] }, 'meta.scope.branch.0', 'no: branch=main not in +(a, m*'],
    [{ repo: ['./a'] }, 'meta.scope.repo', 'no: repo=git:a/b not in ./a'],
  ])('%j', (scope, field, answer) => {
    expect(checkScope(scope).map((finding) => finding.field)).toEqual([field]);
    expect(reasons(scope, everything)).toBe(answer);
    expect(reasons(normalizeScope(scope), everything)).toBe(answer);
  });
});

it('names the entry that is refused and says why', () => {
  const scope: HintScope = {
    cwd_glob: ['**/ok', '../up', '~/code', '{1..100000}'],
    repo: ['git:org/../x', 'https://u:secret@host'],
    env_match: JSON.parse('{"constructor":"x"}'),
  };
  expect(checkScope(scope, 'scope')).toEqual([
    { field: 'scope.cwd_glob.1', message: '"../up" leads up with ".."' },
    { field: 'scope.cwd_glob.2', message: '"~/code" begins with "~": write the folder out' },
    {
      field: 'scope.cwd_glob.3',
      message: '"{1..100000}" has a range in "{…}", which is not known here: list its words',
    },
    { field: 'scope.repo', message: '"git:org/../x" leads up with ".."' },
    { field: 'scope.repo', message: '"https://host" names no repository' },
    { field: 'scope.env_match.constructor', message: 'must not be "constructor"' },
  ]);
  expect(checkScope(undefined)).toEqual([]);
  expect(checkScope({})).toEqual([]);
});

it.each<[string, NudgeContext, string]>([
  ['C:\\Code\\http-*', { cwd: 'c:\\code\\http-proxy\\', os: 'windows' }, 'yes'],
  ['c:/code/**', { cwd: 'C:\\CODE' }, 'yes'],
  ['**/http-proxy', { cwd: 'C:\\code\\http-proxy' }, 'yes'],
  ['**/Http', { cwd: '/srv/http', os: 'windows' }, 'yes'],
  ['**/Http', { cwd: '/srv/http', os: 'darwin' }, 'no'],
  ['\\\\srv\\share\\**', { cwd: '\\\\SRV\\share\\x' }, 'yes'],
  ['C:/code/*', { cwd: '\\\\?\\C:\\code\\x' }, 'yes'],
  ['//srv/share/*', { cwd: '\\\\?\\UNC\\srv\\share\\x' }, 'yes'],
  ['/srv/*', { cwd: '/srv//api/./src/..' }, 'yes'],
  ['/srv/*', { cwd: '/srv/../etc/x' }, 'no'],
  ['/srv/*', { cwd: '/srv/a\\b', os: 'linux' }, 'yes'],
  ['/', { cwd: '/' }, 'yes'],
  ['**', { cwd: '/a\u0000b' }, 'no'],
])('cwd_glob %s and %j: %s', (glob, context, answer) => {
  expect(explain({ cwd_glob: [glob] }, context).eligible).toBe(answer === 'yes');
});

it('takes out what begins with !', () => {
  const scope: HintScope = { cwd_glob: ['**/api*', '!**/api-old'] };
  expect(reasons(scope, { cwd: '/w/api-2' })).toBe('yes: cwd matched **/api*');
  expect(reasons(scope, { cwd: '/w/api-old' })).toBe('no: cwd /w/api-old excluded by !**/api-old');
  expect(reasons(scope, { cwd: '/w/web' })).toBe(
    'no: cwd /w/web matched none of **/api*, !**/api-old',
  );
  expect(reasons({ branch: ['!main', '!release/*'] }, { branch: 'dev' })).toBe(
    'yes: branch=dev matched !main, !release/*',
  );
  expect(reasons({ branch: ['!main', '!release/*'] }, { branch: 'release/1' })).toBe(
    'no: branch=release/1 excluded by !release/*',
  );
});

it.each([
  ['hotfix/*', 'hotfix/login', 'yes: branch=hotfix/login matched hotfix/*'],
  ['hotfix/*', 'hotfix/a/b', 'no: branch=hotfix/a/b not in hotfix/*'],
  ['hotfix/**', 'hotfix/a/b', 'yes: branch=hotfix/a/b matched hotfix/**'],
  ['main', 'main', 'yes: branch=main allowed'],
  ['main', 'Main', 'no: branch=Main not in main'],
  ['main', 'maintenance', 'no: branch=maintenance not in main'],
  ['fix(api)|x', 'fix(api)|x', 'yes: branch=fix(api)|x allowed'],
])('branch %s and %s: %s', (glob, branch, answer) => {
  expect(reasons({ branch: [glob] }, { branch })).toBe(answer);
});

it('compares repositories, and shows no password of an address', () => {
  const repo = ['https://me:secret@github.com/org/repo'];
  expect(reasons({ repo }, { repo: 'git@github.com:org/repo.git' })).toBe(
    'yes: repo=git@github.com:org/repo.git allowed',
  );
  expect(reasons({ repo }, { repo: 'https://you:token@github.com/org/other' })).toBe(
    'no: repo=https://github.com/org/other not in https://github.com/org/repo',
  );
  expect(normalizeScope({ repo })).toEqual({ repo: 'https://github.com/org/repo' });
});

it('asks for variables that are set, even to nothing, and never shows what they hold', () => {
  const scope: HintScope = { env_required: ['CI', 'HOME'], env_match: { MODE: ['test', 'dev'] } };
  expect(reasons(scope, { env: { CI: '', HOME: '/h', MODE: 'dev' } })).toBe(
    'yes: env CI set; env HOME set; env MODE=dev allowed',
  );
  expect(reasons(scope, { env: { CI: undefined, HOME: '/h', MODE: 'hush' } })).toBe(
    'no: env CI not set; env MODE is not test, dev',
  );
  expect(reasons(scope, { env: {} })).toBe(
    'no: env CI not set; env HOME not set; env MODE not set',
  );
  expect(reasons({ env_required: ['toString'] }, { env: {} })).toBe('no: env toString not set');
});

it('ignores letter case of the names of variables on Windows only', () => {
  const scope: HintScope = { env_match: { PATH: 'x' } };
  expect(explain(scope, { os: 'windows', env: { Path: 'x' } }).eligible).toBe(true);
  expect(explain(scope, { os: 'linux', env: { Path: 'x' } }).eligible).toBe(false);
});

it('cuts what is long, and breaks no line', () => {
  const { reasons: lines } = explain(
    { branch: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    { branch: `x\n${'y'.repeat(300)}` },
  );
  expect(lines).toEqual([`branch=x ${'y'.repeat(197)}… not in a, b, c, d, e and 2 more`]);
});

it('reads a context once for many scopes', () => {
  const facts = factsOf({ cwd: 'C:\\code', os: 'windows' });
  expect(compileScope({ cwd_glob: ['c:/*'] }).explain(facts).eligible).toBe(true);
  expect(compileScope({ os: ['linux'] }).explain(facts).eligible).toBe(false);
});

it('sorts, drops doubles, and writes one value without a list', () => {
  const scope: HintScope = {
    os: ['linux', 'darwin', 'linux'],
    repo: ['b/b', 'b/b'],
    branch: ['main', 'dev'],
    cwd_glob: ['C:\\code\\', './x'],
    env_match: { B: ['2', '1', '2'], A: ['x'] },
    env_required: ['Z', 'A'],
  };
  const normal = normalizeScope(scope);
  expect(JSON.stringify(normal)).toBe(
    '{"cwd_glob":["C:/code","x"],"repo":"b/b","branch":["dev","main"],"os":["darwin","linux"],' +
      '"env_required":["A","Z"],"env_match":{"A":"x","B":["1","2"]}}',
  );
  expect(normalizeScope(normal)).toEqual(normal);
  expect(normalizeScope()).toEqual({});
});

it('has one key for scopes that are the same, another for others', () => {
  expect(scopeKey({ repo: 'git@github.com:o/r.git', os: ['linux', 'darwin'] })).toBe(
    scopeKey({ os: ['darwin', 'linux'], repo: ['https://github.com/o/r'] }),
  );
  expect(scopeKey({})).toBe(scopeKey(undefined));
  const others: HintScope[] = [
    {},
    { os: [] },
    { os: ['linux'] },
    { branch: ['linux'] },
    { cwd_glob: ['linux'] },
    { env_required: ['linux'] },
    { env_match: { linux: '' } },
    { env_match: { linux: ['', '1'] } },
    { repo: 'linux' },
    { repo: 'x.org/a/linux' },
    { repo: '/linux' },
  ];
  expect(new Set(others.map((scope) => scopeKey(scope))).size).toBe(others.length);
});

it('gains in specificity with every field, up to 1', () => {
  expect(specificity()).toBe(0);
  expect(specificity({ os: ['linux'] })).toBe(1 / 6);
  const whole: HintScope = {
    cwd_glob: ['**'],
    repo: 'a/b',
    branch: ['x'],
    os: ['linux'],
    env_required: ['A'],
    env_match: { A: '1' },
  };
  expect(specificity(whole)).toBe(1);
});

const word = fc.constantFrom('a', 'b', 'a/b', '*', '!b');
const words = fc.array(word, { minLength: 1, maxLength: 3 });
const scopes: fc.Arbitrary<HintScope> = fc.record(
  {
    cwd_glob: words,
    repo: fc.oneof(word, words),
    branch: words,
    os: fc.array(fc.constantFrom('linux' as const, 'windows' as const), { minLength: 1 }),
    env_required: fc.constantFrom(['A'], ['A', 'B']),
    env_match: fc.constantFrom<HintScope['env_match']>({ A: '1' }, { A: ['1', 'a'] }),
  },
  { requiredKeys: [] },
);
const contexts = fc.record({
  cwd: fc.constantFrom('a', 'b', 'a/b'),
  repo: fc.constantFrom('a', 'a/b'),
  branch: fc.constantFrom('a', 'a/b'),
  os: fc.constantFrom('linux' as const, 'windows' as const),
  env: fc.constantFrom({ A: '1' }, { A: 'a', B: '1' }),
});
/** Which fact of the context a field of a scope asks for. */
const ASKS = {
  cwd_glob: 'cwd',
  repo: 'repo',
  branch: 'branch',
  os: 'os',
  env_required: 'env',
  env_match: 'env',
} as const;

it('says the same of a scope in its normal form, and needs every fact that a field asks for', () => {
  let eligible = 0;
  fc.assert(
    fc.property(scopes, contexts, (scope, context) => {
      const verdict = explain(scope, context);
      expect(explain(normalizeScope(scope), context).eligible).toBe(verdict.eligible);
      expect(scopeKey(normalizeScope(scope))).toBe(scopeKey(scope));
      if (!verdict.eligible) return;
      eligible += 1;
      for (const [field, fact] of Object.entries(ASKS)) {
        const without = explain(scope, { ...context, [fact]: undefined });
        expect(without.eligible && field in scope).toBe(false);
      }
    }),
    { numRuns: 500, seed: 9 },
  );
  expect(eligible).toBeGreaterThan(30);
});
