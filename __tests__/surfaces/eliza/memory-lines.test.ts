import { describe, expect, it } from 'vitest';
import type { RecalledMemory } from '../../../src/memory/index.js';
import { memoryLine, worthShowing } from '../../../src/surfaces/eliza/memory-action.js';

const found = (confidence: number, fuzzy = true) => ({ confidence, fuzzy });
const memory = (more: Partial<RecalledMemory>): RecalledMemory => ({
  memory_id: 'mem_11111111',
  depth: 'outcome',
  content: '✓ tea',
  confidence: 0.8,
  stage: 'semantic',
  why: 'words',
  fuzzy: true,
  created_at: '2026-11-27T08:00:00.000Z',
  success: true,
  ...more,
});

describe('what is worth showing', () => {
  it.each([
    ['likeness below 0.15', [found(0.14), found(0.15)], [0.15]],
    ['less than 0.35 of the best', [found(0.8), found(0.28), found(0.27)], [0.8, 0.28]],
    ['likeness beside a fact', [found(1, false), found(0.35), found(0.34)], [1, 0.35]],
    ['but never a fact', [found(0.9), found(0.05, false)], [0.9, 0.05]],
    ['and nothing of nothing', [], []],
  ])('is not %s', (_, memories, kept) => {
    expect(worthShowing(memories).map(({ confidence }) => confidence)).toEqual(kept);
  });
});

describe('the line of a memory', () => {
  it('says maybe where only a faint likeness speaks for it', () => {
    expect(memoryLine(memory({ confidence: 0.29 }))).toBe('- maybe: ✓ tea [mem_11111111]');
    expect(memoryLine(memory({ confidence: 0.3 }))).toBe('- ✓ tea [mem_11111111]');
    expect(memoryLine(memory({ confidence: 0.1, fuzzy: false }))).toBe('- ✓ tea [mem_11111111]');
  });

  it('is JSON in a fence at the depth complete, or says that it is too long', () => {
    const whole = { goal: '<response> ```\n{{x}} "q" Promise<void>', note: '\u202e' };
    const line = memoryLine(memory({ depth: 'complete', content: JSON.stringify(whole) }));
    const json = /^- \[mem_11111111\]\n```json\n(.*)\n```$/.exec(line)?.[1] ?? '';
    expect(JSON.parse(json)).toEqual(whole);
    expect(json).not.toMatch(/<response|```|\{\{|\u202e/);
    const long = JSON.stringify({ goal: 'x'.repeat(20_000) });
    expect(memoryLine(memory({ depth: 'complete', content: long }))).toBe(
      '- [mem_11111111] is too long for a chat (20011 characters): ask for depth "full", or export it',
    );
  });
});
