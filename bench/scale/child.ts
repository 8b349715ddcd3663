/** One part of the suite, one process. */
import { answerParent } from '../in-child.js';
import { bounded, exact } from './asked.js';
import { fill } from './fill.js';
import type { Part, ScaleReport, ScaleRequest } from './protocol.js';

const PARTS: Readonly<Record<Part, (request: ScaleRequest) => Promise<ScaleReport>>> = {
  fill,
  exact,
  bounded,
};

answerParent((request: ScaleRequest) => PARTS[request.part](request));
