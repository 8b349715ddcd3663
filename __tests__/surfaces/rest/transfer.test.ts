/** Batches, export and import: many triggers in one request. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../helpers/http.js';
import { startServer, type TestServer } from '../../helpers/server.js';
import { cron, DISTANT_HOUR } from '../../helpers/triggers.js';

const HOUR_MS = 3_120_000;
let server: TestServer;
const url = (path: string) => `${server.baseUrl}/cue/triggers${path}`;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function clear(): Promise<void> {
  for (;;) {
    const { triggers } = (await call('GET', url('?limit=500'))).body as {
      triggers: { id: string }[];
    };
    if (triggers.length === 0) return;
    for (const { id } of triggers) await call('DELETE', url(`/${id}`));
  }
}

it('creates a batch from data and text, and answers others meanwhile', async () => {
  const triggers = Array.from({ length: 120 }, (_, n) =>
    n % 2 === 0
      ? {
          instructions: `check shelf ${n}`,
          schedule: { triggerType: 'interval', intervalMs: HOUR_MS },
        }
      : { text: `every day at ${DISTANT_HOUR}:00 remind me to check shelf ${n}` },
  );
  const batch = call('POST', url('/batch'), { body: { triggers } });
  const health = await call('GET', url('/health'));
  expect(health.status).toBe(200);
  expect(Number(health.body.active) + Number(health.body.resting)).toBeLessThan(120);
  const { status, body } = await batch;
  expect([status, body.counts]).toEqual([201, { created: 120, duplicates: 0, rejected: 0 }]);
  const made = body.created as { index: number; id: string }[];
  expect(made.map((one) => one.index)).toEqual(triggers.map((_, index) => index));
  const seventh = await call('GET', url(`/${made[7]?.id}`));
  expect((seventh.body.trigger as { instructions: string }).instructions).toContain('shelf 7');
  expect((await call('GET', url(''))).body.total).toBe(120);

  const again = await call('POST', url('/batch'), { body: { triggers } });
  expect([again.status, again.body.counts]).toEqual([
    200,
    { created: 0, duplicates: 120, rejected: 0 },
  ]);
  await clear();
});

it('takes its own export back, with the counts', async () => {
  const cronExpression = `0 ${DISTANT_HOUR} * * *`;
  const created = await call('POST', url(''), {
    body: {
      instructions: 'water the plants',
      displayName: 'Plants 🌱',
      schedule: cron(cronExpression),
      maxFailures: 7,
    },
  });
  const { id } = created.body.trigger as { id: string };
  const run = await call('POST', url(`/${id}/execute?waitMs=15000`));
  expect(run.body.run).toMatchObject({ status: 'success' });

  const exported = await call('GET', url('/export'));
  expect(exported.status).toBe(200);
  await call('DELETE', url(`/${id}`));
  const imported = await call('POST', url('/import'), { body: exported.body });
  expect([imported.status, imported.body.counts]).toEqual([
    201,
    { created: 1, duplicates: 0, rejected: 0 },
  ]);
  const { triggers } = (await call('GET', url(''))).body as { triggers: Record<string, unknown>[] };
  expect(triggers).toMatchObject([
    { displayName: 'Plants 🌱', cronExpression, maxFailures: 7, runCount: 1 },
  ]);

  const twice = await call('POST', url('/import'), { body: exported.body });
  expect([twice.status, twice.body.counts]).toEqual([
    200,
    { created: 0, duplicates: 1, rejected: 0 },
  ]);
  await clear();
});

it.each([-1, 1.5, 1e12])('refuses an import that claims %d runs', async (runCount) => {
  const { body } = await call('POST', url('/import'), {
    body: {
      triggers: [
        {
          version: 1,
          triggerId: '7d9f1a52-3c1e-4a57-9d3c-0a51a1d2c301',
          displayName: 'Backup',
          instructions: 'check the backup',
          triggerType: 'cron',
          cronExpression: '30 7 * * *',
          enabled: true,
          wakeMode: 'inject_now',
          createdBy: 'user',
          runCount,
        },
      ],
    },
  });
  expect(body).toMatchObject({
    counts: { created: 0, duplicates: 0, rejected: 1 },
    rejected: [{ index: 0, findings: [{ field: 'runCount' }] }],
  });
});

it('says which items of an import cannot be read', async () => {
  const answer = await call('POST', url('/import'), {
    body: { version: 1, triggers: [{ version: 2 }, 7, { version: 1, triggerId: 'x' }] },
  });
  expect([answer.status, answer.body.counts]).toEqual([
    200,
    { created: 0, duplicates: 0, rejected: 3 },
  ]);
  expect((answer.body.rejected as { index: number }[]).map((one) => one.index)).toEqual([0, 1, 2]);
  expect((await call('GET', url(''))).body.total).toBe(0);
});
