/**
 * The clients that are known, and where each has its configuration:
 * Claude Code: https://code.claude.com/docs/en/mcp ("MCP installation scopes": `.mcp.json` of the
 * project, `~/.claude.json` of the user) and /hooks ("Hook locations"); `CLAUDE_CONFIG_DIR` moves both.
 * Cursor: https://cursor.com/docs/mcp ("Configuration locations"; `${workspaceFolder}` is the folder in
 * which `.cursor/mcp.json` lies: "Config interpolation").
 * Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers; on Linux where
 * its other files are.
 */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import type { Io } from '../io.js';

export const CLIENTS = ['claude-code', 'cursor', 'claude-desktop'] as const;
export type ClientName = (typeof CLIENTS)[number];
export const SCOPES = ['project', 'user'] as const;
export type InstallScope = (typeof SCOPES)[number];

export interface Machine {
  platform: NodeJS.Platform;
  env: Io['env'];
  /** Root of the project, absolute. */
  project: string;
  /** Where the user is: the project, or below. */
  cwd: string;
}

export interface ClientPlaces {
  /** With `mcpServers`. */
  servers: string;
  /** With `hooks`; absent: the client has none that we know. */
  hooks?: string;
}

/** `null`: the client has no configuration for a project. */
export function placesOf(
  client: ClientName,
  scope: InstallScope,
  machine: Machine,
): ClientPlaces | null {
  const { join } = pathOf(machine);
  const { project, env } = machine;
  const home = homeOf(machine);
  switch (client) {
    case 'claude-code': {
      if (scope === 'project') {
        return {
          servers: join(project, '.mcp.json'),
          hooks: join(project, '.claude', 'settings.json'),
        };
      }
      const moved = env.CLAUDE_CONFIG_DIR;
      return {
        servers: join(moved || home, '.claude.json'),
        hooks: join(moved || join(home, '.claude'), 'settings.json'),
      };
    }
    case 'cursor':
      return { servers: join(scope === 'project' ? project : home, '.cursor', 'mcp.json') };
    case 'claude-desktop':
      return scope === 'project'
        ? null
        : { servers: join(desktopFolder(machine), 'claude_desktop_config.json') };
  }
}

/** Folders of which one is there where the client is used. */
export function signsOf(client: ClientName, machine: Machine): string[] {
  const { join } = pathOf(machine);
  const { project, env } = machine;
  const home = homeOf(machine);
  switch (client) {
    case 'claude-code':
      return [env.CLAUDE_CONFIG_DIR || join(home, '.claude'), join(project, '.claude')];
    case 'cursor':
      return [join(home, '.cursor'), join(project, '.cursor')];
    case 'claude-desktop':
      return [desktopFolder(machine)];
  }
}

export function isUsed(client: ClientName, machine: Machine): boolean {
  return signsOf(client, machine).some(isFolder);
}

export function homeOf({ env, platform }: Machine): string {
  return (platform === 'win32' ? env.USERPROFILE : env.HOME) || homedir();
}

function desktopFolder(machine: Machine): string {
  const { join } = pathOf(machine);
  const { env, platform } = machine;
  const home = homeOf(machine);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Claude');
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Claude');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'Claude');
}

function pathOf({ platform }: Machine) {
  return platform === 'win32' ? win32 : posix;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
