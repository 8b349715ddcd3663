/** `cue mcp`: the MCP server that clients start (DESIGN §11), and `cue mcp install`. */
import type { Command } from 'commander';
import { serveStdio } from '../../server/serve-stdio.js';
import { choicesIn, clientSessionOf, TOOL_CHOICES } from '../mcp-client.js';
import { agentStarterOf, type CommandContext } from './command-line.js';
import { portOf } from './flags.js';
import { defineInstall } from './install/command.js';
import { badInput, EXIT } from './io.js';

export const commands = { mcp: defineMcp };

interface McpFlags {
  port?: number;
  tools?: string;
}

const EXPLAINED = `
Without a subcommand it speaks MCP on standard input and output, for the one client that has started it.
Whoever serves the database below is joined (PROXY): an Eliza server with the plugin, or another "cue mcp" or
"nudge serve". Where nobody does, this process serves it (PRIMARY). Servers of other databases are left alone.

Groups of tools: ${TOOL_CHOICES.join(', ')}

Database: POSTGRES_URL, else PGLITE_DATA_DIR, else .eliza/.elizadb in this folder or above, else what
          the running Eliza server has, else ~/.cue/db
Agent:    CUE_AGENT, a name or an id, where the database has several

Environment:
  CUE_MCP_TOOLS             as --tools
  CLAUDE_CODE_SESSION_ID    the client's own session, else CUE_SESSION_ID: it may answer what "cue hook" shows there
  NUDGE_PID_DIR             folder of the files in which servers say where they listen
  ELIZA_SERVER_AUTH_TOKEN   the key of the server, if it wants one
`;

function defineMcp(command: Command, context: CommandContext): void {
  command
    .option(
      '-p, --port <port>',
      'port of the server, where none is named yet (8765; of a project 8766)',
      portOf,
    )
    .option('-t, --tools <groups>', 'what is shown of the tools, comma-separated')
    .addHelpText('after', EXPLAINED)
    .action(async (flags: McpFlags) => {
      await serve(flags, context);
      context.end(EXIT.done);
    });
  defineInstall(command.command('install'), context);
}

/** @throws AppError INVALID_INPUT, else as `serveStdio` */
async function serve({ port, tools }: McpFlags, context: CommandContext): Promise<void> {
  const { io, checkSettings } = context;
  const { CLAUDE_CODE_SESSION_ID: claude, CUE_SESSION_ID: own } = io.env;
  const asked = tools ?? io.env.CUE_MCP_TOOLS;
  const chosen = asked ? checked(asked) : undefined;
  const startAgent = agentStarterOf(context);
  await serveStdio({
    ...{ name: 'cue mcp', io, env: io.env, port, startAgent, checkSettings },
    tools: chosen,
    // The first is given by Claude Code since 2.1.154: the `session_id` of its hooks, unless the session was
    // resumed (anthropics/claude-code#64412); then it answers no more than without.
    clientSession: clientSessionOf(claude) ?? clientSessionOf(own),
  });
}

/** @throws AppError INVALID_INPUT */
function checked(groups: string): string {
  const { words, wrong } = choicesIn(groups);
  if (wrong === undefined) return words.join(',');
  throw badInput(`--tools chooses from ${TOOL_CHOICES.join(', ')}, not "${wrong}"`, {
    flag: '--tools',
  });
}
