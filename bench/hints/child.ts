/** One part of the suite, one process: the host keeps one PGlite per process. */
import { answerParent } from '../in-child.js';
import { hostAlone } from './host.js';
import type { Part, PartReport, PartRequest } from './protocol.js';
import { hintRoom } from './room.js';
import { throughListener, throughServer } from './served.js';
import { hintStarts } from './starts.js';

const PARTS: Readonly<Record<Part, (request: PartRequest) => Promise<PartReport>>> = {
  room: hintRoom,
  start: hintStarts,
  host: hostAlone,
  listener: throughListener,
  server: throughServer,
};

answerParent((request: PartRequest) => PARTS[request.part](request));
