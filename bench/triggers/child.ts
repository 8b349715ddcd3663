/** One runtime, one process: the host keeps one PGlite per process, and memory is given back. */
import { cueScenario } from './cue.js';
import { plainScenario } from './plain.js';
import type { ScenarioRequest } from './protocol.js';

process.once('message', (message) => {
  void run(message as ScenarioRequest);
});

async function run(request: ScenarioRequest): Promise<void> {
  try {
    const report = await (request.way === 'cue' ? cueScenario(request) : plainScenario(request));
    process.send?.(report, () => process.exit(0));
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
