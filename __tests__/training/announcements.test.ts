import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  figuresAt,
  judged,
  learn,
  printed,
  readSentences,
} from '../../training/announcements/run.js';

const files = readSentences();
const file = new URL('../../src/proactive/announcement-weights.json', import.meta.url);

describe('the weights by which announcements of an agent are heard', () => {
  it('are made anew bit for bit', () => {
    expect(printed(learn(files.flat()))).toBe(readFileSync(file, 'utf8'));
  });

  it('hear authors whom they were not learned from', () => {
    const { threshold } = learn(files.flat());
    const { precision, recall } = figuresAt(threshold, judged(files));
    expect(precision).toBeGreaterThan(0.9);
    expect(recall).toBeGreaterThan(0.85);
  });
});
