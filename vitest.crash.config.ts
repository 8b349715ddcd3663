import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The many kills: `npm run test:crash`, which CI runs after `npm test`. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['__tests__/crash/**/*.test.ts'],
    exclude: ['node_modules/**'],
    hookTimeout: 300_000,
    testTimeout: 900_000,
  },
});
