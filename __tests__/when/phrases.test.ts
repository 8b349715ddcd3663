import fc from 'fast-check';
import { expect, it } from 'vitest';
import { headerKey, normalizePhrase } from '../../src/when/phrases.js';

it.each([
  ['Writing  Mock\ttests ', 'writing mock tests'],
  ['/when writing mock tests', 'writing mock tests'],
  ['- /how writing mock tests', 'writing mock tests'],
  ['"writing mock tests"', 'writing mock tests'],
  ['“writing mock tests.”', 'writing mock tests'],
  ['`/when writing mock tests`', 'writing mock tests'],
  ['**writing mock tests**', 'writing mock tests'],
  ['writing mock tests?!', 'writing mock tests'],
  ['writing mock-tests', 'writing mock tests'],
  ['writing mock_tests', 'writing mock tests'],
  ['ｗｒｉｔｉｎｇ mock tests', 'writing mock tests'],
  ['writing\u200b mock tests', 'writing mock tests'],
  ['using `git stash`', 'using git stash'],
  ['don’t mock', "don't mock"],
  ['/when', ''],
  ['', ''],
])('%s is compared as "%s"', (text, phrase) => {
  expect(normalizePhrase(text)).toBe(phrase);
});

it.each([
  ['using --fix', 'using fix'],
  ['writing __init__ files', 'writing init files'],
  ['using ?.', 'using ??'],
  ['writing c', 'writing c++'],
  ['writing c', 'writing c#'],
  ['writing test', 'writing tests'],
  ['resigning', 're-signing'],
  ['mocking a/b', 'mocking a b'],
  ['"a" or "b"', 'a or b'],
  ['when to split', 'to split'],
])('%s and %s stay two', (one, other) => {
  expect(normalizePhrase(one)).not.toBe(normalizePhrase(other));
});

it('compares the same when it is done twice', () => {
  const unit = fc.constantFrom(
    'a',
    'Ⅷ',
    'İ',
    ' ',
    '"',
    "'",
    '`',
    '-',
    '_',
    '.',
    '/when ',
    '*',
    'ﬁ',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      const once = normalizePhrase(text);
      expect(normalizePhrase(once)).toBe(once);
    }),
    { numRuns: 500, seed: 5 },
  );
});

it('takes no plain phrase in another way than one with marks that nobody sees', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9]{1,6}$/);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), fc.constantFrom(' ', '  ', '-'), (words, gap) => {
      const text = words.join(gap);
      expect(normalizePhrase(`${text}\u200b`)).toBe(normalizePhrase(text));
      expect(headerKey(`${text}\u200b`)).toBe(headerKey(text));
    }),
  );
});

it('compares titles without case, width and amount of white space', () => {
  expect(headerKey('  Mock\u00a0Ｐatching   pattern ')).toBe('mock patching pattern');
  expect(headerKey('.Mock')).not.toBe(headerKey('Mock'));
});
