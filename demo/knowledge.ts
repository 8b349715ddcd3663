/** What the banner of `npm start` says about the `/when` index and the embedding model. */
import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import type * as Cue from '../src/index.js';
import { EXAMPLE_FLAG } from './example.js';

const WAIT_MS = 5_000;

/** @returns where the index is and what is in it, once it has been read */
export async function knowledgeOf(runtime: IAgentRuntime, cue: typeof Cue): Promise<string> {
  const health = await soon(async (late) => {
    const service = await runtime.getServiceLoadPromise(cue.WHEN as ServiceTypeName);
    if (!(service instanceof cue.WhenService)) return null;
    await Promise.race([service.settled(), late]);
    return service.health();
  });
  return health === null ? 'not read yet' : knowledgeLine(health);
}

/** @returns which model turns texts into vectors, and why */
export async function embeddingOf(runtime: IAgentRuntime, cue: typeof Cue): Promise<string> {
  const health = await soon(async () => {
    const service = await runtime.getServiceLoadPromise(cue.WORK_MEMORY as ServiceTypeName);
    return service instanceof cue.WorkMemoryService ? service.health() : null;
  });
  if (health === null) return 'not started yet';
  const { serving, degraded } = health.embeddings;
  return `${serving.id}: ${degraded ?? serving.reason}`;
}

/** `null` where `read` fails or takes longer than the banner may wait; the log says why. */
function soon<T>(read: (late: Promise<null>) => Promise<T | null>): Promise<T | null> {
  const late = new Promise<null>((done) => setTimeout(done, WAIT_MS, null).unref());
  return Promise.race([read(late).catch(() => null), late]);
}

export function knowledgeLine(health: Cue.WhenHealth): string {
  const { state, index, entries, files, warningCount, degraded } = health;
  if (state === 'off' || index === null) {
    return `none (CUE_WHEN_INDEX is not set; npm start -- ${EXAMPLE_FLAG} brings an index to try)`;
  }
  const size = `${count(entries, 'entry', 'entries')} in ${count(files, 'file', 'files')}`;
  const problems =
    warningCount === 0 ? '' : `; ${count(warningCount, 'problem', 'problems')}: cue when validate`;
  return `${index} (${size}${problems}${degraded === undefined ? '' : `; ${degraded}`})`;
}

function count(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}
