/** The folder on the disk with an agent on PGlite: first sync, restart, and edits until their rows. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IAgentRuntime } from '@elizaos/core';
import type { RecordStore } from '../../src/records/index.js';
import { systemClock } from '../../src/shared/clock.js';
import { hostLog } from '../../src/shared/log.js';
import type { When } from '../../src/when/service.js';
import { openWhen } from '../../src/when/service.js';
import type { WhenPaths } from '../../src/when/types.js';
import { bootPlain } from '../agent.js';
import { delay, loopGaps } from '../clockwork.js';
import { openMemory } from '../memory/opened.js';
import { timed, watched } from '../memory/watched.js';
import { writeFolder } from './on-disk.js';
import type { PartReport, PartRequest, Samples } from './protocol.js';
import { edited, folderOf } from './workload.js';

/** Between two edits, so that the events of one are over. */
const CALM_MS = 150;
/** An edit that was not seen by now never will be. */
const LOST_MS = 5_000;

export async function syncedFolder({ size, quick, directory }: PartRequest): Promise<PartReport> {
  const folder = folderOf(size);
  const paths = writeFolder(folder, directory);
  const agent = await bootPlain(directory);
  const { runtime } = agent;
  const { service } = await openMemory(runtime, directory);
  await service.settle();
  const seen = watched(runtime);
  const { store, written } = counted(service.checks.store);
  const samples: Samples = {};

  let when: When | null = null;
  const open = async () => {
    when = await opened(runtime, store, paths);
    await when.settled();
  };
  await seen.phase('the first sync', async () => {
    samples['sync.gaps'] = await loopGaps(async () => {
      samples['sync.first'] = [await timed(open)];
    });
  });
  const rows = written();
  const files = folder.files.length;
  // One of each file, and one of the index.
  if (rows <= files) throw new Error(`only ${rows} rows for ${files} files`);

  await stopped(when);
  samples['sync.restart'] = [await timed(open)];
  if (written() > rows) throw new Error('a restart wrote what was there');

  let times = 0;
  const edit = () => {
    times += 1;
    const file = folder.files[times % folder.files.length];
    if (file === undefined) throw new Error('a folder without files');
    writeFileSync(join(paths.decisions, file.path), edited(file.text, times));
  };
  const rounds = quick ? 2 : 20;
  await seen.phase('an edit', async () => {
    samples['edit.look'] = await edits(when, edit, rounds, written, (one) => one.settled());
    samples['edit.watched'] = await edits(when, edit, rounds, written, untilWritten);
  });
  await stopped(when);
  await service.stop();
  await delay(50);
  await agent.stop();
  const report = seen.report();
  return {
    samples: { ...report.samples, ...samples },
    blocks: report.blocks,
    notes: { 'sync.first': `${rows} rows` },
  };
}

function opened(runtime: IAgentRuntime, records: RecordStore, paths: WhenPaths): Promise<When> {
  return openWhen({
    records,
    agentId: runtime.agentId,
    clock: systemClock,
    log: hostLog(runtime, 'when'),
    paths,
    usagePath: null,
    onRecalled: () => {},
    isAdmin: async () => true,
  });
}

/** From the file being written to its rows being written. @throws Error when they are not */
async function edits(
  when: When | null,
  edit: () => void,
  rounds: number,
  written: () => number,
  settled: (when: When, isDone: () => boolean) => Promise<void>,
): Promise<number[]> {
  if (when === null) throw new Error('not open');
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await delay(CALM_MS);
    const before = written();
    const isDone = () => written() > before;
    edit();
    values.push(await timed(() => settled(when, isDone)));
    if (!isDone()) throw new Error('an edit did not reach its row');
  }
  return values;
}

async function untilWritten(_when: When, isDone: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + LOST_MS;
  while (!isDone()) {
    if (performance.now() > giveUpAt) throw new Error('an edit was not seen');
    await delay(1);
  }
}

/** A store, and how many rows were written with it. */
function counted(store: RecordStore): { store: RecordStore; written: () => number } {
  let rows = 0;
  const insert: RecordStore['insert'] = async (type, records, options) => {
    const inserted = await store.insert(type, records, options);
    rows += records.length;
    return inserted;
  };
  const replace: RecordStore['replace'] = async (...args) => {
    const replaced = await store.replace(...args);
    rows += 1;
    return replaced;
  };
  return { store: { ...store, insert, replace }, written: () => rows };
}

async function stopped(when: When | null): Promise<void> {
  await when?.stop();
}
