/** One runtime, one process: the host keeps one PGlite per process, and memory is given back. */
import { answerParent } from '../in-child.js';
import { cueScenario } from './cue.js';
import { plainScenario } from './plain.js';
import type { ScenarioRequest } from './protocol.js';

answerParent((request: ScenarioRequest) =>
  request.way === 'cue' ? cueScenario(request) : plainScenario(request),
);
