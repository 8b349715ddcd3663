/** Indexes memories in a thread of its own. */
import { builtInModel } from '../embeddings/offline.js';
import { serveIndexing } from '../records/catalog-worker.js';
import { analyze } from '../shared/text.js';
import { MEMORY_TYPES } from './types.js';

serveIndexing({ types: MEMORY_TYPES, analyze, instant: builtInModel });
