/** Two servers of one agent on a real database server: each hears on its stream what the other one does. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanUp, newDirectory, startAgent, until } from '../helpers/children.js';
import { call } from '../helpers/http.js';
import { openSharedDatabase, type SharedDatabase } from '../helpers/shared-database.js';
import { dataOf, openStream, type Stream } from '../helpers/stream.js';

const PROMISED_MS = 2_000;
const ROUNDS = 5;

let database: SharedDatabase;
let stream: Stream;
let theirs: string;
let ours: string;

beforeAll(async () => {
  database = await openSharedDatabase();
  const start = async () => {
    const agent = startAgent({
      kind: 'server',
      dataDir: join(newDirectory(), 'db'),
      postgresUrl: database.url,
      settings: { CUE_DETECTORS: '{"cooldown":{"batch_window_ms":20}}' },
    });
    return `http://127.0.0.1:${(await agent.ready).port}/cue`;
  };
  ours = await start();
  theirs = await start();
  stream = await openStream(`${ours}/stream`);
  expect(stream.status).toBe(200);
  await until('the stream is open', async () => (stream.head.includes('cue') ? true : null));
});
afterAll(async () => {
  stream?.close();
  await cleanUp();
  await database?.close();
});

async function there(method: string, path: string, body?: unknown) {
  const answer = await call(method, theirs + path, body === undefined ? {} : { body });
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
}

/** How long after it was answered there it is told here, ms. */
async function heard(event: string, is: (data: Record<string, unknown>) => boolean) {
  const fromMs = Date.now();
  await expect
    .poll(() => dataOf(stream, event).some(is), { timeout: 20_000, interval: 10 })
    .toBe(true);
  return Date.now() - fromMs;
}

it('what another process did arrives within two seconds, and can be read then', async () => {
  const took: Record<string, number[]> = { trigger: [], run: [], memory: [], offer: [], state: [] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    const draft = {
      instructions: `water ${round}`,
      schedule: { triggerType: 'interval', intervalMs: 3_600_000 },
    };
    const { trigger } = await there('POST', '/triggers', draft);
    const { id } = trigger as { id: string };
    took.trigger?.push(await heard('trigger', ({ trigger }) => Object(trigger).id === id));

    await there('POST', `/triggers/${id}/execute?waitMs=15000`);
    took.run?.push(
      await heard(
        'run',
        ({ run }) => Object(run).triggerId === id && Object(run).status === 'success',
      ),
    );

    const file = `src/live-${round}.ts`;
    const { memory_id } = await there('POST', '/memories', {
      outcome: { success: false, failure_reason: 'race condition' },
      intent: `Add caching to ${file}`,
      actions: [{ file, operation: 'edit' }],
    });
    took.memory?.push(await heard('memory', (data) => data.memory_id === memory_id));
    const [here, listed] = await Promise.all([
      call('GET', `${ours}/memories/${memory_id}`),
      call('GET', `${ours}/memories?limit=1`),
    ]);
    expect([here.status, here.body.memory_id ?? Object(here.body.memory).memory_id]).toEqual([
      200,
      memory_id,
    ]);
    expect(listed.body.memories).toMatchObject([{ memory_id }]);

    // A second one would wait for its cooldown.
    if (round > 1) continue;
    const { offers } = await there('POST', '/events', { type: 'file_touch', filePath: file });
    const [offer] = offers as { id: string }[];
    expect(offer).toMatchObject({ id: expect.any(String) });
    const offerId = offer?.id;
    const isIts = (data: Record<string, unknown>) => Object(data.offer).id === offerId;
    took.offer?.push(await heard('offer', (data) => isIts(data) && data.change === 'created'));
    await there('POST', `/offers/${offerId}/dismiss`);
    took.state?.push(await heard('offer', (data) => isIts(data) && data.change === 'dismissed'));
  }
  process.stdout.write(`heard after, ms: ${JSON.stringify(took)}\n`);
  for (const [what, times] of Object.entries(took)) {
    const inTime = times.filter((ms) => ms <= PROMISED_MS);
    expect([what, inTime]).toEqual([what, times]);
  }
});
