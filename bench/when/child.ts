/** One part of the suite, one process: the host keeps one PGlite per process. */
import { bookAlone } from './book.js';
import { hostAlone } from './host.js';
import type { Part, PartReport, PartRequest } from './protocol.js';
import { syncedFolder } from './synced.js';

const PARTS: Readonly<Record<Part, (request: PartRequest) => Promise<PartReport>>> = {
  book: bookAlone,
  synced: syncedFolder,
  host: hostAlone,
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
