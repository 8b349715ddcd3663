import { describe, expect, it } from 'vitest';
import { fuse, neighbourWeights, vectorWeight } from '../../../src/memory/recall/fusion.js';
import { asksForTime, mentionsTime, namesIn, speakerOf } from '../../../src/memory/signals.js';

const scores = (values: number[]) => ({
  scores: Float32Array.from(values),
  touched: values.flatMap((value, slot) => (value > 0 ? [slot] : [])),
});

describe('fusion of two searches', () => {
  it('adds scores scaled to their best', () => {
    const fused = fuse(scores([4, 2, 0]), scores([0, 0.5, 0.25]), 0.2);
    expect([...fused].map(([slot, score]) => [slot, Math.round(score * 100) / 100])).toEqual([
      [0, 1],
      [1, 0.7],
      [2, 0.1],
    ]);
  });

  it('one search alone keeps its order', () => {
    const fused = fuse(scores([]), scores([0.1, 0.9, 0.5]), 0.2);
    expect([...fused].sort(([, a], [, b]) => b - a).map(([slot]) => slot)).toEqual([1, 2, 0]);
  });

  it('is empty when nothing was found', () => {
    expect(fuse(scores([0, 0]), null, 1).size).toBe(0);
  });

  it('a model of sentences weighs more than words in disguise', () => {
    expect(vectorWeight('Xenova/all-MiniLM-L6-v2@q8')).toBeGreaterThan(vectorWeight('lexical-v1'));
  });
});

describe('what neighbours pass on', () => {
  it('is most in conversations of short texts and fades with distance', () => {
    expect(neighbourWeights(0.08, 8).map((weight) => Math.round(weight * 1000) / 1000)).toEqual([
      0.7, 0.525, 0.394, 0.295, 0.221,
    ]);
  });

  it('is nothing where neighbours talk about different things', () => {
    expect(neighbourWeights(0, 8)).toEqual([]);
    expect(neighbourWeights(-0.01, 8)).toEqual([]);
  });

  it('is less the longer the texts are', () => {
    expect(neighbourWeights(0.08, 100)[0]).toBeCloseTo(0.175, 5);
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
