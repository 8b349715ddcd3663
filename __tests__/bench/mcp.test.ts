/** What `npm run bench -- mcp` promises is what the issue promises. */
import { describe, expect, it } from 'vitest';
import { readArguments, USAGE } from '../../bench/arguments.js';
import { linesFor } from '../../bench/mcp/lines.js';

const budgets = (size: number) =>
  linesFor(size).flatMap(({ id, budget, judged }) =>
    budget === undefined ? [] : [[id, budget, judged]],
  );

describe('the rows of the MCP bench', () => {
  const always = [
    ['mcp.hook.file', 150, undefined],
    ['mcp.hook.prompt', 150, undefined],
    ['mcp.hook.nobody', 150, undefined],
    ['mcp.proxy', 1_000, undefined],
    ['mcp.proxy.recall', 1_000, undefined],
    ['mcp.primary', 1_000, undefined],
    ['mcp.primary.recall', 5_000, undefined],
    ['mcp.takeover', 10_000, 'max'],
    ['mcp.recovery', 5_000, 'p95'],
  ];

  it('promise a recall at 10,000 memories, and a start at any size', () => {
    const recall = [
      ['mcp.recall', 40, 'p95'],
      ['mcp.recall.structural', 40, 'p95'],
    ];
    expect(budgets(10_000)).toEqual([...recall, ...always]);
    expect(budgets(20_000)).toEqual(always);
  });

  it('have names of their own, and are a suite of the command', () => {
    const ids = linesFor(10_000).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(readArguments(['mcp', '--sizes=10000'], ['mcp']).sizes).toEqual([10_000]);
    expect(USAGE).toContain('bench -- mcp');
  });
});
