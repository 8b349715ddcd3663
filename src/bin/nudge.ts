#!/usr/bin/env node
/** The `nudge` command: the real process around `run`. */
import { run } from '../surfaces/cli/nudge/program.js';
import { endWith, realIo } from '../surfaces/cli/real-io.js';

const code = await run(process.argv.slice(2), realIo(), {
  startAgent: async () => (await import('../server/headless/index.js')).startHeadless,
  checkSettings: async (env) => (await import('../server/headless/index.js')).checkSettings(env),
});
endWith(code);
