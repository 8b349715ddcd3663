/** One part of the suite, one process: the host keeps one PGlite per process. */
import { answerParent } from '../in-child.js';
import { catalogAlone } from './alone.js';
import { plainHost } from './plain.js';
import type { Part, PartReport, PartRequest } from './protocol.js';
import { storedMemories } from './stored.js';

const PARTS: Readonly<Record<Part, (request: PartRequest) => Promise<PartReport>>> = {
  stored: storedMemories,
  plain: plainHost,
  alone: catalogAlone,
};

answerParent((request: PartRequest) => PARTS[request.part](request));
