import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The panel in a real browser, on an agent that `npm start` serves: `npm run test:panel`. */
export default defineConfig({
  test: {
    ...base.test,
    include: ['__tests__/panel/**/*.test.ts'],
    exclude: ['node_modules/**'],
    globalSetup: [],
    maxWorkers: 1,
  },
});
