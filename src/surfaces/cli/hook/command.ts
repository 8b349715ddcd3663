/**
 * `cue hook`: Claude Code runs it at its own events, hands it a JSON document and shows the model what
 * it prints. Whatever goes wrong, nothing is printed and the exit code is 0: a hook that fails is shown
 * to the user, and one that ends with 2 blocks what the model was about to do.
 */
import type { Command } from 'commander';
import type { CommandContext } from '../command-line.js';
import { EXIT } from '../io.js';
import { answerHook, BUDGET_MS, budgetVariable, LONG_BUDGET_MS } from './answer.js';

export const commands = { hook: defineHook };

const EXPLAINED = `
It is not for people: "cue mcp install" writes it into the settings of Claude Code. It reads the JSON of
SessionStart, UserPromptSubmit, PreToolUse, PostToolUse or PostToolUseFailure on standard input, and
prints what is remembered about it, if anything is; else nothing. The exit code is always 0.

Environment:
  CUE_HOOK_DEBUG=1        say on standard error why nothing was printed
  CUE_HOOK_BUDGET_MS      longest wait, ms (else ${BUDGET_MS}; SessionStart and UserPromptSubmit ${LONG_BUDGET_MS})
  ${budgetVariable('SessionStart')}, …_PRE_TOOL_USE and so on: the same of one event
  ELIZA_SERVER_AUTH_TOKEN the key of the server, if it wants one
`;

function defineHook(command: Command, { io, end }: CommandContext): void {
  command
    // Of a later version, say: to refuse them would block the model.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', EXPLAINED)
    .action(async () => {
      await answerHook(io);
      end(EXIT.done);
    });
}
