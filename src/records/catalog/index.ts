/** The catalog; `records/index.ts` hands on what other rooms use. */
export { type CatalogDeps, createCatalog, type MemoryCatalog } from './catalog.js';
export { decodeSnapshot, encodeSnapshot } from './snapshot.js';
export { SnapshotError } from './snapshot-frames.js';
export type * from './types.js';
