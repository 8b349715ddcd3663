/** The rows of the suite: what each is called, and what issue 18 point 3 allows. */
import type { RowInput } from '../stats.js';

export type Name =
  | 'hook'
  | 'nudge.get'
  | 'when.exact'
  | 'when.content'
  | 'mcp.initialize'
  | 'mcp.recall'
  | 'mcp.resident';

export type Line = Omit<RowInput, 'at' | 'ours' | 'beside' | 'id'> & {
  name: Name;
  /** What it takes beyond Node alone. */
  isOver?: true;
};

/** A model waits for these two in each turn. */
const OVER_NODE_MS = 30;

export const LINES: readonly Line[] = [
  { name: 'hook', what: 'cue hook over node alone, CPU', isOver: true, budget: OVER_NODE_MS },
  { name: 'nudge.get', what: 'nudge get over node alone, CPU', isOver: true, budget: OVER_NODE_MS },
  { name: 'when.exact', what: 'cue when "<trigger>" / node alone, CPU' },
  { name: 'when.content', what: 'cue when by content / node alone, CPU', budget: 150 },
  { name: 'mcp.initialize', what: 'cue mcp answers initialize / node alone, CPU', budget: 300 },
  { name: 'mcp.recall', what: '… and its first recall later, CPU', budget: 1_500 },
  { name: 'mcp.resident', what: '… resident then', unit: 'MB', budget: 250 },
];
