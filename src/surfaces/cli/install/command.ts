/** `cue mcp install`: what it is called with; the work is loaded when it is asked for. */
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-line.js';
import { CLIENTS, type Program, SCOPES } from './clients.js';
import type { InstallFlags } from './plan.js';

const PACKAGE = 'plugin-cue';

const EXPLAINED = `
Without --client: every client that is found here. Claude Code gets the server and hooks that call
"cue hook" (from version 2.1.139 on), the others the server. Claude Desktop has no configuration of a
project, only one of the user.

Files that are changed (one that is changed is kept beside, as <file>.cue-backup-<n>):
  claude-code     project: .mcp.json, .claude/settings.json     user: ~/.claude.json, ~/.claude/settings.json
  cursor          project: .cursor/mcp.json                     user: ~/.cursor/mcp.json
  claude-desktop  user: claude_desktop_config.json

--remove gives a file back as it was; where it has been changed since, it takes out what was installed, and
deletes it where nothing else is in it.

Exit codes:
  0 done, or nothing to change   2 bad input, or a file that is no JSON or write-protected
  1 failure: another server has our name, or a file could not be written (which ones were, is said)
  3 no client found
`;

/** The program that runs: this file is `dist/surfaces/cli/install/command.js`. */
export function thisProgram(): Program {
  const bin = fileURLToPath(new URL('../../../bin/cue.js', import.meta.url));
  return { node: process.execPath, bin, name: PACKAGE };
}

export function defineInstall(
  command: Command,
  { io, end }: CommandContext,
  program: Program = thisProgram(),
): void {
  command
    .description('write the configuration of a client, and for Claude Code its hooks')
    .addOption(new Option('--client <name>', 'the one client').choices(CLIENTS))
    .addOption(
      new Option('--scope <name>', 'for this project, or for all of the user')
        .choices(SCOPES)
        .default('project'),
    )
    .option('--no-hooks', 'only the server')
    .option('--own-memory', 'give this project a memory of its own, in .eliza/.elizadb')
    .option('--remove', 'take out what was installed')
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXPLAINED)
    .action(async (flags: InstallFlags) => {
      const { install } = await import('./install.js');
      end(await install(io, flags, program));
    });
}
