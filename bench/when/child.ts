/** One part of the suite, one process: the host keeps one PGlite per process. */
import { answerParent } from '../in-child.js';
import { bookAlone } from './book.js';
import { hostAlone } from './host.js';
import type { Part, PartReport, PartRequest } from './protocol.js';
import { syncedFolder } from './synced.js';

const PARTS: Readonly<Record<Part, (request: PartRequest) => Promise<PartReport>>> = {
  book: bookAlone,
  synced: syncedFolder,
  host: hostAlone,
};

answerParent((request: PartRequest) => PARTS[request.part](request));
