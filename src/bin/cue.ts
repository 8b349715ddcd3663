#!/usr/bin/env node
/** The `cue` command: the real process around `run`. */
import { realIo } from '../surfaces/cli/print.js';
import { run } from '../surfaces/cli/program.js';

process.exitCode = await run(process.argv.slice(2), realIo(), {
  startAgent: async () => (await import('../headless/index.js')).startHeadless,
  checkSettings: async (env) => (await import('../headless/index.js')).checkSettings(env),
});
