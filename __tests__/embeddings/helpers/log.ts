/** A log that keeps what was said. */
import type { Log } from '../../../src/shared/log.js';

export function keepingLog(): Log & { said: string[] } {
  const said: string[] = [];
  const line = (level: string) => (_fields: Record<string, unknown>, message: string) => {
    said.push(`${level}: ${message}`);
  };
  return {
    said,
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
  };
}

/** Waits until `done` holds; a test that waits in vain fails by its own expectation. */
export async function until(done: () => boolean, patienceMs = 60_000): Promise<void> {
  for (let waited = 0; !done() && waited < patienceMs; waited += 5) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
