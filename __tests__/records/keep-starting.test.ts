import { expect, it } from 'vitest';
import type { CatalogState } from '../../src/records/index.js';
import { retryStart } from '../../src/records/index.js';

const FAILED: CatalogState = { state: 'failed', reason: 'connection lost' };
const READY: CatalogState = { state: 'ready', fromSnapshot: false, tookMs: 1 };

function failing(times: number) {
  let started = 0;
  return {
    start: async () => (started++ < times ? FAILED : READY),
    started: () => started,
  };
}

it('starts again after 5 s, then after twice as long each time, up to 5 min, until it succeeds', async () => {
  const project = failing(9);
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  expect(await retryStart(project, new AbortController().signal, wait)).toEqual(READY);
  expect(waits.map((ms) => ms / 1_000)).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  expect(project.started()).toBe(10);
});

it('gives up waiting when it is stopped, and starts nothing afterwards', async () => {
  const project = failing(9);
  const stopping = new AbortController();
  const keeping = retryStart(project, stopping.signal);
  await new Promise((resolve) => setImmediate(resolve));
  stopping.abort();
  expect(await keeping).toEqual(FAILED);
  expect(await retryStart(project, stopping.signal)).toEqual(FAILED);
  expect(project.started()).toBe(2);
});
