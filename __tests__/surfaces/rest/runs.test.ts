/** Running triggers over REST, and their history. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { autonomousRoom } from '../../../src/autonomy/index.js';
import { type Row, restClient } from '../../helpers/rest.js';
import { plan } from '../../helpers/scripted-model.js';
import { startServer, type TestServer } from '../../helpers/server.js';

let server: TestServer;
const rest = restClient(() => server);
const { made, clear } = rest;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.brain.onLarge = () => plan('watered');
});
afterEach(clear);

describe('running', () => {
  it('starts a run and answers at once with its id', async () => {
    const { id } = await made();
    const answer = await rest('POST', `/triggers/${id}/execute`);
    expect(answer.status).toBe(202);
    expect(Object.keys(answer.body)).toEqual(['runId']);
    await server.triggers.settle();
    const { body } = await rest('GET', `/triggers/${id}/runs`);
    expect(body.runs).toMatchObject([
      { triggerRunId: answer.body.runId, cause: 'manual', status: 'success' },
    ]);
  });

  it('waits for the end; without deliverTo the answer stays in the ledger', async () => {
    const { id } = await made();
    const answer = await rest('POST', `/triggers/${id}/execute?waitMs=15000`);
    expect(answer.status).toBe(200);
    expect(answer.body.run).toMatchObject({
      status: 'success',
      answer: 'watered',
      roomId: autonomousRoom(server.runtime).roomId,
    });
    const { delivery } = answer.body.run as { delivery?: { state: string } };
    expect(delivery?.state ?? 'none').toBe('none');
    expect(answer.body.trigger).toMatchObject({ id, runCount: 1 });
    expect(answer.text).not.toMatch(/lease/i);
  });

  it('gives the run as it stands when the wait is over', async () => {
    let finish = () => {};
    server.brain.onLarge = () =>
      new Promise((resolve) => {
        finish = () => resolve(plan('late'));
      });
    const { id } = await made();
    const before = server.brain.calls.length;
    const answer = await rest('POST', `/triggers/${id}/execute?waitMs=1`);
    expect(answer.status).toBe(200);
    expect(answer.body.run).toMatchObject({ status: 'running', open: true });
    await expect.poll(() => server.brain.calls.length).toBeGreaterThan(before);
    finish();
    await server.triggers.settle();
  });

  it('has no trigger any more after its last run, and its history stays', async () => {
    const { id } = await made({ maxRuns: 1 });
    const answer = await rest('POST', `/triggers/${id}/execute?waitMs=15000`);
    expect(answer.body).toMatchObject({ run: { status: 'success' }, trigger: null });
    const { status, body } = await rest('GET', `/triggers/${id}/runs`);
    expect([status, body.total]).toEqual([200, 1]);
  });

  it('says why the last run failed', async () => {
    server.brain.onLarge = () => {
      throw new Error('the provider says no');
    };
    const { id } = await made();
    const answer = await rest('POST', `/triggers/${id}/execute?waitMs=15000`);
    expect(answer.body.run).toMatchObject({ status: 'failed' });
    const why = await rest('GET', `/triggers/${id}/why`);
    expect(why.status).toBe(200);
    expect((why.body.reasons as string[]).join(' ')).toContain('failed');
    expect((await rest('GET', '/triggers/health')).body.failuresLastHour).toBeGreaterThan(0);
    expect(why.text).not.toMatch(/lease/i);
  });

  it('pages its runs', async () => {
    const { id } = await made();
    for (let n = 0; n < 3; n += 1) await rest('POST', `/triggers/${id}/execute?waitMs=15000`);
    const first = (await rest('GET', `/triggers/${id}/runs?limit=2`)).body;
    expect([(first.runs as Row[]).length, first.total]).toEqual([2, 3]);
    const rest2 = (await rest('GET', `/triggers/${id}/runs?limit=2&cursor=${first.nextCursor}`))
      .body;
    expect([(rest2.runs as Row[]).length, rest2.nextCursor]).toEqual([1, null]);
  });
});
