/** The thread that indexes memories, with the types and the model of the product. */
import { expect, it } from 'vitest';
import { builtInModel } from '../../src/embeddings/index.js';
import { encodeSnapshot } from '../../src/records/catalog/snapshot.js';
import { workerOf } from '../../src/shared/thread.js';
import { openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from './room.js';

async function catalogOf({ project }: MemoryRoom): Promise<Buffer> {
  const frames: Uint8Array[] = [];
  for await (const frame of encodeSnapshot(project.catalog.current())) frames.push(frame);
  return Buffer.concat(frames);
}

it('makes the catalog that the main thread makes, byte for byte', async () => {
  const database = await openRecordDatabase();
  const beside = builtInModel();
  const writer = await openRoom(database, 'indexed', { beside });
  const caller = { kind: 'operator' } as const;
  const first = await writer.memory.store(
    draft('Retry the upload to S3 when it answers 503', {
      files: ['src/upload/client.ts', 'C:\\work\\retry.ts'],
      remind_when: ['someone touches the uploads'],
      learning: 'the client retried only ECONNRESET — naïve',
    }),
    caller,
  );
  await writer.memory.store(
    draft('Die Übersetzung der Rechnung prüfen', { links: { caused_by: [first.memory_id] } }),
    caller,
  );
  const threads: string[] = [];
  const inThread = await openRoom(database, 'indexed', {
    beside,
    indexer(order) {
      threads.push(String(order.instant));
      return workerOf('memory/index-worker', order);
    },
  });
  const here = await openRoom(database, 'indexed', { beside });
  expect(threads).toEqual([beside.id]);
  expect(here.project.catalog.links.size).toBe(1);
  expect(await catalogOf(inThread)).toEqual(await catalogOf(here));
  for (const room of [writer, inThread, here]) await room.stop();
  await database.close();
});
