/** `cue hook` as Claude Code calls it: a process for each event, from its start to its end. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writePidFile, writerMark } from '../../src/server/pid-file.js';
import { benchDirectory } from '../agent.js';
import { builtBin, nodeIn } from '../built.js';
import { series } from '../clockwork.js';
import { answerParent } from '../in-child.js';

export interface HooksRequest {
  port: number;
  /** Of each kind as many: files with a history, named from the root, and what a user wants. */
  files: readonly string[];
  prompts: readonly string[];
  /** Not counted. */
  warmUp: number;
}

/** Milliseconds. */
export interface HooksReport {
  file: number[];
  prompt: number[];
  /** Where nothing serves. */
  nobody: number[];
  /** Node with nothing to do. */
  alone: number[];
}

const run = promisify(execFile);
const BIN = builtBin('cue');
/** More than it has, so that what it takes is measured, and not where it gives up. */
const BUDGET_MS = '10000';

answerParent(async ({ port, files, prompts, warmUp }: HooksRequest): Promise<HooksReport> => {
  const directory = benchDirectory();
  const served = join(directory, 'served');
  writePidFile(join(served, 'server.pid'), {
    ...{ ...writerMark(), port, started: new Date().toISOString() },
  });
  const times = { times: files.length - warmUp, warmUp, forMs: 120_000 };
  const hook = hookIn(directory);
  const reading = (index: number) => ({
    ...{ hook_event_name: 'PreToolUse', tool_name: 'Read' },
    tool_input: { file_path: join(directory, files[index] ?? '') },
  });
  const asking = (index: number) => ({
    ...{ hook_event_name: 'UserPromptSubmit', prompt: prompts[index] },
  });
  try {
    const node = nodeIn(directory);
    const alone = await series(() => node('--eval', '0'), times);
    const file = await series((at) => hook(`file ${at}`, reading(at), served), times);
    const prompt = await series((at) => hook(`prompt ${at}`, asking(at), served), times);
    const nowhere = join(directory, 'nowhere');
    const nobody = await series((at) => hook('nobody', reading(at), nowhere, false), times);
    return { file, prompt, nobody, alone };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/** @throws Error when it is silent and should not be, or the other way round: that would be quicker */
function hookIn(directory: string) {
  const own = { HOME: directory, USERPROFILE: directory, CLAUDE_PROJECT_DIR: directory };
  const none = { PGLITE_DATA_DIR: undefined, POSTGRES_URL: undefined };
  return async (session_id: string, event: object, pids: string, isServed = true) => {
    const env = { ...process.env, ...own, ...none, NUDGE_PID_DIR: pids };
    const called = run(process.execPath, [BIN, 'hook'], {
      cwd: directory,
      env: { ...env, CUE_HOOK_BUDGET_MS: BUDGET_MS, CUE_HOOK_DEBUG: '1' },
    });
    called.child.stdin?.end(JSON.stringify({ session_id, cwd: directory, ...event }));
    const { stdout, stderr } = await called;
    if ((stdout !== '') !== isServed) throw new Error(`cue hook: ${stdout}${stderr}`);
  };
}
