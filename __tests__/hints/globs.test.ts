import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, it } from 'vitest';
import { plainGlob, readGlob } from '../../src/hints/globs.js';
import { expectQuick } from '../helpers/quick.js';

const fits = (glob: string, path: string, ignoreCase = false): boolean => {
  const read = readGlob(glob);
  if ('problem' in read) throw new Error(`${glob} ${read.problem}`);
  return read.test(path, ignoreCase);
};
const problemOf = (glob: string): string | null => {
  const read = readGlob(glob);
  return 'problem' in read ? read.problem : null;
};

it.each([
  ['**/http-proxy*', '/srv/http-proxy'],
  ['**/http-proxy*', '/srv/http-proxy-2'],
  ['**/http-proxy*', 'http-proxy'],
  ['**/http-proxy*/**', '/srv/http-proxy'],
  ['**/http-proxy*/**', '/srv/http-proxy/src/lib'],
  ['/srv/http-proxy/', '/srv/http-proxy'],
  ['/srv/*/src', '/srv/.hidden/src'],
  ['**', '/'],
  ['/**', '/'],
  ['/**', '/a/b'],
  ['**/a/**/b', '/x/a/b'],
  ['**/a/**/b', 'a/c/d/b'],
  ['a**', 'abc'],
  ['????-??', '2026-01'],
  ['[abc]?', 'bz'],
  ['[!abc]', 'd'],
  ['[^a-c]', 'd'],
  ['[]a]', ']'],
  ['[a-]', '-'],
  ['{api,web/app}/src', 'web/app/src'],
  ['{a,{b,c}}d', 'cd'],
  ['{a}', '{a}'],
  ['{a/**,b}/c', 'a/x/y/c'],
  ['{**,x}', 'a/b'],
  ['[+-9]x', '.x'],
  ['C:/Program Files (x86)/*', 'C:/Program Files (x86)/app'],
  ['C:\\code\\http-proxy*', 'C:/code/http-proxy'],
  ['\\\\server\\share\\**', '//server/share/x'],
  ['a\\*b', 'a*b'],
  ['./src', 'src'],
  ['größe/*', 'gro\u0308ße/x'],
  ['?', '😀'],
])('%s matches %s', (glob, path) => {
  expect(fits(glob, path)).toBe(true);
});

it.each([
  ['**/http-proxy*', '/srv/http-proxy/src'],
  ['**/proxy', '/srv/http-proxy'],
  ['/srv/*', '/srv'],
  ['/*', '/'],
  ['*', 'a/b'],
  ['?', '/'],
  ['[!a]', '/'],
  ['[+-9]', '/'],
  ['/srv', '/Srv'],
  ['src', '/src'],
  ['src', 'src/'],
  ['a/**/b', 'ab'],
  ['a\\*b', 'axb'],
  ['(x86)', 'x86'],
  ['{**,a}b', 'x/b'],
  ['[a-c]', 'B'],
  ['a.c', 'abc'],
])('%s does not match %s', (glob, path) => {
  expect(fits(glob, path)).toBe(false);
});

it('ignores letter case when it is told to', () => {
  expect(fits('C:/Code/[A-C]*', 'c:/code/Beta', true)).toBe(true);
  expect(fits('C:/Code/[A-C]*', 'c:/code/Delta', true)).toBe(false);
});

it('reads ! in front as taking out, and matches the rest', () => {
  expect(readGlob('!**/old')).toMatchObject({ excludes: true });
  expect(fits('!**/old', '/srv/old')).toBe(true);
  expect(fits('!**/old', '/srv/new')).toBe(false);
});

it.each([
  ['', 'is empty'],
  ['!', 'is empty'],
  ['a\u0000b', 'has control characters'],
  [`${'a'.repeat(257)}`, 'is longer than 256 characters'],
  ['../**', 'leads up with ".."'],
  ['/srv/../etc', 'leads up with ".."'],
  ['a/{b,..}/c', 'leads up with ".."'],
  ['C:\\code\\..\\x', 'leads up with ".."'],
  ['\\.\\./x', 'leads up with ".."'],
  ['a{b', 'has "{" without "}"'],
  ['a[b', 'has "[" without "]"'],
  ['[z-a]', 'has a range in "[…]" that runs backwards'],
  ['[[:digit:]x]', 'has a named class in "[…]", which is not known here: write a-z'],
  ['**\\http', 'has "\\" before no special character (folders are separated by "/")'],
  ['a\\', 'has "\\" before no special character (folders are separated by "/")'],
  ['!(a)', 'has "!(…)", which is not known here: list "!glob" beside the others'],
  ['x/!(a|b)/y', 'has "!(…)", which is not known here: list "!glob" beside the others'],
  ['v{1..9}', 'has a range in "{…}", which is not known here: list its words'],
  ['@(api|web)-*', 'has "(…|…)", which is not known here: write {a,b}'],
  ['(api|web)', 'has "(…|…)", which is not known here: write {a,b}'],
  ['api?(-v2)', 'has "(…|…)", which is not known here: write {a,b}'],
  ['?*'.repeat(120), 'stands for too many paths'],
])('refuses %j: %s', (glob, problem) => {
  expect(problemOf(glob)).toBe(problem);
});

it.each([
  ['C:\\code\\', 'C:/code'],
  ['!C:\\code\\*', '!C:/code/*'],
  ['./a//b/', 'a/b'],
  ['/', '/'],
  [' **/x ', '**/x'],
  ['a\\/', 'a\\/'],
])('%j is spelled %j, once and for all', (glob, plain) => {
  expect(plainGlob(glob)).toBe(plain);
  expect(plainGlob(plain)).toBe(plain);
});

/** Whole segments; where picomatch differs on purpose or by accident is listed in the header. */
const segment = fc.oneof(
  { weight: 1, arbitrary: fc.constant('**') },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', '[b-]', '{a,b.}'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((parts) => parts.join('').replace(/\*{2,}/g, '*')),
  },
);
const globs = fc
  .tuple(fc.constantFrom('', '/x/'), fc.array(segment, { minLength: 1, maxLength: 4 }))
  .map(([root, segments]) => root + segments.join('/'))
  .filter((glob) => !/(?:^|\/)\.{1,2}(?:\/|$)|\*\/\*\*$/.test(glob));
const paths = fc
  .tuple(
    fc.constantFrom('', '/x/'),
    fc.array(fc.constantFrom('a', 'b', 'ab', '.a', 'aa', 'a.b', '-', 'bab.'), {
      minLength: 1,
      maxLength: 5,
    }),
  )
  .map(([root, segments]) => root + segments.join('/'));

it('matches what picomatch matches', () => {
  let matched = 0;
  fc.assert(
    fc.property(globs, paths, (glob, path) => {
      const theirs = picomatch(glob, { dot: true, posix: true, fastpaths: false })(path);
      expect(`${glob} ${path} ${fits(glob, path)}`).toBe(`${glob} ${path} ${theirs}`);
      if (theirs) matched += 1;
    }),
    { numRuns: 1_000, seed: 7 },
  );
  expect(matched).toBeGreaterThan(40);
});

it.each([
  '**/*a*a*a*a*b',
  '**/a/**/a/**/a/**/b',
  `${'*a'.repeat(16)}b`,
  `${'**/a/'.repeat(16)}b`,
  '{a,aa,aaa}{a,aa}*{a,aa}*{a,aa}*b',
  '*[!b]*[!b]*[!b]*b',
])('tests %s on 4,096 characters in no time', (glob) => {
  for (const start of ['a', '/a', 'ab', '/aa']) {
    expectQuick(1_000, () => fits(glob, longPath(start)));
  }
});

it('takes no glob that explodes, whatever is strung together', () => {
  const piece = fc.constantFrom(
    ...['*', '**/', 'a', '?', '/', '{a,aa}', '{a,}', '{a,b,aa}', '[ab]', '/**'],
  );
  let taken = 0;
  fc.assert(
    fc.property(fc.array(piece, { minLength: 5, maxLength: 25 }), (parts) => {
      const glob = `${parts.join('')}b`;
      if (problemOf(glob) !== null) return;
      taken += 1;
      expectQuick(1_000, () => fits(glob, longPath('/aa')));
    }),
    { numRuns: 40, seed: 11 },
  );
  expect(taken).toBeGreaterThan(20);
});

/** Ends with all the texts that a glob may look for first, and matches none of them. */
function longPath(start: string): string {
  const end = '/b/ab/aab/aaab/aabab/c';
  return start.repeat(4_096).slice(0, 4_096 - end.length) + end;
}
