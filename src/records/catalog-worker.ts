/** The thread that indexes the rows of a project: the other side of `catalog-thread.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { createCatalog } from './catalog/catalog.js';
import { encodeSnapshot } from './catalog/snapshot.js';
import type { Analyze, InstantModel } from './catalog/types.js';
import { createCatalogSync } from './catalog-sync.js';
import type { FromThread, IndexOrder, ToThread } from './catalog-thread.js';
import type { RecordType } from './record-type.js';

/** Called by the module that a thread is started with: types and models are code, and do not travel. */
export function serveIndexing(deps: {
  types: readonly RecordType<unknown>[];
  analyze: Analyze;
  instant(): InstantModel;
}): void {
  const port = parentPort;
  if (port === null) throw new Error('this module runs in a thread of its own');
  const { project, models, instant } = workerData as IndexOrder;
  const catalog = createCatalog({
    project,
    analyze: deps.analyze,
    ...(instant !== null && { instant: deps.instant() }),
  });
  for (const [type, model] of Object.entries(models)) {
    if (model !== null) catalog.shelf(type).setModel(model);
  }
  const types = new Map<string, RecordType<unknown>>(deps.types.map((type) => [type.name, type]));
  const reply = (message: FromThread, move: ArrayBuffer[] = []) => port.postMessage(message, move);
  const warn = (fields: Record<string, unknown>, message: string) =>
    reply({ kind: 'warning', fields, message });
  const sync = createCatalogSync({ catalog, log: { warn } });

  async function end(): Promise<void> {
    for await (const frame of encodeSnapshot(catalog)) {
      reply({ kind: 'frame', frame }, [frame.buffer as ArrayBuffer]);
    }
    reply({ kind: 'end', outside: sync.outside() });
  }

  port.on('message', (message: ToThread) => {
    if (message.kind === 'end') {
      void end();
      return;
    }
    const type = types.get(message.type);
    if (type === undefined) throw new Error(`it knows no "${message.type}"`);
    for (const { metadata, ...row } of message.rows) {
      sync.put(type, { ...row, metadata: metadata === null ? null : JSON.parse(metadata) });
    }
    reply({ kind: 'taken' });
  });
}
