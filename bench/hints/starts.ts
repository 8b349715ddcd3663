/** From opening the service to one that answers, on the hints that are stored. */
import { hintType } from '../../src/hints/index.js';
import { bootPlain } from '../agent.js';
import { delay, loopGaps, series } from '../clockwork.js';
import { timed } from '../memory/watched.js';
import { hintStarter, OPERATOR } from './opened.js';
import type { PartReport, PartRequest } from './protocol.js';

/** Of the one process; the first start of it also compiles. */
const STARTS = 5;

export async function hintStarts(request: PartRequest): Promise<PartReport> {
  const { size, quick, directory } = request;
  const { runtime, stop } = await bootPlain(directory);
  const starter = await hintStarter(runtime, request);
  const starts: number[] = [];
  const gaps: number[] = [];
  for (let round = 0; round < (quick ? 2 : STARTS); round += 1) {
    const found = await loopGaps(async () => {
      starts.push(await timed(() => opened(starter, size)));
    });
    if (round === 0) gaps.push(...found);
  }
  // The host's own way to hold the same rows.
  const rows = async () => {
    const read = await runtime.getMemories({ tableName: hintType.name, count: size });
    if (read.length < size) throw new Error(`the host read ${read.length} of ${size} rows`);
  };
  const beside = await series(rows, { times: quick ? 2 : STARTS, warmUp: 0 });
  await starter.stop();
  await delay(50);
  await stop();
  return {
    samples: {
      'start.first': starts.slice(0, 1),
      'start.again': starts.slice(1),
      'start.gaps': gaps,
    },
    beside: { 'start.first': beside.slice(0, 1), 'start.again': beside.slice(1) },
  };
}

async function opened(starter: Awaited<ReturnType<typeof hintStarter>>, size: number) {
  const hints = await starter.start();
  const { durable } = hints.counts(OPERATOR);
  if (durable !== size) throw new Error(`${durable} of ${size} hints were there`);
  await hints.stop();
}
