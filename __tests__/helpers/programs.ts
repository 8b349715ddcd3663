/**
 * The programs that tests start in processes of their own, built once a run: with a loader of
 * TypeScript in front of it, most of what a process does before it is ready is to load.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAMS = [
  'src/bin/cue',
  'src/bin/nudge',
  'scripts/embeddings',
  '__tests__/embeddings/helpers/download-child',
  '__tests__/helpers/crash-child',
  '__tests__/helpers/headless-child',
  '__tests__/helpers/lock-child',
  '__tests__/helpers/namespace-child',
  '__tests__/helpers/when-child',
] as const;

/** A source that looks for a file beside itself finds it from where it has been put, too. */
const ownUrls: Plugin = {
  name: 'own urls',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: source.replaceAll('import.meta.url', url), loader: 'ts' };
    });
  },
};

/** Global setup: builds them into a folder from which the packages they import are found. */
export async function setup(): Promise<() => void> {
  const { build } = await import('esbuild');
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'cue-test-programs-'));
  await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS.map((name) => `${name}.ts`),
    outdir: folder,
    outbase: ROOT,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    keepNames: true,
    // A process that lives for seconds is gone before better code for PGlite has paid for itself.
    banner: { js: "process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only');" },
    plugins: [ownUrls],
  });
  process.env.CUE_TEST_PROGRAMS = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The file that Node runs. */
export function programOf(name: (typeof PROGRAMS)[number]): string {
  return join(process.env.CUE_TEST_PROGRAMS ?? '', `${name}.js`);
}
