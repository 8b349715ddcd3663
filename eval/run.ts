/** `npm run eval -- <name> [...]`: hands over to `eval/<name>/run.ts`. */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What each `eval/<name>/run.ts` exports. */
export interface Evaluation {
  /** @param args what stands after the name; resolves to the exit code */
  run(args: string[]): Promise<number>;
}

const HERE = new URL('./', import.meta.url);

function names(): string[] {
  return readdirSync(HERE, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/run.ts`, HERE)))
    .map((entry) => entry.name)
    .sort();
}

function isEvaluation(value: unknown): value is Evaluation {
  return (
    typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function'
  );
}

async function main([name, ...args]: string[]): Promise<number> {
  // Before the host is loaded, which reads them once: it logs much, and reports errors to its makers.
  process.env.LOG_LEVEL ||= 'fatal';
  process.env.SENTRY_DSN ||= 'http://x@127.0.0.1:9/1';
  if (name === undefined || !names().includes(name)) {
    console.error(`usage: npm run eval -- <${names().join('|')}> [options]`);
    return 2;
  }
  const loaded: unknown = await import(fileURLToPath(new URL(`${name}/run.ts`, HERE)));
  if (!isEvaluation(loaded)) throw new Error(`eval/${name}/run.ts exports no run()`);
  return loaded.run(args);
}

process.exitCode = await main(process.argv.slice(2));
