import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTriggerNamer } from '../../src/when/migrate/trigger.js';

const nameOf = (title: string) => createTriggerNamer([])(title, 'notes.md');

describe('trigger phrases from titles', () => {
  it.each([
    ['Writing docs', 'writing docs'],
    ['Use short transactions for imports', 'using short transactions for imports'],
    ['Avoid global state', 'avoiding global state'],
    ['Never merge on a Friday', 'merging on friday'],
    ['How to rotate keys', 'rotating keys'],
    ['Put secrets in the vault', 'putting secrets in vault'],
    ['Mock patching pattern', 'patching mock'],
    ['String handling', 'handling string'],
    ['**Schema** versioning (first draft)', 'versioning schema'],
    ['Crème brûlée caching', 'caching crème brûlée'],
  ])('%s becomes "%s"', (title, phrase) => {
    expect(nameOf(title)).toEqual({ phrase, doubts: [] });
  });

  it.each([
    ['Exit codes', 'using exit codes', ['no_verb']],
    ['Naming conventions', 'following naming conventions', ['no_verb']],
    ['Test Module Split Strategy', 'choosing test module split strategy', ['no_verb']],
    [
      'Model as the first positional argument',
      'using model as first positional',
      ['no_verb', 'shortened'],
    ],
    ['Deployment', 'using deployment', ['no_verb']],
  ])('%s becomes "%s" and a person should look because of %j', (title, phrase, doubts) => {
    expect(nameOf(title)).toEqual({ phrase, doubts });
  });

  it('of alike titles in two files the second says where it is, and numbers are the last resort', () => {
    const name = createTriggerNamer(['Handling  errors']);
    expect(['jobs.md', 'jobs.md', 'jobs.md'].map((file) => name('Error handling', file))).toEqual([
      { phrase: 'handling error', doubts: [] },
      { phrase: 'handling error in jobs', doubts: ['made_unique'] },
      { phrase: 'handling error 2', doubts: ['made_unique'] },
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
        const phrases = pairs.map(([one]) => name(one, 'a/notes.md').phrase);
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
