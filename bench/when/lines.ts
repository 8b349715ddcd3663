/** The rows of the suite: what each is called, judged by and allowed (DESIGN §13, issue 5 point 6). */
import { LONG_BLOCK_MS } from '../statement-watch.js';
import type { RowInput } from '../stats.js';
import type { SampleName } from './protocol.js';

export type Line = Omit<RowInput, 'at' | 'ours' | 'beside'> & { name: SampleName };

/** Above this size the design promises nothing. */
const PROMISED = 400;

export function linesFor(size: number): Line[] {
  const isPromised = size <= PROMISED;
  const resolved = isPromised ? ({ budget: 2, judged: 'p95' } as const) : TOLD;
  const within = (budget: number) => (isPromised ? { budget } : {});
  const longest = { judged: 'max' } as const;
  return [
    line('resolve.exact', 'exact / searchMemories', resolved),
    line('resolve.hybrid', 'other words / searchMemories', resolved),
    line('resolve.hybrid.bm25', 'other words / plain BM25', TOLD),
    line('resolve.section', '§ section', resolved),
    line('resolve.file', '§ file', resolved),
    line('resolve.miss', 'nothing found, suggestions', resolved),
    line('resolve.batch', 'five at once', TOLD),
    line('relevant.listing', 'lines that bear on a message', TOLD),
    line('relevant.offer', 'what is to be offered for a message', TOLD),
    line('relevant.file', 'what is to be offered for a file', TOLD),
    line('load.first', 'parsed and indexed', {}),
    line('load.gaps', 'gaps of a 5 ms timer meanwhile, longest', longest),
    line('load.edit', 'the same after one edit', {}),
    line('load.edit.gaps', 'gaps meanwhile, longest', longest),
    line('validate', 'validated', {}),
    line('sync.first', 'read, indexed, rows written / createMemory × N', within(2_000)),
    line('sync.gaps', 'gaps meanwhile, longest', longest),
    line('sync.restart', 'the same when the rows are there', {}),
    line('edit.look', 'edit → row, looked at once', within(100)),
    line('edit.watched', 'edit → row, seen by the watcher', within(100)),
    line('statement', 'longest block by one statement', longest),
    line('statement.cpu', 'the same without waiting for disk or core', {
      ...longest,
      budget: LONG_BLOCK_MS,
    }),
    line('command.start', 'cue when --help / node alone', {}),
    line('command.recall', 'cue when "<trigger>" / node alone', {}),
    line('command.validate', 'cue when validate / node alone', {}),
  ];
}

const TOLD = { judged: 'p95' } as const;

function line(name: SampleName, what: string, rest: Omit<Line, 'name' | 'id' | 'what'>): Line {
  return { name, id: `when.${name}`, what, ...rest };
}
