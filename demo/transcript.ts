/** What the demo prints: who said what and when, and which promise was kept. */

/** All waits are so many times as long: a machine that runs a test suite beside it is slow. */
export const PATIENCE = Math.max(1, Number(process.env.CUE_DEMO_PATIENCE) || 1);

export class StepError extends Error {}

export interface Transcript {
  heading(text: string): void;
  said(who: string, text: string): void;
  note(text: string): void;
  kept(text: string): void;
  broken(text: string): void;
  elapsedMs(): number;
}

export function createTranscript(print: (line: string) => void): Transcript {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const line = (mark: string, text: string) => {
    const at = `${(elapsedMs() / 1000).toFixed(1)} s`.padStart(7);
    const [first = '', ...more] = text.split('\n');
    print(`${at}  ${mark} ${first}`);
    for (const next of more) print(`${' '.repeat(10 + mark.length)}${next}`);
  };
  return {
    heading: (text) => print(`\n── ${text}`),
    said: (who, text) => line(`${who.padEnd(6)}│`, text),
    note: (text) => line(' ', text),
    kept: (text) => line('✓', text),
    broken: (text) => line('✗', text),
    elapsedMs,
  };
}

/** Asks again and again until there is an answer; a StepError names what did not happen in time. */
export async function until<T>(
  what: string,
  deadlineMs: number,
  look: () => Promise<T | undefined | false | null>,
): Promise<T> {
  const endsAt = performance.now() + PATIENCE * deadlineMs;
  let trouble = '';
  while (performance.now() < endsAt) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      if (error instanceof StepError) throw error;
      trouble = error instanceof Error ? ` (last: ${error.message})` : '';
    }
    await sleep(250);
  }
  throw new StepError(
    `${what}: did not happen within ${(PATIENCE * deadlineMs) / 1000} s${trouble}`,
  );
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function expect(claim: unknown, otherwise: string): asserts claim {
  if (!claim) throw new StepError(otherwise);
}
