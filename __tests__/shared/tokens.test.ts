import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens, truncateToTokens } from '../../src/shared/tokens.js';

const PROSE = 'Fixed the null check in the login handler because the session was empty. ';

/** Without half a surrogate pair. */
function isWhole(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

describe('tokens', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['…', 1],
    ['src/auth.ts', 3],
    [PROSE.trim(), 14],
  ])('%j has %i', (text, count) => {
    expect(countTokens(text)).toBe(count);
  });

  it('counts markup of special tokens as text', () => {
    expect(countTokens('a<|endoftext|>b')).toBe(9);
  });

  it('counts long prose as the sum of its words', () => {
    expect(countTokens(PROSE.repeat(200))).toBe(200 * countTokens(PROSE.trim()) + 1);
  });

  it('counts a long run without spaces in bounded stretches', () => {
    expect(countTokens('ab'.repeat(50_000))).toBeGreaterThan(10_000);
  });

  it('leaves what fits as it is', () => {
    expect(truncateToTokens('hello world', 2)).toBe('hello world');
  });

  it('cuts between words and says so', () => {
    expect(truncateToTokens(PROSE, 8)).toBe('Fixed the null check in the…');
  });

  it.each([0, -3, Number.NaN])('leaves nothing of a budget of %d', (max) => {
    expect(truncateToTokens('hello', max)).toBe('');
  });

  it('leaves the mark alone where nothing else fits', () => {
    expect(truncateToTokens('hello world', 1)).toBe('…');
  });

  it('cuts a megabyte without reading all of it', () => {
    const short = truncateToTokens('x'.repeat(1_000_000), 20);
    expect(countTokens(short)).toBeLessThanOrEqual(20);
    expect(short.endsWith('…')).toBe(true);
  });

  it('never exceeds the budget and never leaves half a character', () => {
    const unit = fc.oneof(
      fc.constantFrom('👩‍👩‍👧', '😀', ' ', '\n', 'ß', '漢字', 'auth.ts', 'null '),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    fc.assert(
      fc.property(
        fc.array(unit, { maxLength: 60 }).map((parts) => parts.join('')),
        fc.integer({ min: 1, max: 40 }),
        (text, max) => {
          const short = truncateToTokens(text, max);
          expect(countTokens(short)).toBeLessThanOrEqual(max);
          if (isWhole(text)) expect(isWhole(short)).toBe(true);
          if (short !== text) expect(short.endsWith('…')).toBe(true);
        },
      ),
      { numRuns: 150, seed: 7 },
    );
  });
});
