/** The commands in full, for the real process: what the two programs load where they have no short way. */
import { setFlagsFromString } from 'node:v8';
import type { ExitCode } from '../surfaces/cli/io.js';
import { realIo } from '../surfaces/cli/real-io.js';

/**
 * V8 doubles its room for new objects up to 32 MB while the host is loaded. With what it has by then a start
 * takes no longer, and the process, which sits in the background for days, 24 MB less.
 */
const STAY_SMALL = '--semi-space-growth-factor=1';
/**
 * V8 optimizes a function once it has run through 132 KB of code. Most that do so during a start are not used
 * again: it takes a seventh less without them. What goes on being used is still optimized, some milliseconds later.
 */
const OPTIMIZE_LATER = '--interrupt-budget=500000';

setFlagsFromString(OPTIMIZE_LATER);

const headless = {
  async startAgent() {
    setFlagsFromString(STAY_SMALL);
    return (await import('../server/headless/index.js')).startHeadless;
  },
  checkSettings: async (env: NodeJS.ProcessEnv) =>
    (await import('../server/headless/index.js')).checkSettings(env),
};

export async function cue(argv: readonly string[]): Promise<ExitCode> {
  const { run } = await import('../surfaces/cli/program.js');
  return run(argv, realIo(), headless);
}

export async function nudge(argv: readonly string[]): Promise<ExitCode> {
  const { run } = await import('../surfaces/cli/nudge/program.js');
  return run(argv, realIo(), headless);
}
