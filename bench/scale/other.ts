/** Another process on the same database, which says when its catalog has what somebody else stored. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workMemoryType } from '../../src/memory/index.js';
import { bootPlain } from '../agent.js';
import { delay } from '../clockwork.js';
import { openMemory } from '../memory/opened.js';
import type { ScaleRequest } from './protocol.js';

const LOOK_MS = 20;
const GIVE_UP_MS = 60_000;

export interface Other {
  /** Milliseconds until its catalog holds the memory. */
  sees(memoryId: string): Promise<number>;
  stop(): Promise<void>;
}

/** Resolves once its catalog is ready. @throws Error when it ends before */
export async function openOther({ directory, most }: ScaleRequest): Promise<Other> {
  const child = fork(fileURLToPath(import.meta.url), [directory, String(most)], {
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: process.execArgv,
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`another process ended with code ${code}`);
  });
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    async sees(memoryId) {
      const from = performance.now();
      child.send(memoryId);
      const [answer] = await Promise.race([once(child, 'message'), ended]);
      if (answer !== 'seen') throw new Error(`${memoryId} was not seen`);
      return performance.now() - from;
    },
    async stop() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}

async function serve(directory: string, most: number): Promise<void> {
  const agent = await bootPlain(directory);
  const { service } = await openMemory(agent.runtime, join(directory, String(process.pid)), {
    most,
  });
  await service.settle();
  process.on('message', async (message) => {
    if (message === 'stop') {
      await service.stop();
      await agent.stop();
      process.exit(0);
    }
    const hex = String(message).replace(/^mem_/, '');
    const { catalog } = service.checks.store;
    for (const end = Date.now() + GIVE_UP_MS; Date.now() < end; await delay(LOOK_MS)) {
      if (catalog.shelf(workMemoryType.name).idsWithPrefix(hex, 1).length > 0) {
        process.send?.('seen');
        return;
      }
    }
    process.send?.('given up');
  });
  process.send?.('ready');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , directory = '', most = ''] = process.argv;
  await serve(directory, Number(most));
}
