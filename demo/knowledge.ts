/** What the banner of `npm start` says about the `/when` index. */
import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import type * as Cue from '../src/index.js';
import { EXAMPLE_FLAG } from './example.js';

const WAIT_MS = 5_000;

/** @returns where the index is and what is in it, once it has been read */
export async function knowledgeOf(runtime: IAgentRuntime, cue: typeof Cue): Promise<string> {
  const late = new Promise<null>((done) => setTimeout(done, WAIT_MS, null).unref());
  const read = async () => {
    const service = await runtime.getServiceLoadPromise(cue.WHEN as ServiceTypeName);
    if (!(service instanceof cue.WhenService)) return null;
    await Promise.race([service.settled(), late]);
    return service.health();
  };
  const health = await Promise.race([read().catch(() => null), late]);
  return health === null ? 'not read yet' : knowledgeLine(health);
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
