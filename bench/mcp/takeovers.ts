/** Whoever serves is killed: how long its clients are without an answer (issue 7 point 4). */
import { once } from 'node:events';
import { type Bridge, startBridge } from './bridge.js';

const OTHERS = 2;

/**
 * The first of three `cue mcp` serves and is killed (-9); the other two call at once, and their calls are
 * held until one of them serves. Again and again, each time with a new one at the end of the row.
 * @returns of each kill the time until both have their answer, ms
 */
export async function takeovers(base: NodeJS.ProcessEnv, times: number): Promise<number[]> {
  const env = { ...base, CUE_MCP_TOOLS: 'all' };
  const each: number[] = [];
  let serving = await startBridge(env);
  const others: Bridge[] = [];
  while (each.length < times) {
    while (others.length < OTHERS) others.push(await startBridge(env));
    const calls = { name: 'list', arguments: { limit: 1 } };
    for (const other of others) await other.ask('tools/call', calls);
    const exit = once(serving.child, 'exit');
    const from = performance.now();
    serving.child.kill('SIGKILL');
    const waits = await Promise.all(
      others.map(async (other) => {
        await other.ask('tools/call', calls);
        return performance.now() - from;
      }),
    );
    each.push(Math.max(...waits));
    await exit;
    const next = await servingOf(others);
    others.splice(others.indexOf(next), 1);
    serving = next;
  }
  for (const one of [...others, serving]) await one.end();
  return each;
}

/** @returns the one of them that serves. @throws Error when none does */
export async function servingOf(bridges: readonly Bridge[]): Promise<Bridge> {
  const [first] = bridges;
  const status = await first?.ask('tools/call', { name: 'nudge_status', arguments: {} });
  const found = bridges.find(({ child }) => status?.includes(`"pid":${child.pid},`));
  if (!found) throw new Error(`nobody of the others serves: ${status?.slice(0, 300)}`);
  return found;
}
