import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTriggerNamer } from '../../src/when/migrate/trigger.js';

const nameOf = (title: string) => createTriggerNamer([])(title);

describe('trigger phrases from titles', () => {
  it.each([
    ['Writing docs', 'writing docs'],
    ['Naming conventions', 'naming conventions'],
    ['Use short transactions for imports', 'using short transactions for imports'],
    ['Avoid global state', 'avoiding global state'],
    ['Never merge on a Friday', 'merging on friday'],
    ['How to rotate keys', 'rotating keys'],
    ['Put secrets in the vault', 'putting secrets in vault'],
    ['Mock patching pattern', 'patching mock pattern'],
    ['String handling', 'handling string'],
    ['**Schema** versioning (first draft)', 'versioning schema'],
    ['Crème brûlée caching', 'caching crème brûlée'],
  ])('%s becomes "%s"', (title, phrase) => {
    expect(nameOf(title)).toEqual({ phrase, isDoubtful: false });
  });

  it.each([
    ['Exit codes', 'using exit codes'],
    ['Test Module Split Strategy', 'using test module split strategy'],
    ['Model as the first positional argument', 'using model as first positional'],
    ['Use one short transaction for each import', 'using one short transaction'],
    ['Deployment', 'using deployment'],
  ])('%s becomes "%s" and a person should look', (title, phrase) => {
    expect(nameOf(title)).toEqual({ phrase, isDoubtful: true });
  });

  it('alike titles are numbered', () => {
    const name = createTriggerNamer(['Handling  errors']);
    expect([1, 2, 3].map(() => name('Error handling'))).toEqual([
      { phrase: 'handling error', isDoubtful: false },
      { phrase: 'handling error 2', isDoubtful: true },
      { phrase: 'handling error 3', isDoubtful: true },
    ]);
  });

  it('every phrase has 2 to 5 words of lower-case letters and digits, and none comes twice', () => {
    const word = fc.constantFrom(
      ...'Use the mock Patching pattern of X-ray API rules must be not over HTTP/2 `code` — é 42 for strategy never retry'.split(
        ' ',
      ),
    );
    const title = fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join(' ')),
      fc.string(),
      fc.string({ unit: 'grapheme' }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(title), { maxLength: 30 }), (pairs) => {
        const name = createTriggerNamer([]);
        const phrases = pairs.map(([one]) => name(one).phrase);
        for (const phrase of phrases) {
          expect(phrase).toMatch(/^[\p{L}\p{N}\p{M}]+(?: [\p{L}\p{N}\p{M}]+){1,4}$/u);
          expect(phrase).toBe(phrase.toLowerCase());
        }
        expect(new Set(phrases).size).toBe(phrases.length);
      }),
      { numRuns: 150 },
    );
  });
});
