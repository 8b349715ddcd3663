/** `--watch` against the stream of a real agent. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Served, startServed } from '../served.js';

let served: Served;
beforeAll(async () => {
  served = await startServed();
});
afterAll(() => served.stop());

it('prints a run when it begins and when it has ended, and offers as they are made', async () => {
  await served.cue('trigger', 'create', 'every 7 hours: water the plants');
  await served.cue('store', '--intent', 'Fix auth', '--edited', 'src/auth.ts', '--success');
  const stop = new AbortController();
  const runs: string[] = [];
  const offers: string[] = [];
  const watching = [
    served.cueWith(
      { interrupted: stop.signal, heard: (text) => runs.push(text) },
      ...['runs', '--watch', '--json', 'status,answer'],
    ),
    served.cueWith(
      { interrupted: stop.signal, heard: (text) => offers.push(text) },
      ...['offers', '--watch'],
    ),
  ];
  await new Promise((done) => setTimeout(done, 500));
  await served.cue('trigger', 'run', 'water the plants');
  const { port } = JSON.parse(served.read('pids/server.pid'));
  await fetch(`http://127.0.0.1:${port}/cue/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'fileTouched', path: 'src/auth.ts' }),
  });
  await expect.poll(() => runs.join(''), { timeout: 10_000 }).toContain('"status":"success"');
  await expect.poll(() => offers.join(''), { timeout: 10_000 }).toContain('\tfileTouch\t');
  stop.abort();
  for (const { code, err } of await Promise.all(watching))
    expect({ code, err }).toEqual({ code: 0, err: '' });
  const ended = runs
    .join('')
    .split('\n')
    .filter((line) => line.includes('success'));
  expect(ended).toEqual(['{"status":"success","answer":"done"}']);
});
