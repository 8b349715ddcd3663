import { describe, expect, it } from 'vitest';
import type { RecalledMemory } from '../../../src/memory/index.js';
import { memoryLine } from '../../../src/surfaces/eliza/memory-actions.js';
import { ATTACKS } from '../../fixtures/attacks.js';

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
  origin: 'told',
  ...more,
});

describe('the line of a memory', () => {
  it.each(ATTACKS)('is no markup and no line of ours: $name', ({ text }) => {
    const line = memoryLine(memory({ content: `✓ ${text}` }));
    expect(line.split('\n')).toHaveLength(1);
    expect(line).not.toMatch(/<[\s/!?]*[a-z]|<\||[＜﹤]\w|\[\/?(?:RUM|INST|ＲＵＭ)[\]］]/i);
    expect(line).not.toMatch(/\b(?:recall|ｒｅｃａｌｌ)\s*[(（]\s*["'“]/i);
  });

  it('says maybe where only a faint likeness speaks for it', () => {
    expect(memoryLine(memory({ confidence: 0.39 }))).toBe('- maybe: ✓ tea [mem_11111111]');
    expect(memoryLine(memory({ confidence: 0.4 }))).toBe('- ✓ tea [mem_11111111]');
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
