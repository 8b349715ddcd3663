import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze, analyzeQuery, wordsWithTerms } from '../../src/shared/text.js';

describe('words of a text', () => {
  it.each([
    ['Fixing the fixed fixes', ['fix', 'fix', 'fix']],
    ['She bought it', ['bui']],
    ['parseHttpHeader', ['parsehttphead', 'pars', 'http', 'header']],
    ['user_id', ['userid', 'user', 'id']],
    ['XMLParser', ['xmlparser', 'xml', 'parser']],
    ["Ana's café", ['ana', 'cafe']],
    ['v2.1 2026-11-03', ['v2', '1', '2026', '11', '03']],
    ["don't", []],
    ['Ångström ÜBER', ['angstrom', 'uber']],
    ['東京タワー', ['東京', '京タ', 'タワ', 'ワー']],
    ['', []],
    ['the of and', []],
  ])('%j gives %j', (text, terms) => {
    expect(analyze(text)).toEqual(terms);
  });

  it('a question is searched without its question words', () => {
    expect(analyzeQuery('When did Ana buy the kiln?')).toEqual(analyze('Ana buy kiln'));
  });

  it('a question of question words only keeps them', () => {
    expect(analyzeQuery('which one and why')).not.toEqual([]);
  });

  it('an irregular form meets its verb', () => {
    for (const [form, verb] of [
      ['went', 'go'],
      ['written', 'writing'],
      ['taught', 'teach'],
      ['children', 'child'],
    ] as const) {
      expect(analyze(form)).toEqual(analyze(verb));
    }
  });

  it('every term is lower case, not empty and at most 40 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        for (const term of analyze(text)) {
          expect(term).not.toBe('');
          expect([...term].length).toBeLessThanOrEqual(40);
          expect(term).toBe(term.toLowerCase());
        }
      }),
    );
  });

  it('of ASCII are the same beside other characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 100 }), (text) => {
        expect(analyze(`${text} —`)).toEqual(analyze(text));
        expect(wordsWithTerms(`${text} —`)).toEqual(wordsWithTerms(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same for composed and decomposed letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
        expect(analyze(text.normalize('NFD'))).toEqual(analyze(text.normalize('NFC')));
      }),
    );
  });
});
