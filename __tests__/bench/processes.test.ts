/** What `npm run bench -- processes` promises is what the issue promises. */
import { expect, it } from 'vitest';
import { readArguments, USAGE } from '../../bench/arguments.js';
import { LINES } from '../../bench/processes/lines.js';

it('the rows of processes promise CPU time over Node, and of cue mcp memory', () => {
  const budgets = LINES.flatMap(({ name, isOver = false, budget, unit = 'ms' }) =>
    budget === undefined ? [] : [[name, isOver, budget, unit]],
  );
  expect(budgets).toEqual([
    ['hook', true, 30, 'ms'],
    ['nudge.get', true, 30, 'ms'],
    ['when.content', false, 150, 'ms'],
    ['mcp.initialize', false, 300, 'ms'],
    ['mcp.recall', false, 1_500, 'ms'],
    ['mcp.resident', false, 250, 'MB'],
  ]);
  expect(readArguments(['processes', '--quick'], ['processes']).quick).toBe(true);
  expect(USAGE).toContain('bench -- processes');
});
