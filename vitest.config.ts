import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** `.ci/run` names a file here and counts the tests from it. */
const resultsFile = process.env.CUE_TEST_RESULTS;

export default defineConfig({
  test: {
    include: ['__tests__/**/*.test.ts'],
    exclude: ['__tests__/crash/**', '__tests__/fixtures/**', 'node_modules/**'],
    pool: 'forks',
    maxWorkers: 2,
    // Files of one worker share their modules: importing the host anew for each of them took a fifth
    // of the whole run. Every file closes what it opens.
    isolate: false,
    hookTimeout: 120_000,
    testTimeout: 90_000,
    reporters: resultsFile ? ['default', ['json', { outputFile: resultsFile }]] : ['default'],
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text', 'html'] },
    env: {
      // The host logs two lines per message at info; errors still show.
      LOG_LEVEL: 'fatal',
      TZ: 'UTC',
      SENTRY_DSN: 'http://x@127.0.0.1:9/1',
      // A server under test must not announce itself to this machine's command lines.
      NUDGE_PID_DIR: join(tmpdir(), 'cue-test-pids'),
    },
  },
});
