import { defineConfig } from 'vitest/config';
import crash from './vitest.crash.config.js';

/** The crash suite with twice as many deaths, for as long as it takes: `npm run test:storm`. */
export default defineConfig({
  test: { ...crash.test, env: { ...crash.test?.env, CUE_STORM: 'true' } },
});
