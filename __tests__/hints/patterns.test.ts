import fc from 'fast-check';
import { expect, it } from 'vitest';
import { safeRegex } from '../../src/hints/globs.js';
import { expectQuick } from '../helpers/quick.js';

const found = (regex: string, text: string): boolean => {
  const read = safeRegex(regex);
  if (!('test' in read)) throw new Error(`${regex}: ${read.message}`);
  return read.test(text);
};
const problemOf = (regex: string): string | null => {
  const read = safeRegex(regex);
  return 'test' in read ? null : `${read.field}: ${read.message}`;
};

const REGEXES = [
  'dock.*build',
  '^docker',
  'build$',
  '^$',
  '',
  'a|',
  '(?:docker|podman) (?<what>run|build)',
  '\\bbuild\\b',
  'b\\Build',
  '[a-c]{2,3}x',
  '[^a-z\\s]+',
  'x{0}y',
  'a{,2}',
  'a{2}b',
  '(ab)*c',
  '(a*)*b',
  '(a|aa)+$',
  'a+?b??',
  '\\d\\D\\w\\W\\s\\S',
  '[\\d-]',
  '[\\w-x]',
  '[a\\-z]',
  '\\x41\\u0042',
  '\\.\\*\\/',
  '[.*]',
  '[^]',
  '[]',
  '].}',
  '.\\n.',
  'a.c',
  '(^a|b$)',
  '(?:){100}',
  '^(?:a|b)?c',
];
const TEXTS = [
  '',
  'docker compose build router',
  'docker\nbuild',
  'podman run',
  'rebuild',
  'abcx',
  'aab',
  'aaa',
  'c',
  'y',
  'a{,2}',
  'AB',
  '1a a !x',
  '.*/',
  'a\nc',
  'a-z',
  '].}',
  '\b',
  '-',
  'b',
  'äöü 😀',
];

it.each(REGEXES)('finds with /%s/ what the engine finds', (regex) => {
  const engine = new RegExp(regex);
  for (const text of TEXTS) {
    expect(`${text}: ${found(regex, text)}`).toBe(`${text}: ${engine.test(text)}`);
  }
});

it('finds what the engine finds, whatever is strung together', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '.',
    '|',
    '(',
    '(?:',
    ')',
    '*',
    '+?',
    '?',
    '{1,2}',
    '{2,}',
    '^',
    '$',
    '\\b',
    '[ab]',
    '[^a]',
    '\\w',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 8 }),
      (regex, text) => {
        let engine: RegExp;
        try {
          engine = new RegExp(regex);
        } catch {
          // RE2 repeats a place without width, too: \b+.
          return;
        }
        expect(found(regex, text)).toBe(engine.test(text));
      },
    ),
    { numRuns: 3_000, seed: 3 },
  );
});

it.each([
  ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
  ['(?<x>a)\\k<x>', 'has a reference back, which is not supported'],
  ['a(?=b)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['a(?!b)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?!`'],
  ['(?<=a)b', 'error parsing regexp: invalid named capture: `(?<=a)b`'],
  ['(?<!a)b', 'error parsing regexp: invalid named capture: `(?<!a)b`'],
  ['(?:abc){100}', 'is too large'],
  ['(a{100}){100}', 'error parsing regexp: invalid repeat count: `{100}`'],
  ['((((a{9}){9}){9}){9}){9}', 'error parsing regexp: invalid repeat count: `{9}`'],
  ['((?:){99999}){99999}', 'error parsing regexp: invalid repeat count: `{99999}`'],
  ['x'.repeat(501), 'is longer than 500 characters'],
  ['(', 'error parsing regexp: missing closing ): `(`'],
])('refuses %s', (regex, problem) => {
  expect(problemOf(regex)).toBe(`regex: ${problem}`);
});

it('knows letters of all languages, and letter case when it is told to', () => {
  expect(found('^\\p{L}+$', 'größe')).toBe(true);
  expect(found('(?i)DOCKER', 'docker')).toBe(true);
});

it('takes the same for a word and a class as the engine, of all characters', () => {
  for (const regex of ['\\w', '[c-fa-db\\d_-]', '[a-yc-dm0]', '[^x-za-b]', '[\\s\\s\\S]']) {
    const read = safeRegex(regex);
    if (!('test' in read)) throw new Error(regex);
    const engine = new RegExp(regex);
    const wrong: number[] = [];
    for (let code = 0; code < 0xd800; code += 1) {
      const text = String.fromCodePoint(code);
      if (read.test(text) !== engine.test(text)) wrong.push(code);
    }
    expect(`${regex} ${wrong}`).toBe(`${regex} `);
  }
});

it('looks at the first 2,048 characters', () => {
  expect(found('b', `${'a'.repeat(2_047)}b`)).toBe(true);
  expect(found('b', `${'a'.repeat(2_048)}b`)).toBe(false);
});

it.each(['(a+)+b', '(a|aa)+b', '(.*a){20}', '(\\w+\\s?)*[!]', 'a*a*a*a*a*a*b', '(?:a?){40}a{40}b'])(
  'tries %s on a long text in no time',
  (regex) => {
    // The letter that is looked for first is there, in the wrong place.
    const text = `b${'a'.repeat(16_000)}`;
    expectQuick(1_000, () => found(regex, text));
  },
);
