import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTriggerNamer } from '../../src/when/migrate/trigger.js';

const nameOf = (title: string, description = 'said in many other words') =>
  createTriggerNamer([]).name(title, description, 'notes.md');

describe('trigger phrases from titles', () => {
  it.each([
    // Noun phrases whose head is an act.
    ['Mock patching pattern', 'patching mocks'],
    ['Test Module Split Strategy', 'splitting test modules'],
    ['Configuration of mail servers', 'configuring mail servers'],
    ['Validation of user input at the border', 'validating user input at border'],
    ['Retry policy for webhooks', 'retrying webhooks'],
    ['Database rollback', 'rolling back databases'],
    ['Query optimization', 'optimizing queries'],
    ['Data retention', 'retaining data'],
    ['Job deduplication', 'deduplicating jobs'],
    ['Password storage', 'storing passwords'],
    ['String handling', 'handling strings'],
    ['API design', 'designing apis'],
    ['Model selection for search', 'choosing models for search'],
    ['Commit message format', 'formatting commit messages'],
    // What is a thing in itself stays one.
    ['Lazy loading', 'using lazy loading'],
    ['Two-phase commit', 'using two phase commit'],
    // Orders.
    ['Use short transactions for imports', 'using short transactions for imports'],
    ['Never mock the clock', 'mocking clock'],
    ['Avoid global state', 'avoiding global state'],
    ['How to rotate keys', 'rotating keys'],
    ['Why we chose Postgres', 'choosing postgres'],
    ['When to split a module', 'splitting module'],
    ['Don’t catch and rethrow', 'catching and rethrowing'],
    ['Log errors with context', 'logging errors with context'],
    ['No global state', 'avoiding global state'],
    ['Guidelines for writing docs', 'writing docs'],
    ['Writing docs', 'writing docs'],
    // Clauses.
    ['Tests must be isolated', 'isolating tests'],
    ['Workers should acknowledge jobs', 'acknowledging jobs in workers'],
    ['Composition over inheritance', 'choosing composition over inheritance'],
    ['Values, not exceptions', 'choosing values over exceptions'],
    ['Flags are exact tokens', 'treating flags as exact tokens'],
    ['Review uses linters', 'using linters for review'],
    // Spelling.
    ['C++ bindings for `parseConfig()` fallback', 'using cpp bindings for fallback'],
    ['**Schema** versioning (first draft)', 'versioning schemas'],
    ['Crème brûlée caching', 'caching crème brûlée'],
  ])('%s becomes "%s"', (title, phrase) => {
    expect(nameOf(title).phrase).toBe(phrase);
  });

  it('the verb of the description is not taken for that of the title', () => {
    expect(nameOf('Fixture scope', 'reset the database in each module').phrase).toBe(
      'using fixture scope',
    );
  });

  it.each([
    ['Naming conventions', 'following naming conventions', ['no_verb']],
    ['Deployment', 'handling deployment', ['no_verb', 'too_vague']],
    ['Solution', 'using solution', ['no_verb', 'too_vague']],
    [
      'Model as the first positional argument',
      'using model as positional argument',
      ['no_verb', 'shortened'],
    ],
    ['Mock patching', 'patching mocks', []],
  ])('%s becomes "%s" and a person should look because of %j', (title, phrase, doubts) => {
    expect(nameOf(title)).toEqual({ phrase, doubts });
  });

  it('of alike titles in two files the second says where it is', () => {
    const namer = createTriggerNamer([]);
    expect(namer.name('Error handling', 'x', 'http.md')).toEqual({
      phrase: 'handling errors',
      doubts: [],
    });
    expect(namer.name('Error handling', 'x', 'jobs.md')).toEqual({
      phrase: 'handling errors in jobs',
      doubts: ['made_unique'],
    });
  });

  it('of alike titles in one file the later get words of their descriptions', () => {
    const namer = createTriggerNamer(['Handling  errors', 'handling errors in jobs']);
    const second = namer.name('Error handling', 'classify as retryable', 'jobs.md').phrase;
    expect(second).toBe('handling errors classify');
  });

  it('numbers are the last resort', () => {
    const namer = createTriggerNamer(['handling errors']);
    const names = [1, 2].map(() => namer.name('Error handling', 'of the', 'errors.md'));
    expect(names).toEqual([
      { phrase: 'handling errors 2', doubts: ['numbered'] },
      { phrase: 'handling errors 3', doubts: ['numbered'] },
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
      fc.property(fc.array(fc.tuple(title, title), { maxLength: 30 }), (pairs) => {
        const namer = createTriggerNamer([]);
        const phrases = pairs.map(([one, two]) => namer.name(one, two, 'a/notes.md').phrase);
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
