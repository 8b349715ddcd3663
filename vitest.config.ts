import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** `.ci/run` names a file here and counts the tests from it. */
const resultsFile = process.env.CUE_TEST_RESULTS;

/**
 * They wait more than they work, or work in processes of their own: begun last, one of them would run
 * on alone. Vitest knows durations only where it has run before, and none of a `beforeAll`.
 */
const LONGEST = [
  'e2e/demo',
  'triggers/crash',
  'triggers/two-processes',
  'headless/hand-over',
  'triggers/lock',
  'embeddings/command',
  'surfaces/cli/nudge/serve',
  'memory/crash',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`__tests__/${name}.test.ts`));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    include: ['__tests__/**/*.test.ts'],
    exclude: ['__tests__/{crash,fixtures,panel,postgres}/**', 'node_modules/**'],
    pool: 'forks',
    maxWorkers: 2,
    // Files of one worker share their modules: importing the host anew for each of them took a fifth
    // of the whole run. Every file closes what it opens.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['__tests__/helpers/programs.ts', '__tests__/helpers/template-folder.ts'],
    // A busy machine may take many times as long; these only end what hangs.
    hookTimeout: 240_000,
    testTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['__tests__/helpers/each-file.ts'],
    reporters: resultsFile ? ['default', ['json', { outputFile: resultsFile }]] : ['default'],
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text', 'html'] },
    env: {
      // The host logs two lines per message at info; errors still show.
      LOG_LEVEL: 'fatal',
      TZ: 'UTC',
      SENTRY_DSN: 'http://x@127.0.0.1:9/1',
      // A server under test must not announce itself to this machine's command lines.
      NUDGE_PID_DIR: join(tmpdir(), 'cue-test-pids'),
      // Nor may one leave anything in the developer's cache.
      XDG_CACHE_HOME: join(tmpdir(), 'cue-test-cache'),
    },
  },
});
