/** One part of the suite, one process: the host keeps one PGlite per process. */
import { answerParent } from '../in-child.js';
import { warmService } from './asked.js';
import { catalogAlone } from './catalog.js';
import { fill } from './fill.js';
import { hostAlone } from './host.js';
import type { Part, PartReport, PartRequest } from './protocol.js';
import { coldStarts } from './starts.js';

const PARTS: Readonly<Record<Part, (request: PartRequest) => Promise<PartReport>>> = {
  fill,
  cold: coldStarts,
  warm: warmService,
  host: hostAlone,
  catalog: catalogAlone,
};

answerParent((request: PartRequest) => PARTS[request.part](request));
