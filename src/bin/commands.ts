/** The commands in full, for the real process: what the two programs load where they have no short way. */
import type { ExitCode } from '../surfaces/cli/io.js';
import { realIo } from '../surfaces/cli/real-io.js';

const headless = {
  startAgent: async () => (await import('../server/headless/index.js')).startHeadless,
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
