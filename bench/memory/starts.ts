/** From opening the service to a catalog that answers, with and without a snapshot. */
import { rmSync } from 'node:fs';
import { bootPlain } from '../agent.js';
import { delay, loopGaps } from '../clockwork.js';
import { openMemory, readyCatalog, snapshotIn } from './opened.js';
import type { PartReport, PartRequest } from './protocol.js';
import { timed, type Watched, watched } from './watched.js';

type Agent = Awaited<ReturnType<typeof bootPlain>>;
type Service = Awaited<ReturnType<typeof openMemory>>['service'];

/** What was written shortly before a snapshot is read again by the next start. */
const UNTIL_SETTLED_MS = 11_000;

/** Starts from the database alone; the last one leaves a snapshot for the next process. */
export async function coldStarts({ directory, quick, size }: PartRequest): Promise<PartReport> {
  await delay(UNTIL_SETTLED_MS);
  const agent = await bootPlain(directory);
  const seen = watched(agent.runtime);
  const times = quick || size > 10_000 ? 1 : 3;
  for (let round = 0; round < times; round += 1) {
    rmSync(snapshotIn(directory), { force: true });
    const service = await started(agent, directory, seen, false);
    await seen.phase('writing the snapshot', async () => {
      const gaps = await loopGaps(async () => {
        seen.add('snapshot.write', [await timed(() => service.stop())]);
      });
      seen.add('snapshot.gaps', gaps);
    });
    await delay(50);
  }
  await agent.stop();
  return seen.report();
}

/** One start, timed. @throws Error when the catalog came from elsewhere than it should */
export async function started(
  { runtime }: Agent,
  directory: string,
  seen: Watched,
  fromSnapshot: boolean,
): Promise<Service> {
  const name = fromSnapshot ? 'start.snapshot' : 'start.cold';
  let service: Service | undefined;
  await seen.phase(`start ${fromSnapshot ? 'with' : 'without'} snapshot`, async () => {
    const from = performance.now();
    const opened = await openMemory(runtime, directory);
    service = opened.service;
    seen.add('start.open', [performance.now() - from]);
    seen.add(`${name}.gaps`, await loopGaps(() => opened.service.settle()));
    seen.add(name, [performance.now() - from]);
  });
  if (!service) throw new Error('the service did not start');
  const catalog = await readyCatalog(service);
  if (catalog.fromSnapshot !== fromSnapshot) {
    throw new Error(`the catalog came ${fromSnapshot ? 'not ' : ''}from a snapshot`);
  }
  return service;
}
