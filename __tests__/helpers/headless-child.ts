/**
 * A headless agent in a process of its own: sets hints until it may not any more, and says which were
 * acknowledged. Started by `headless.ts`; ends by itself when its parent is gone.
 */
import { sql } from 'drizzle-orm';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import { startHeadless } from '../../src/server/headless/index.js';
import { isAppError } from '../../src/shared/errors.js';
import type { HeadlessCommand, HeadlessEvent } from './headless.js';
import { hintsOf } from './hints.js';

process.on('disconnect', () => process.exit(0));

/** Resolves when it has left this process. */
function tell(event: HeadlessEvent): Promise<void> {
  return new Promise((resolve) => {
    if (process.send) process.send(event, () => resolve());
    else resolve();
  });
}

const { env } = process;
const log = (line: string) => process.stderr.write(`${line}\n`);
const agent = await startHeadless({ cwd: process.cwd(), env, log }).catch(
  async (error: unknown) => {
    await tell(
      isAppError(error)
        ? { kind: 'refused', code: error.code, message: error.message, details: error.details }
        : { kind: 'refused', code: 'INTERNAL', message: String(error), details: {} },
    );
    process.exit(1);
  },
);
const hints = await hintsOf(agent.runtime);
let isLeaving = false;

async function set(key: string, component = 'hand-over'): Promise<void> {
  await hints.setHint(
    { component, key, value: `value of ${key}`, meta: { ttl: 'P7D' } },
    { kind: 'operator' },
  );
}

/** Never waits for the parent: what was acknowledged is told in order. */
async function write(name: string): Promise<void> {
  for (let number = 0; ; number += 1) {
    try {
      // So many one component may have.
      await set(`${name}-${number}`, `${name}-${Math.floor(number / 200)}`);
    } catch (error) {
      await tell({
        kind: 'stopped',
        error: error instanceof Error ? error.message : String(error),
      });
      return;
    }
    void tell({ kind: 'acknowledged', key: `${name}-${number}` });
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
}

void agent.wanted.then(async (how) => {
  isLeaving = true;
  await tell({ kind: 'wanted', how, atMs: Date.now() });
  await agent.close();
  await tell({ kind: 'closed' });
});

process.on('message', async (command: HeadlessCommand) => {
  switch (command.kind) {
    case 'write':
      return write(command.name);
    case 'set':
      return set(command.key).then(
        () => tell({ kind: 'acknowledged', key: command.key }),
        (error: unknown) => tell({ kind: 'stopped', error: String(error) }),
      );
    case 'rows':
      return tell({
        kind: 'rows',
        statement: command.statement,
        rows: await rowsOf(databaseOf(agent.runtime), sql.raw(command.statement)),
      });
    case 'close':
      if (!isLeaving) await agent.close();
      await tell({ kind: 'closed' });
      process.exit(0);
  }
});
await tell({ kind: 'ready', agentId: agent.agentId, directory: agent.directory });
