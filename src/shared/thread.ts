import { Worker } from 'node:worker_threads';

/** A module of ours in a thread of its own: compiled or, from sources, by what loads it as TypeScript. */
export function workerOf(name: string, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL(`../${name}.js`, import.meta.url), { workerData });
  }
  const loader = new URL('../../scripts/source-worker.mjs', import.meta.url);
  return new Worker(loader, { workerData, argv: [name] });
}
