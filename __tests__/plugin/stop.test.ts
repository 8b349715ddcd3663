import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, it } from 'vitest';
import { boot } from '../helpers/boot.js';

v8.setFlagsFromString('--expose-gc');
const collect: () => void = vm.runInNewContext('gc');

/** In a function of its own: what a test has in a variable is not collected while it runs. */
async function stoppedAgent(): Promise<WeakRef<object>> {
  const agent = await boot();
  const held = new WeakRef<object>(agent.runtime);
  await agent.stop();
  return held;
}

it('a stopped agent leaves nothing behind that keeps its database in memory', async () => {
  const held = await stoppedAgent();
  for (let turn = 0; turn < 100 && held.deref() !== undefined; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    collect();
  }
  expect(held.deref()).toBeUndefined();
});
