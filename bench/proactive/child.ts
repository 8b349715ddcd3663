/** One part of the suite, one process: the host keeps one PGlite per process. */
import { catalogAlone } from './alone.js';
import { plainHost } from './plain.js';
import type { Part, PartReport, PartRequest } from './protocol.js';
import { storedMemories } from './stored.js';

const PARTS: Readonly<Record<Part, (request: PartRequest) => Promise<PartReport>>> = {
  stored: storedMemories,
  plain: plainHost,
  alone: catalogAlone,
};

process.once('message', (message) => {
  void run(message as PartRequest);
});

async function run(request: PartRequest): Promise<void> {
  try {
    const report = await PARTS[request.part](request);
    process.send?.(report, () => process.exit(0));
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
