/** An agent whose model begins to serve when there are memories already: settings to recall. */
import { afterAll, expect, it } from 'vitest';
import { WORK_MEMORY, type WorkMemoryService } from '../../src/memory/index.js';
import { type Agent, boot } from '../helpers/boot.js';
import { draft } from '../memory/room.js';
import { until } from './helpers/log.js';

let agent: Agent | null = null;
afterAll(() => agent?.stop());

const OPERATOR = { kind: 'operator' } as const;

/** Texts that the model is asked for wait here until the test lets them pass. */
function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), passed, reached: false };
}

it('says in recall and health that memories wait for the model, and then finds them by it', async () => {
  const [probe, memory] = [gate(), gate()];
  const vector = (axis: number) => Array.from({ length: 384 }, (_, at) => (at === axis ? 1 : 0));
  const textEmbedding = async (_runtime: unknown, params: unknown): Promise<number[]> => {
    const text = typeof params === 'object' && params && 'text' in params ? `${params.text}` : '';
    if (text === '') return vector(0);
    const at = text.includes('backup') ? memory : probe;
    at.reached = true;
    await at.passed;
    return vector(1);
  };
  agent = await boot({
    slim: true,
    settings: { CUE_EMBEDDINGS: 'runtime' },
    plugins: [
      {
        name: 'late-model',
        description: 'tests',
        // Before the scripted model, which answers too.
        priority: 10,
        models: { TEXT_EMBEDDING: textEmbedding },
      },
    ],
  });
  const service = (await agent.runtime.getServiceLoadPromise(
    WORK_MEMORY as Parameters<typeof agent.runtime.getServiceLoadPromise>[0],
  )) as WorkMemoryService;
  await service.settle();
  await service.store(draft('the nightly backup is broken'), OPERATOR);
  const ask = async () => {
    const { memories, degraded } = await service.recall('umbrella', OPERATOR);
    return { found: memories.length, degraded };
  };
  expect(await ask()).toEqual({ found: 0, degraded: undefined });

  probe.open();
  await until(() => memory.reached);
  const note = 'some records have no vector of runtime:late-model:384 yet; only words find them';
  expect(await ask()).toEqual({ found: 0, degraded: note });
  expect((await service.health()).degraded).toEqual([note]);

  memory.open();
  const health = async () => (await service.health()).degraded.length;
  for (let looks = 0; looks < 12_000 && (await health()) > 0; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await ask()).toEqual({ found: 1, degraded: undefined });
});
