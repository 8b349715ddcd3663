/**
 * Links between memories: read from the catalog, from the database while it loads, and walked with
 * a bound on hops and on memories, so that neither a cycle nor a chain of thousands matters.
 */
import { inArray, or } from 'drizzle-orm';
import type { LinkEdge, Reader } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import { dataText, type MemoryContext } from './context.js';
import { printIn } from './ids.js';
import { memoryLinkType, workMemoryType } from './records.js';
import type { ShownLinks } from './render.js';
import type { LinkType } from './schema.js';

type GraphContext = Pick<MemoryContext, 'records'>;

export const MAX_HOPS = 5;
/** Memories one walk visits at most. */
export const MAX_VISITED = 100;
/** Links shown of one memory. */
const SHOWN_LINKS = 100;
/** Edges read of one set of memories; more say nothing to a reader. */
const MAX_EDGES = 500;

export interface Step {
  id: Uuid;
  /** 0: where the walk began. */
  hops: number;
  /** The memory it was reached from, and how it relates to that one. */
  from: Uuid | null;
  link: LinkType | null;
}

export interface Walk {
  steps: Step[];
  /** More lay behind the bound on hops or memories. */
  truncated: boolean;
}

/** Every edge that starts or ends at one of the memories. */
export async function edgesOf(
  { records }: GraphContext,
  ids: readonly Uuid[],
): Promise<LinkEdge[]> {
  if (records.catalog.status().state === 'ready') {
    const edges = new Map<Uuid, LinkEdge>();
    for (const id of ids) {
      for (const edge of records.catalog.links.out(id)) edges.set(edge.id, edge);
      for (const edge of records.catalog.links.in(id)) edges.set(edge.id, edge);
    }
    return [...edges.values()];
  }
  if (ids.length === 0) return [];
  const touches = or(
    inArray(dataText('source_id'), [...ids]),
    inArray(dataText('target_id'), [...ids]),
  );
  const page = await records.list(
    memoryLinkType,
    { kind: 'operator' },
    { limit: MAX_EDGES, ...(touches ? { where: touches } : {}) },
  );
  return page.records.map(({ id, data }) => ({
    id,
    source: data.source_id,
    target: data.target_id,
    type: data.link_type,
  }));
}

/** Those of the ids that the reader may see. */
export async function readableOf(
  { records }: GraphContext,
  ids: readonly Uuid[],
  reader: Reader,
): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set();
  if (records.catalog.status().state === 'ready') {
    const shelf = records.catalog.shelf(workMemoryType.name);
    const accepts = shelf.accepts({ reader });
    const beyond =
      records.older(workMemoryType) === null
        ? []
        : ids.filter((id) => shelf.slotOf(id) === undefined);
    const stored = beyond.length === 0 ? [] : await records.get(workMemoryType, beyond, reader);
    return new Set([
      ...ids.filter((id) => {
        const slot = shelf.slotOf(id);
        return slot !== undefined && accepts(slot);
      }),
      ...stored.map(({ id }) => id),
    ]);
  }
  return new Set((await records.get(workMemoryType, ids, reader)).map(({ id }) => id));
}

/** How an edge reads from one of its ends. */
export function linkFrom(edge: LinkEdge, id: Uuid): { other: Uuid; link: LinkType } {
  const starts = edge.source === id;
  const other = starts ? edge.target : edge.source;
  switch (edge.type) {
    case 'caused_by':
      return { other, link: starts ? 'caused_by' : 'led_to' };
    case 'supersedes':
    case 'blocked_by':
      return { other, link: edge.type };
    default:
      return { other, link: 'related_to' };
  }
}

/**
 * Breadth first along the causal edges. What the reader may not see is not shown and not walked
 * through: a path over somebody's private memory would tell that it exists.
 */
export async function walkCauses(
  context: GraphContext,
  start: Uuid,
  reader: Reader,
  options: { direction: 'causes' | 'effects' | 'both'; maxHops: number },
): Promise<Walk> {
  const wanted = new Set<LinkType>(
    options.direction === 'causes'
      ? ['caused_by']
      : options.direction === 'effects'
        ? ['led_to']
        : ['caused_by', 'led_to'],
  );
  const steps: Step[] = [{ id: start, hops: 0, from: null, link: null }];
  const seen = new Set<Uuid>([start]);
  let front: Uuid[] = [start];
  let truncated = false;
  for (let hops = 1; front.length > 0; hops += 1) {
    const found = await neighboursOf(context, front, wanted, seen, reader);
    if (found.length === 0) break;
    if (hops > options.maxHops) {
      truncated = true;
      break;
    }
    const room = MAX_VISITED - steps.length;
    if (found.length > room) truncated = true;
    const taken = found.slice(0, room);
    steps.push(...taken.map((step) => ({ ...step, hops })));
    front = taken.map(({ id }) => id);
  }
  return { steps, truncated };
}

async function neighboursOf(
  context: GraphContext,
  front: readonly Uuid[],
  wanted: ReadonlySet<LinkType>,
  seen: Set<Uuid>,
  reader: Reader,
): Promise<Omit<Step, 'hops'>[]> {
  const edges = await edgesOf(context, front);
  const candidates: Omit<Step, 'hops'>[] = [];
  for (const from of front) {
    for (const edge of edges) {
      if (edge.source !== from && edge.target !== from) continue;
      const { other, link } = linkFrom(edge, from);
      if (!wanted.has(link) || seen.has(other)) continue;
      seen.add(other);
      candidates.push({ id: other, from, link });
      if (candidates.length > MAX_EDGES) break;
    }
  }
  const readable = await readableOf(
    context,
    candidates.map(({ id }) => id),
    reader,
  );
  return candidates.filter(({ id }) => readable.has(id));
}

/** The links of each memory, with the ids of the other ends as the reader may see them. */
export async function shownLinks(
  context: GraphContext,
  ids: readonly Uuid[],
  reader: Reader,
): Promise<Map<Uuid, ShownLinks>> {
  const counted = await countedLinks(context, ids, reader);
  return new Map([...counted].map(([id, { links }]) => [id, links]));
}

/** The same, at most 100 of a memory, with how many it has (`total`). */
export async function countedLinks(
  context: GraphContext,
  ids: readonly Uuid[],
  reader: Reader,
): Promise<Map<Uuid, { links: ShownLinks; total: number }>> {
  const edges = await edgesOf(context, ids);
  const ends = edges.flatMap(({ source, target }) => [source, target]);
  const readable = await readableOf(context, [...new Set(ends)], reader);
  const shown = new Map<Uuid, { links: ShownLinks; total: number }>(
    ids.map((id) => [id, { links: {}, total: 0 }]),
  );
  for (const edge of edges) {
    for (const id of new Set([edge.source, edge.target])) {
      const own = shown.get(id);
      if (!own) continue;
      const { other, link } = linkFrom(edge, id);
      // What it supersedes or blocks is told by the other end alone.
      const backwards = edge.target === id && (link === 'supersedes' || link === 'blocked_by');
      if (backwards || !readable.has(other)) continue;
      own.total += 1;
      if (own.total > SHOWN_LINKS) continue;
      own.links[link] ??= [];
      own.links[link].push(printIn(context.records, 'memory', other));
    }
  }
  return shown;
}
