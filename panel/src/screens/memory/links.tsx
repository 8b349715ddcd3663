/** What a memory is linked with: as a graph to look at, and as a list to read. */
import { useQueries } from '@tanstack/react-query';
import type { MemoryView, TraceResult } from '../../../../src/index.js';
import { ask } from '../../api.js';
import { counted } from '../../format.js';
import { Badge } from '../../parts/basics.js';
import { useAsk } from '../../queries.js';
import { linkTo } from '../../route.js';
import { Graph } from './graph.js';
import { printedMemory } from './shapes.js';

const MOST_NODES = 20;
/** Of what is linked in another way than by cause and effect, so many are asked for one by one. */
const MOST_OTHERS = 10;

export interface Linked {
  id: string;
  title: string;
  success: boolean;
  /** The memory that it is linked with. */
  from: string;
  /** As seen from there. */
  type: string;
  /** Steps of cause (below 0) and effect away from the memory that is shown. */
  level: number;
}

const WORDS: Readonly<Record<string, string>> = {
  caused_by: 'caused by',
  led_to: 'led to',
  related_to: 'related to',
  supersedes: 'supersedes',
  superseded_by: 'superseded by',
  blocked_by: 'blocked by',
  blocks: 'blocks',
};
const wordOf = (type: string): string => WORDS[type] ?? type.replaceAll('_', ' ');

export function Links({ memory }: { memory: MemoryView }) {
  const { memory_id: id, links, links_total: total } = memory;
  const { linked, isWaiting } = useLinked(memory);
  if (total === 0) return null;
  const shown = linked.slice(0, MOST_NODES);
  const direct = Object.values(links).reduce((sum, ids) => sum + (ids?.length ?? 0), 0);
  const near = shown.filter(({ from }) => from === id).length;
  return (
    <section aria-busy={isWaiting}>
      <h3>Links</h3>
      <Graph
        start={{ id, title: memory.intent.goal, success: memory.outcome.success }}
        linked={shown}
      />
      <ol className="linked" aria-label="Linked memories">
        {shown.map(({ id: other, title, success, from, type }, index) => (
          <li key={other}>
            <span className="quiet number">{index + 1}</span>
            <span className="grow">
              <span className="quiet">
                {from === id ? wordOf(type) : `${numberOf(shown, from)} ${wordOf(type)}`}{' '}
              </span>
              <a href={linkTo('memory', other)} dir="auto">
                {title}
              </a>
            </span>
            <Badge tone={success ? 'good' : 'bad'}>{success ? 'success' : 'failed'}</Badge>
          </li>
        ))}
      </ol>
      {Math.max(total, direct) > near && (
        <p className="quiet">{counted(total, 'link')} in all; the nearest are shown.</p>
      )}
    </section>
  );
}

function numberOf(shown: readonly Linked[], id: string): string {
  const at = shown.findIndex((one) => one.id === id);
  return at === -1 ? '' : `${at + 1}`;
}

function useLinked({ memory_id: id, links, links_total: total }: MemoryView) {
  const trace = useAsk<TraceResult>(
    'memories',
    `/memories/${encodeURIComponent(id)}/trace`,
    { direction: 'both', max_hops: 2 },
    { enabled: total > 0 },
  );
  const steps = trace.data?.trace ?? [];
  const traced = new Map<string, Linked>();
  for (const { memory_id, link_type, from, content, hops } of steps) {
    if (from === null || link_type === null) continue;
    const before = traced.get(from)?.level ?? 0;
    const level = before + (link_type === 'caused_by' ? -1 : 1);
    traced.set(memory_id, {
      ...{ id: memory_id, from, type: link_type, level: hops === 0 ? 0 : level },
      ...printedMemory(content),
    });
  }
  const others = Object.entries(links)
    .flatMap(([type, ids]) => (ids ?? []).map((other) => ({ type, id: other })))
    .filter((one, at, all) => all.findIndex(({ id: same }) => same === one.id) === at)
    .filter(({ id: other }) => trace.data !== undefined && !traced.has(other) && other !== id)
    .slice(0, MOST_OTHERS);
  const found = useQueries({
    queries: others.map(({ id: other }) => ({
      queryKey: ['memories', 'printed', other],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        // To read a memory counts as a use of it; to trace it does not.
        ask<TraceResult>(`/memories/${encodeURIComponent(other)}/trace`, {
          query: { direction: 'causes', max_hops: 1 },
          signal,
        }),
    })),
  });
  const linked = [
    ...traced.values(),
    ...others.map(({ id: other, type }, at): Linked => {
      const content = found[at]?.data?.trace[0]?.content ?? other;
      return { id: other, from: id, type, level: 0, ...printedMemory(content) };
    }),
  ].sort((a, b) => Number(a.from !== id) - Number(b.from !== id));
  return { linked, isWaiting: trace.isLoading || found.some(({ isLoading }) => isLoading) };
}
