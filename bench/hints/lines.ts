/** The rows of the suite: what each is called, judged by and allowed (DESIGN §13, issue 6 point 7). */
import { LONG_BLOCK_MS } from '../statement-watch.js';
import type { RowInput } from '../stats.js';
import { MIXES, type SampleName } from './protocol.js';

export type Line = Omit<RowInput, 'at' | 'ours' | 'beside'> & {
  /** Distinct where a sample has more than one row. */
  id: string;
  name: SampleName;
};

/** Above this size the design promises nothing. */
const PROMISED = 5_000;

export function linesFor(size: number): Line[] {
  const isPromised = size <= PROMISED;
  const promised = isPromised ? { ...TOLD, budget: 0.2 } : TOLD;
  const longest = { judged: 'max' } as const;
  return [
    line('import.hint', 'imported, each / createMemory'),
    line('import.gaps', 'gaps of a 5 ms timer meanwhile, longest', longest),
    line('get', 'get / searchMemories', promised),
    line('get.scoped', 'get of a key with a scope', promised),
    line('get.all', 'the same, explain all', TOLD),
    line('query.component', 'query by component / searchMemories', TOLD),
    line('query.tag', 'query by tag / getMemories', TOLD),
    line('query.everything', 'query without a filter / getMemories', TOLD),
    line('query.first', 'the first in ten seconds', {}),
    line('query.regex', 'query by regex', TOLD),
    line('query.all', 'query without a filter, explain all', TOLD),
    line('list', 'components / getMemories', TOLD),
    line('counts', 'counts of the status', TOLD),
    line('export', 'everything exported'),
    line('provider', 'the provider in a turn', TOLD),
    line('set', 'set, row written / createMemory', TOLD),
    line('set.session', 'set for the session', TOLD),
    line('bump', 'bump, row written / updateMemory', TOLD),
    line('start.first', 'start until it answers / getMemories'),
    line('start.gaps', 'gaps meanwhile, longest', longest),
    line('start.again', 'the same in a warm process'),
    line('statement', 'longest block by one statement', longest),
    line('statement.cpu', 'the same without waiting for disk or core', {
      ...longest,
      budget: LONG_BLOCK_MS,
    }),
    ...httpLines('listener', 'listener'),
    ...httpLines('server', 'Eliza server'),
    line('command.start', 'nudge --help / node alone'),
    line('command.get', 'nudge get / node alone', isPromised ? { budget: 150 } : {}),
  ];
}

const TOLD = { judged: 'p95' } as const;
const ASKED = { get: 'get', query: 'query by component', mix: '90 % get, 10 % set' } as const;

function httpLines(door: 'listener' | 'server', called: string): Line[] {
  const lines = MIXES.flatMap((mix): Line[] => {
    const what = `${called}, ${ASKED[mix]}`;
    const each = mix === 'mix' ? `${what}: a get` : what;
    const p99 = line(`${door}.${mix}.each`, `${each}, p99`, { judged: 'p99' });
    return [
      line(`${door}.${mix}.rate`, what, { unit: 'per second' }),
      line(`${door}.${mix}.each`, each),
      { ...p99, id: `${p99.id}.p99` },
      line(`${door}.${mix}.errors`, what, { unit: 'errors', judged: 'max', budget: 0 }),
    ];
  });
  const p99 = line(`${door}.mix.set`, `${called}, ${ASKED.mix}: a set, p99`, { judged: 'p99' });
  return [
    ...lines,
    line(`${door}.mix.set`, `${called}, ${ASKED.mix}: a set`),
    { ...p99, id: `${p99.id}.p99` },
  ];
}

function line(name: SampleName, what: string, rest: Omit<Line, 'name' | 'id' | 'what'> = {}): Line {
  return { name, id: `hints.${name}`, what, ...rest };
}
