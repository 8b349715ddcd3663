/** One part of the suite, one process: the host keeps one PGlite per process. */
import { answerParent } from '../in-child.js';
import type { Part, PartReport, PartRequest } from './protocol.js';
import { recoveries } from './recoveries.js';
import { served } from './served.js';
import { starts } from './starts.js';

const PARTS: Readonly<Record<Part, (request: PartRequest) => Promise<PartReport>>> = {
  served,
  starts,
  recoveries,
};

answerParent((request: PartRequest) => PARTS[request.part](request));
