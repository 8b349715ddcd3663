import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aboveMean,
  bestOf,
  fuse,
  neighbourWeights,
  raise,
  threadedness,
  timeFactor,
  vectorFactor,
  vectorShare,
  vectorWeight,
} from '../../../src/memory/recall/fusion.js';
import { asksForTime, mentionsTime, namesIn, speakerOf } from '../../../src/memory/signals.js';
import { DAY_MS } from '../../../src/shared/clock.js';

const scores = (values: number[]) => ({
  scores: Float32Array.from(values),
  touched: values.flatMap((value, slot) => (value > 0 ? [slot] : [])),
});

describe('fusion of two searches', () => {
  it('adds scores scaled to their best', () => {
    const fused = fuse([
      [scores([4, 2, 0]), 1],
      [scores([0, 0.5, 0.25]), 0.2],
    ]);
    expect(
      [...fused.touched].map((slot) => [slot, Math.round((fused.scores[slot] ?? 0) * 100) / 100]),
    ).toEqual([
      [0, 1],
      [1, 0.7],
      [2, 0.1],
    ]);
  });

  it('one search alone keeps its order', () => {
    const fused = fuse([
      [scores([]), 1],
      [scores([0.1, 0.9, 0.5]), 0.2],
    ]);
    expect(bestOf(fused, 9, (a, b) => a > b)).toEqual([1, 2, 0]);
  });

  it('is empty when nothing was found', () => {
    const { touched } = fuse([
      [scores([0, 0]), 1],
      [null, 1],
    ]);
    expect([...touched]).toEqual([]);
  });

  it('the best are the first of the sorted, whatever the limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 6 })),
        fc.integer({ min: 1, max: 9 }),
        (values, limit) => {
          const fused = fuse([[scores(values), 1]]);
          const sorted = [...fused.touched].sort(
            (a, b) => (fused.scores[b] ?? 0) - (fused.scores[a] ?? 0) || b - a,
          );
          expect(bestOf(fused, limit, (a, b) => a > b)).toEqual(sorted.slice(0, limit));
        },
      ),
    );
  });

  it('a raised score touches its slot once and never falls', () => {
    const fused = fuse([[scores([1, 0]), 1]]);
    raise(fused, 1, 0.5);
    raise(fused, 1, 0.75);
    raise(fused, 1, 0.25);
    expect([fused.scores[1], [...fused.touched]]).toEqual([0.75, [0, 1]]);
    // Stored while the search waited for something.
    raise(fused, 2, 1);
    expect([...fused.touched]).toEqual([0, 1]);
  });

  it('only what a likeness has above the mean of all counts', () => {
    const scores = Float32Array.from([0.5, 0.2, 0, 0.9]);
    const many = 80;
    const all = new Float32Array(many).map((_, slot) => scores[slot % 4] ?? 0);
    const words = { scores: new Float32Array(many) };
    const first = (above: { scores: Float32Array }) =>
      [...above.scores].slice(0, 4).map((score) => Math.round(score * 100));
    expect(first(aboveMean({ scores: all }, words, 0.1))).toEqual([10, 0, 0, 50]);
    // Without a word in common only a clear one counts.
    expect(first(aboveMean({ scores: all }, words, 0.6))).toEqual([0, 0, 0, 67]);
    words.scores[0] = 1;
    expect(first(aboveMean({ scores: all }, words, 0.6))).toEqual([27, 0, 0, 67]);
  });

  it('the likeness of the only memory counts', () => {
    const scores = Float32Array.from([0.5]);
    const above = aboveMean({ scores }, { scores }, 0);
    expect(above.scores[0]).toBeGreaterThan(0.45);
  });

  it('vectors count less where texts are longer than what they tell', () => {
    expect([7, 100, 400].map(vectorShare)).toEqual([1, 1, 0.25]);
  });

  it('vectors count more, the less of a question the words cover', () => {
    expect([13.2, 26.4, 6.6, 0].map((best) => vectorFactor(best, 10))).toEqual([1, 1, 1.5, 2]);
  });

  it('a model of sentences weighs more than words in disguise', () => {
    expect(vectorWeight('Xenova/all-MiniLM-L6-v2@q8')).toBeGreaterThan(vectorWeight('lexical-v1'));
  });
});

describe('what neighbours pass on', () => {
  it('is most in conversations of short texts, to those after, and fades with distance', () => {
    const { before, after } = neighbourWeights(threadedness(0.08, 8)) ?? {};
    const rounded = (weight: number) => Math.round(weight * 1000) / 1000;
    expect(before?.map(rounded)).toEqual([0.56, 0.42, 0.315, 0.236, 0.177]);
    expect(after?.map(rounded)).toEqual([0.77, 0.578, 0.433, 0.325, 0.244]);
  });

  it('is nothing where neighbours talk about different things', () => {
    expect(neighbourWeights(threadedness(0, 8))).toBeNull();
    expect(neighbourWeights(threadedness(-0.01, 8))).toBeNull();
  });

  it('is less the longer the texts are', () => {
    expect(threadedness(0.08, 100)).toBeCloseTo(0.0625, 5);
    expect(neighbourWeights(threadedness(0.08, 100))?.after[0]).toBeCloseTo(0.048125, 5);
    expect(threadedness(0.08, 400)).toBe(0);
  });
});

describe('a time that is named', () => {
  it('counts most within it, and less each day away from it', () => {
    const named = { sinceMs: 10 * DAY_MS, beforeMs: 11 * DAY_MS };
    const at = (day: number) => timeFactor(day * DAY_MS, named);
    expect([at(10), at(10.9)]).toEqual([1.6, 1.6]);
    expect(at(12)).toBeCloseTo(1.364, 3);
    expect(at(9)).toBeCloseTo(1.364, 3);
    expect(at(40)).toBeCloseTo(1, 3);
  });
});

describe('signs in a text', () => {
  it.each([
    ['Ana: I signed the papers', 'ana'],
    ['[Tobias]: hello', 'tobias'],
    ["O'Neil: yes", "o'neil"],
    ['Note that this fails', null],
    ['http://example.org', null],
    ['TODO: fix it', 'todo'],
    ['lower: case', null],
  ])('%s is said by %s', (text, speaker) => {
    expect(speakerOf(text)).toBe(speaker);
  });

  it.each([
    ['I begin on the first of June', true],
    ['we met last Tuesday', true],
    ['at 6pm', true],
    ['I may go', false],
    ['the second attempt failed', false],
  ])('"%s" says a time: %s', (text, says) => {
    expect(mentionsTime(text)).toBe(says);
  });

  it('a question asks for a time', () => {
    expect(
      ['When did it end?', 'What day is it due?', 'How long did it take?'].map(asksForTime),
    ).toEqual([true, true, true]);
    expect(asksForTime('Who was there when it ended?')).toBe(false);
  });

  it('names begin with a capital letter', () => {
    expect(namesIn('When did Ana meet Jean-Luc and Ana?')).toEqual(['when', 'ana', 'jean-luc']);
  });
});
