import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/**
 * What touches the database, on a real PostgreSQL server: `npm run test:postgres`. An agent that a test
 * boots gets a database there in place of an embedded one (`helpers/boot.ts`).
 */
export default defineConfig({
  test: {
    ...base.test,
    include: [
      '__tests__/postgres/**/*.test.ts',
      '__tests__/records/store.server.test.ts',
      '__tests__/memory/older.test.ts',
      '__tests__/triggers/{acceptance,budget,host,policies,report,retime,service}.test.ts',
      '__tests__/triggers/two-processes.test.ts',
      '__tests__/crash/two-processes.test.ts',
    ],
    exclude: ['node_modules/**'],
    // One of them crashes the server.
    maxWorkers: 1,
    globalSetup: [
      '__tests__/helpers/programs.ts',
      '__tests__/helpers/template-folder.ts',
      '__tests__/helpers/postgres-server.ts',
    ],
    hookTimeout: 300_000,
    testTimeout: 600_000,
  },
});
