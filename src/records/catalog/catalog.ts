/** The catalog of one project: a shelf per record type, the links, and how far it is loaded. */
import type { Uuid } from '../../shared/ids.js';
import { bestKernel, type KernelFactory } from './kernel.js';
import { MemoryShelf } from './shelf.js';
import type { Analyze, Catalog, CatalogState, InstantModel, LinkEdge, LinkGraph } from './types.js';

/** Typed edges between documents, in memory, found from either end. */
const NONE: readonly LinkEdge[] = [];

/**
 * A link graph. An edge from a document to itself is ignored (it says nothing, and walks would have
 * to skip it); putting a known id replaces that edge. Cycles are fine: walking is the caller's.
 */
export function createLinkGraph(): LinkGraph & { all(): IterableIterator<LinkEdge> } {
  const edges = new Map<Uuid, LinkEdge>();
  const outgoing = new Map<Uuid, LinkEdge[]>();
  const incoming = new Map<Uuid, LinkEdge[]>();

  function remove(id: Uuid): boolean {
    const edge = edges.get(id);
    if (edge === undefined) return false;
    edges.delete(id);
    take(outgoing, edge.source, edge);
    take(incoming, edge.target, edge);
    return true;
  }

  return {
    get size() {
      return edges.size;
    },
    put(edge) {
      remove(edge.id);
      if (edge.source === edge.target) return;
      const own = { id: edge.id, source: edge.source, target: edge.target, type: edge.type };
      edges.set(own.id, own);
      give(outgoing, own.source, own);
      give(incoming, own.target, own);
    },
    remove,
    out: (id) => outgoing.get(id) ?? NONE,
    in: (id) => incoming.get(id) ?? NONE,
    all: () => edges.values(),
  };
}

function give(map: Map<Uuid, LinkEdge[]>, id: Uuid, edge: LinkEdge): void {
  const list = map.get(id);
  if (list === undefined) map.set(id, [edge]);
  else list.push(edge);
}

/** Lists are replaced and not changed, so that a walk over one survives a removal. */
function take(map: Map<Uuid, LinkEdge[]>, id: Uuid, edge: LinkEdge): void {
  const rest = (map.get(id) ?? []).filter((other) => other !== edge);
  if (rest.length === 0) map.delete(id);
  else map.set(id, rest);
}

export interface CatalogDeps {
  analyze: Analyze;
  /** The project the records belong to; a snapshot of another one is refused. */
  project: Uuid;
  /** Makes a second vector of each document that has a text to embed. */
  instant?: InstantModel;
  /** For tests; the fastest that runs here by default. */
  kernel?: KernelFactory;
}

/** What the loader of a catalog uses besides. */
export interface MemoryCatalog extends Catalog {
  readonly project: Uuid;
  readonly analyze: Analyze;
  readonly instant: InstantModel | null;
  shelf(type: string): MemoryShelf;
  /** Shelves that exist. */
  shelves(): MemoryShelf[];
  allLinks(): IterableIterator<LinkEdge>;
  /** Says how far loading is; `loaded()` resolves with the first `ready` or `failed`. */
  report(state: CatalogState): void;
  /** Bytes held by all shelves, by part. Links are not counted. */
  memory(): Record<string, number>;
}

/** An empty catalog in state `loading`. */
export function createCatalog(deps: CatalogDeps): MemoryCatalog {
  const kernel = deps.kernel ?? bestKernel();
  const links = createLinkGraph();
  const shelves = new Map<string, MemoryShelf>();
  let state: CatalogState = { state: 'loading', loaded: 0, total: null };
  let waiting: ((state: CatalogState) => void)[] = [];

  return {
    project: deps.project,
    analyze: deps.analyze,
    instant: deps.instant ?? null,
    links,
    allLinks: links.all,
    shelves: () => [...shelves.values()],
    shelf(type) {
      const known = shelves.get(type);
      if (known !== undefined) return known;
      const shelf = new MemoryShelf(type, { ...deps, kernel });
      shelves.set(type, shelf);
      return shelf;
    },
    status: () => state,
    loaded() {
      if (state.state !== 'loading') return Promise.resolve(state);
      return new Promise((resolve) => waiting.push(resolve));
    },
    report(next) {
      state = next;
      if (next.state === 'loading') return;
      const told = waiting;
      waiting = [];
      for (const resolve of told) resolve(next);
    },
    memory() {
      const sums: Record<string, number> = {};
      for (const shelf of shelves.values()) {
        for (const [part, bytes] of Object.entries(shelf.memory())) {
          sums[part] = (sums[part] ?? 0) + bytes;
        }
      }
      return sums;
    },
  };
}
