import type { MemoryCatalog } from './catalog/catalog.js';
import type { Catalog } from './catalog/types.js';

/** A catalog that others hold while what is behind it is exchanged: a snapshot is a new one. */
export interface LiveCatalog extends Catalog {
  /** What is behind it now. */
  current(): MemoryCatalog;
  /** Goes on with another one; shelves are asked for anew, nobody keeps one. */
  exchange(next: MemoryCatalog): void;
}

/** The state (`status`, `loaded`) stays that of `first`, which is the one to `report` to. */
export function createLiveCatalog(first: MemoryCatalog): LiveCatalog {
  let behind = first;
  return {
    get links() {
      return behind.links;
    },
    shelf: (type) => behind.shelf(type),
    status: () => first.status(),
    loaded: () => first.loaded(),
    current: () => behind,
    exchange(next) {
      behind = next;
    },
  };
}
