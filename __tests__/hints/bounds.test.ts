/** What is within all limits one by one must not stop the process together. */
import { describe, expect, it } from 'vitest';
import { checkScope, compileScope, factsOf } from '../../src/hints/scope.js';
import { CLIENT, errorOf, noGuard, testRoom } from './hint-room.js';

const BUILD = { component: 'api', key: 'build' };
/** Translated, it has some 240 characters, and a path of this letter has to be tried to its end. */
const heavy = (end: string) =>
  `*{${Array.from({ length: 20 }, (_, index) => 'a'.repeat(index + 1)).join(',')}}?[${end}]`;
/** As many as a scope may hold. */
const scopeOf = (count: number) => ({
  cwd_glob: Array.from({ length: count }, (_, index) =>
    heavy(String.fromCodePoint(0x4e00 + index)),
  ),
});
const LONG = 'a'.repeat(4_090);

describe('globs of one scope', () => {
  it('are refused together when they are too large, and let nothing through', () => {
    const words = 'are too many or too complex together: list fewer';
    expect(checkScope(scopeOf(8))).toEqual([]);
    expect(checkScope(scopeOf(50))).toEqual([{ field: 'meta.scope.cwd_glob', message: words }]);
    const { cwd_glob: branch } = scopeOf(50);
    expect(checkScope({ branch })).toEqual([{ field: 'meta.scope.branch', message: words }]);
    expect(compileScope({ branch: [...branch, '**'] }).explain({ branch: 'main' })).toEqual({
      eligible: false,
      reasons: [`branch ${words}`],
    });
    const half = scopeOf(8).cwd_glob;
    expect(checkScope({ cwd_glob: half, branch: half })).toEqual([
      { field: 'meta.scope.cwd_glob', message: words },
    ]);
  });

  it('are taken when there are 50 as people write them', () => {
    const cwd_glob = Array.from(
      { length: 50 },
      (_, at) => `/home/dev/code/**/http-proxy-${at}*/**`,
    );
    expect(checkScope({ cwd_glob })).toEqual([]);
  });
});

describe('globs of all that is asked at once', () => {
  const UNTRIED = 'cwd not tried: too many globs for a path of 4090 characters';

  it('are not tried beyond a number of steps, and then let nothing through', () => {
    const facts = factsOf({ cwd: LONG });
    const large = compileScope(scopeOf(8));
    expect(large.explain(facts).reasons[0]).toMatch(/^cwd a+… matched none of /);
    for (let at = 0; at < 10; at += 1) large.explain(facts);
    expect(large.explain(facts).reasons).toEqual([UNTRIED]);
    // Not even what takes everything but one: whether that one fits has not been found out.
    const others = compileScope({ cwd_glob: ['!**/x'] });
    expect(others.explain(facts)).toEqual({ eligible: false, reasons: [UNTRIED] });
    expect(others.explain({ cwd: LONG }).eligible).toBe(true);
    expect(compileScope({}).explain(facts).eligible).toBe(true);
  });

  it('are all tried for a store full of hints as people write them', () => {
    const facts = factsOf({
      cwd: `/home/dev/${'work/'.repeat(20)}http-proxy`,
      branch: 'fix/login',
    });
    const { left } = facts.steps;
    for (let at = 0; at < 500; at += 1) {
      const scope = { cwd_glob: [`**/http-proxy-${at}*/**`, '**/http-p*'], branch: ['f*/**'] };
      if (!compileScope(scope).explain(facts).eligible) throw new Error(`${at} was not tried`);
    }
    // Of 5,000 ones, ten times as much.
    expect((left - facts.steps.left) * 10).toBeLessThan(left / 2);
  });

  it('answer a hint with why', async () => {
    const { hints } = testRoom({}, undefined, { secretGuard: noGuard });
    for (let at = 0; at < 8; at += 1) {
      const scope = { ...scopeOf(8), os: ['linux' as const], env_required: [`N${at}`] };
      await hints.setHint({ ...BUILD, value: 'x', meta: { scope } }, CLIENT);
    }
    const context = { cwd: LONG, os: 'linux' as const, env: {} };
    const { hint, match_explain } = await hints.getHint({ ...BUILD, context }, CLIENT);
    expect(hint).toBe(null);
    expect(match_explain.reasons).toContain(UNTRIED);
  });
});

describe('a regular expression', () => {
  const HEAVY = '[ab]{0,140}[c]';

  async function filled(count: number, size: number) {
    const { hints } = testRoom({}, undefined, { secretGuard: noGuard });
    for (let at = 0; at < count; at += 1) {
      const named = { component: `c${at}`, key: 'build' };
      await hints.setHint({ ...named, value: 'a'.repeat(size) }, CLIENT);
    }
    return hints;
  }

  it('gives the event loop turns by what it costs', async () => {
    const hints = await filled(6, 2_000);
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    expect((await hints.query({ regex: HEAVY }, CLIENT)).hints).toEqual([]);
    isDone = true;
    // Each value costs more than a slice.
    expect(turns).toBeGreaterThanOrEqual(6);
  });

  it('that would take too long on all that is stored is refused, and narrowed down is not', async () => {
    const hints = await filled(200, 2_000);
    const { code, details } = await errorOf(hints.query({ regex: HEAVY }, CLIENT));
    expect(code).toBe('INVALID_INPUT');
    expect(details).toEqual({
      findings: [
        {
          field: 'regex',
          message:
            'takes too long on what is stored: ask for a component, keys or tags, or for something simpler',
        },
      ],
    });
    expect((await hints.query({ regex: HEAVY, component: 'c1' }, CLIENT)).hints).toEqual([]);
  });
});
