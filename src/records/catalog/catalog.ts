/** The catalog of one project: a shelf per record type, the links, and how far it is loaded. */
import type { Uuid } from '../../shared/ids.js';
import { bestKernel, type KernelFactory } from './kernel.js';
import { createLinkGraph } from './links.js';
import { MemoryShelf } from './shelf.js';
import type { Analyze, Catalog, CatalogState, InstantModel, LinkEdge } from './types.js';

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
