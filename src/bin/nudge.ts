#!/usr/bin/env node
/** The `nudge` command: the real process around `run`. */
import { run } from '../surfaces/cli/nudge/program.js';
import { realIo } from '../surfaces/cli/print.js';

process.exitCode = await run(process.argv.slice(2), realIo(), {
  startAgent: async () => (await import('../headless/index.js')).startHeadless,
  checkSettings: async (env) => (await import('../headless/index.js')).checkSettings(env),
});
