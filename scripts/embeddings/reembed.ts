/** `reembed`: gives every record of a database a vector of the configured model. */
import type { Embeddings } from '../../src/embeddings/index.js';
import type { AgentDatabase } from './database.js';
import type { Progress } from './progress.js';

export const INTERRUPTED = 130;

/**
 * @param signal ends it after the batch at hand; what is done stays, another call does the rest
 * @returns the exit code
 */
export async function reembed(
  database: AgentDatabase,
  embeddings: Embeddings,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  const { id } = embeddings.current();
  const wanting = (await database.counts()).filter(({ model }) => model !== id);
  const total = wanting.reduce((sum, { records }) => sum + records, 0);
  let before = 0;
  let left = 0;
  for (const projectId of new Set(wanting.map((row) => row.projectId))) {
    if (signal.aborted) return interrupted();
    const reembedder = database.reembedder(projectId, embeddings, (done) => {
      progress.show(before + done, total, `${before + done} of ${total} records`);
    });
    const stop = () => void reembedder.stop();
    signal.addEventListener('abort', stop, { once: true });
    const { done, skipped, ended, reason } = await reembedder.run();
    signal.removeEventListener('abort', stop);
    before += done;
    left += skipped;
    if (ended === 'stopped') return interrupted();
    if (ended !== 'complete') {
      progress.end();
      console.error(`${id} does not answer: ${reason ?? embeddings.status().degraded ?? ended}`);
      return 1;
    }
  }
  progress.end();
  if (left > 0) console.error(`${left} records could not be embedded`);
  console.log(`${before} records embedded with ${id}`);
  return left === 0 ? 0 : 1;

  function interrupted(): number {
    progress.end();
    console.error(`interrupted after ${before} of ${total} records; the next call goes on`);
    return INTERRUPTED;
  }
}
