/**
 * `cue hook`: Claude Code runs it at its own events, hands it a JSON document and shows the model what
 * it prints. Whatever goes wrong, nothing is printed and the exit code is 0: a hook that fails is shown
 * to the user, and one that ends with 2 blocks what the model was about to do.
 */
import type { Command } from 'commander';
import { messageOf } from '../../../shared/errors.js';
import {
  addressOf,
  branchOf,
  gitFolderAround,
  originOf,
  type Said,
} from '../../../shared/git-folder.js';
import { within } from '../../../shared/within.js';
import { findServer, withPidFile } from '../../serving/discovery.js';
import { askRest } from '../../serving/rest-client.js';
import type { CommandContext } from '../command-line.js';
import { EXIT } from '../exit-codes.js';
import { escapedJson, type Io } from '../io.js';
import type { CommandGroup } from '../program.js';
import { type HookCall, pathFrom, readHookCall } from './claude-event.js';
import { contextIn } from './context.js';

/** From the start of the command to its end: the model waits for it before each tool. */
const BUDGET_MS = 100;
const MAX_BUDGET_MS = 60_000;

const EXPLAINED = `
It is not for people: "cue mcp install" writes it into the settings of Claude Code. It reads the JSON of
SessionStart, UserPromptSubmit, PreToolUse, PostToolUse or PostToolUseFailure on standard input, and
prints what is remembered about it, if anything is; else nothing. The exit code is always 0.

Environment:
  CUE_HOOK_DEBUG=1        say on standard error why nothing was printed
  CUE_HOOK_BUDGET_MS      longest wait for the server (else ${BUDGET_MS})
  ELIZA_SERVER_AUTH_TOKEN the key of the server, if it wants one
`;

export const hookGroup: CommandGroup = {
  define(command: Command, { io, end }: CommandContext): void {
    command
      // Of a later version, say: to refuse them would block the model.
      .allowUnknownOption()
      .allowExcessArguments()
      .addHelpText('after', EXPLAINED)
      .action(async () => {
        await answerHook(io);
        end(EXIT.done);
      });
  },
};

/** Never rejects. */
async function answerHook(io: Io): Promise<void> {
  const budgetMs = budgetOf(io.env);
  const answered = await within(
    answerOf(io, budgetMs).catch((error: unknown): Answer => ({ why: messageOf(error) })),
    budgetMs,
  );
  const { why, json }: Answer = answered ?? { why: `not done within ${budgetMs} ms` };
  // Where standard input does not end, it would hold the process.
  if (answered === null) io.leaveStdin?.();
  if (json !== undefined) io.out(`${escapedJson(json)}\n`);
  else if (io.env.CUE_HOOK_DEBUG === '1') io.err(`cue hook: ${why}\n`);
}

/** What is printed, or why nothing is. */
interface Answer {
  json?: string;
  why?: string;
}

async function answerOf(io: Io, budgetMs: number): Promise<Answer> {
  const startMs = io.clock.now();
  const call = readHookCall(JSON.parse(await io.stdin()));
  if (typeof call === 'string') return { why: call };
  const body = eventOf(call, io.env);
  const leftMs = Math.max(1, budgetMs - Math.max(0, io.clock.now() - startMs));
  const reaction = await askRest(findServer({ env: io.env }), {
    method: 'POST',
    path: '/events',
    body,
    timeoutMs: leftMs,
  }).catch((error: unknown) => {
    throw withPidFile(error, io.env);
  });
  const additionalContext = contextIn(reaction);
  if (additionalContext === null) return { why: `nothing to be said about ${body.type}` };
  return {
    json: JSON.stringify({ hookSpecificOutput: { hookEventName: call.event, additionalContext } }),
  };
}

/** With the place, as far as it is known without asking git: that would take too long. */
function eventOf({ happening, sessionId, cwd }: HookCall, env: Io['env']) {
  const folder = cwd === undefined ? null : gitFolderAround(cwd);
  const root = folder?.root ?? env.CLAUDE_PROJECT_DIR ?? cwd;
  const filePath = happening.filePath;
  const isPath = typeof filePath === 'string' && root !== undefined;
  return {
    ...happening,
    ...(isPath ? { filePath: pathFrom(root, filePath) } : {}),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(cwd === undefined ? {} : { cwd, ...gitFacts(cwd, folder) }),
  };
}

function gitFacts(cwd: string, folder: ReturnType<typeof gitFolderAround>) {
  if (folder === null) return { repo: addressOf(null, cwd) };
  const origin = originOf(folder);
  const branch = textOf(branchOf(folder), 'HEAD');
  return {
    ...(origin === 'unclear' ? {} : { repo: addressOf(origin.text, folder.root) }),
    ...(branch === null ? {} : { branch }),
  };
}

function textOf(said: Said, none: string): string | null {
  return said === 'unclear' ? null : (said.text ?? none);
}

function budgetOf({ CUE_HOOK_BUDGET_MS: asked }: Io['env']): number {
  const ms = Number(asked);
  return asked && ms > 0 ? Math.min(ms, MAX_BUDGET_MS) : BUDGET_MS;
}
