#!/usr/bin/env node
/** The `cue` command. The build makes one file of it and of `hook`, for which a model waits before each tool. */
import type { ExitCode } from '../surfaces/cli/io.js';
import { endWith, realIo, realPlace } from '../surfaces/cli/real-io.js';

async function runHook(): Promise<ExitCode> {
  // It must not fail its client, also where nobody can be told.
  const io = realIo((words) => {
    if (words !== '' && io.env.CUE_HOOK_DEBUG === '1') io.err(`cue hook: ${words}\n`);
  });
  const { answerHook } = await import('../surfaces/cli/hook/answer.js');
  await answerHook(io);
  return 0;
}

async function runWhen(args: readonly string[]): Promise<ExitCode> {
  // Whatever is wrong the whole command finds, too, and tells it.
  const answer = await quickAnswer(args).catch(() => null);
  return answer === null ? runAny() : answer(realIo());
}

async function quickAnswer(args: readonly string[]) {
  const { quickRecall } = await import('./when.js');
  return quickRecall(args, realPlace());
}

async function runAny(): Promise<ExitCode> {
  const { cue } = await import('./commands.js');
  return cue(argv);
}

const argv = process.argv.slice(2);
const isHook = argv[0] === 'hook' && !argv.includes('--help') && !argv.includes('-h');
const ended = isHook ? runHook() : argv[0] === 'when' ? runWhen(argv.slice(1)) : runAny();
void ended.then(endWith);
