#!/usr/bin/env node
/** The `cue` command: the real process around `run`. */
import type { ExitCode } from '../surfaces/cli/io.js';
import { endWith, realIo } from '../surfaces/cli/real-io.js';

/** A model waits for it before each tool: it goes without the reader of command lines. */
async function runHook(): Promise<0> {
  const { answerHook } = await import('../surfaces/cli/hook/answer.js');
  // It must not fail its client, also where nobody can be told.
  const io = realIo((words) => {
    if (words !== '' && io.env.CUE_HOOK_DEBUG === '1') io.err(`cue hook: ${words}\n`);
  });
  await answerHook(io);
  return 0;
}

async function runCommand(argv: string[]): Promise<ExitCode> {
  const { run } = await import('../surfaces/cli/program.js');
  return run(argv, realIo(), {
    startAgent: async () => (await import('../server/headless/index.js')).startHeadless,
    checkSettings: async (env) => (await import('../server/headless/index.js')).checkSettings(env),
  });
}

const argv = process.argv.slice(2);
const isHook = argv[0] === 'hook' && !argv.includes('--help') && !argv.includes('-h');
endWith(await (isHook ? runHook() : runCommand(argv)));
