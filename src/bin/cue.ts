#!/usr/bin/env node
/** The `cue` command. The build makes one file of it and of `hook`, for which a model waits before each tool. */
import { answerHook } from '../surfaces/cli/hook/answer.js';
import type { ExitCode } from '../surfaces/cli/io.js';
import { endWith, realIo } from '../surfaces/cli/real-io.js';

async function runHook(): Promise<ExitCode> {
  // It must not fail its client, also where nobody can be told.
  const io = realIo((words) => {
    if (words !== '' && io.env.CUE_HOOK_DEBUG === '1') io.err(`cue hook: ${words}\n`);
  });
  await answerHook(io);
  return 0;
}

const argv = process.argv.slice(2);
const isHook = argv[0] === 'hook' && !argv.includes('--help') && !argv.includes('-h');
const ended = isHook ? runHook() : import('./commands.js').then(({ cue }) => cue(argv));
void ended.then(endWith);
