/** The rows of the suite: what each is called, judged by and allowed (DESIGN §13). */
import { LONG_BLOCK_MS } from '../statement-watch.js';
import type { RowInput } from '../stats.js';
import type { SampleName } from './protocol.js';

export type Line = Omit<RowInput, 'at' | 'ours' | 'beside'> & {
  name: SampleName;
  /** The host has something like it. */
  beside?: true;
};

/** Above these sizes the design promises nothing. */
const DATABASE_SIZE = 50_000;
const CATALOG_SIZE = 100_000;

export function linesFor(size: number): Line[] {
  const within = (limit: number, budget: number) => (size <= limit ? { budget } : {});
  const p95Within = (limit: number, budget: number) =>
    size <= limit ? ({ budget, judged: 'p95' } as const) : {};
  const recall = (budget: number) => p95Within(DATABASE_SIZE, budget);
  const check = (budget: number) => p95Within(CATALOG_SIZE, budget);
  const held = { unit: 'MB', ...within(CATALOG_SIZE, 150) } as const;
  // With fewer there are too few gaps, and the first of them is the compiler's.
  const gaps = { judged: 'p99', ...(size >= 1_000 ? { budget: LONG_BLOCK_MS } : {}) } as const;
  const longest = { judged: 'max' } as const;
  return [
    line('recall.structural', 'structural recall', recall(8)),
    line('recall.causal', 'causal recall', recall(10)),
    line('recall.semantic', 'semantic recall / searchMemories', { ...recall(20), beside: true }),
    line('recall.cascade', 'recall by file and words, 20', {}),
    line('recall.count', 'accesses of an answer counted', {}),
    line('trace', 'trace, both directions', {}),
    line('catalog.file', 'file check', check(0.2)),
    line('catalog.conflict', 'conflict by file check', check(0.2)),
    line('catalog.intent', 'intent check, embedding included', check(8)),
    line('catalog.keyword', 'keyword search', {}),
    line('store', 'store one / createMemory', { ...recall(6), beside: true }),
    line('import.memory', 'import, each memory', {}),
    line('import.link', 'import, each link', {}),
    line('embed.memory', 'embedded in the background, each', {}),
    line('catalog.put', 'indexed, each', {}),
    line('start.cold', 'catalog ready, no snapshot', coldBudget(size)),
    line('start.open', 'service runs, catalog still loading', {}),
    line('start.snapshot', 'catalog ready, snapshot', within(CATALOG_SIZE, 1_000)),
    line('snapshot.write', 'stop, snapshot written', {}),
    line('import.gaps', 'gaps of a 5 ms timer while importing, p99', gaps),
    { ...line('import.gaps', 'the same, longest', longest), id: 'memory.import.gaps.longest' },
    line('embed.gaps', 'gaps while embedding, p99', gaps),
    { ...line('embed.gaps', 'the same, longest', longest), id: 'memory.embed.gaps.longest' },
    line('start.cold.gaps', 'gaps while loading, p99', gaps),
    {
      ...line('start.cold.gaps', 'the same, longest', longest),
      id: 'memory.start.cold.gaps.longest',
    },
    line('start.snapshot.gaps', 'gaps while reading the snapshot, longest', longest),
    line('snapshot.gaps', 'gaps while writing the snapshot, longest', longest),
    line('statement', 'longest block by one statement', longest),
    line('statement.cpu', 'the same without waiting for disk or core', {
      ...longest,
      budget: LONG_BLOCK_MS,
    }),
    line('catalog.heap', 'held by the catalog: heap and buffers', held),
    line('catalog.rss', 'held by the catalog: resident', { unit: 'MB' }),
    line('held.heap', 'held by the agent over the host: heap and buffers', held),
    line('held.rss', 'held by the agent over the host: resident', held),
  ];
}

function line(name: SampleName, what: string, rest: Omit<Line, 'name' | 'id' | 'what'>): Line {
  return { name, id: `memory.${name}`, what, ...rest };
}

function coldBudget(size: number): { budget?: number } {
  if (size <= DATABASE_SIZE) return { budget: 6_000 };
  return size <= CATALOG_SIZE ? { budget: 12_000 } : {};
}
