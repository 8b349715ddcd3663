/**
 * The clients that are known, and where each has its configuration:
 * Claude Code: https://code.claude.com/docs/en/mcp ("MCP installation scopes": `.mcp.json` of the
 * project, `~/.claude.json` of the user) and /hooks ("Hook locations"); `CLAUDE_CONFIG_DIR` moves both.
 * Cursor: https://cursor.com/docs/mcp ("Configuration locations"; `${workspaceFolder}` is the folder in
 * which `.cursor/mcp.json` lies: "Config interpolation").
 * Claude Desktop: https://modelcontextprotocol.io/docs/develop/connect-local-servers; on Linux where
 * its other files are.
 */
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, posix, relative, win32 } from 'node:path';
import { realPath } from '../../../shared/folders.js';
import type { Io } from '../io.js';

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

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
  return signsOf(client, machine).some(
    (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  );
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

/** What runs here. */
export interface Program {
  /** Absolute: Node, and the file of `cue`. */
  node: string;
  bin: string;
  /** Name of our package. */
  name: string;
}

export interface Invocation {
  command: string;
  args: string[];
}

export interface Invocations {
  server: Invocation;
  /** Run before each tool. */
  hook: Invocation;
  /** What people should know of it. */
  note?: string;
}

/** The root of the project, as the clients put it in. */
const WORKSPACE = `\${workspaceFolder}`;
const PROJECT = `\${CLAUDE_PROJECT_DIR}`;
/** Below a package's folder. */
const BIN = ['dist', 'bin', 'cue.js'];

export function invocationsOf(
  client: ClientName,
  scope: InstallScope,
  machine: Machine,
  program: Program,
): Invocations {
  const shared = scope === 'project' ? sharedBin(machine, program) : null;
  if (shared === null) return absolute(scope, program);
  return {
    // Cursor does not say in which folder it starts a server; the others start it in the project. Never by way
    // of npx, which adds more than a second to each start.
    server: {
      command: 'node',
      args: [client === 'cursor' ? `${WORKSPACE}/${shared}` : shared, 'mcp'],
    },
    // Set where hooks run, also below the root ("Reference scripts by path").
    hook: { command: 'node', args: [`${PROJECT}/${shared}`, 'hook'] },
  };
}

function absolute(scope: InstallScope, program: Program): Invocations {
  const { node, name } = program;
  const bin = lastingBin(program);
  const [, keeper] = /[\\/](?:_(npx)|\.(pnpm))[\\/]/.exec(bin)?.filter(Boolean) ?? [];
  const note =
    keeper !== undefined
      ? `${bin} is a copy of ${keeper}, which may vanish: install ${name}, then install this again`
      : scope === 'project'
        ? `${name} is not installed in this project: the paths hold for this machine only, so do not check them in`
        : undefined;
  return {
    server: { command: node, args: [bin, 'mcp'] },
    hook: { command: node, args: [bin, 'hook'] },
    ...(note === undefined ? {} : { note }),
  };
}

/** From the root of the project, where everybody who works on it has it; `null`: it is not there. */
function sharedBin({ project, cwd }: Machine, program: Program): string | null {
  const folders = [project];
  // A package of a workspace may have it alone.
  for (let at = cwd; isInside(project, at); at = dirname(at)) folders.push(at);
  const installed = folders.map((folder) => join(folder, 'node_modules', program.name, ...BIN));
  const bin = installed.find((path) => existsSync(path)) ?? lastingBin(program);
  return isInside(project, bin) && !STORE.test(bin)
    ? relative(project, bin).replaceAll('\\', '/')
    : null;
}

/** Where pnpm keeps a version, which is gone with the next one; before it the folder that it is linked from. */
const STORE = /^(.*)[\\/]node_modules[\\/]\.pnpm[\\/]/;

/** The file of `cue` by the name that outlives an update, as far as there is one. */
function lastingBin({ bin, name }: Program): string {
  const [, root] = STORE.exec(bin) ?? [];
  if (root === undefined) return bin;
  const linked = join(root, 'node_modules', name, ...BIN);
  return realPath(linked) === realPath(bin) ? linked : bin;
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '' && !/^\.\.(?:[\\/]|$)/.test(inside) && !isAbsolute(inside);
}

/** As the client has it in `mcpServers`. */
export function serverEntry(
  client: ClientName,
  { command, args }: Invocation,
): { [key: string]: Json } {
  return client === 'claude-desktop' ? { command, args } : { type: 'stdio', command, args };
}

export type Called = 'mcp' | 'hook';

/** Whose first argument is the script. */
const NODE = /(?:^|[\\/])(?:node|nodejs|bun)(?:\.exe)?$/i;
const NPX = /(?:^|[\\/])npx(?:\.cmd|\.exe)?$/i;
const CMD = /(?:^|[\\/])cmd(?:\.exe)?$/i;
const SCRIPT = /(?:^|[\\/])cue\.[cm]?[jt]s$/;
const PACKAGE = /^(?:(?:elizaos-)?plugin-)?cue(?:@\S+)?$/;
const COMMAND = /(?:^|[\\/])(?:(?:elizaos-)?plugin-)?cue(?:\.(?:cmd|exe|[cm]?js))?$/;
/** A line with one of these is more than one call. */
const SHELL = /[;&|<>`\r\n]|\$\(/;

/**
 * `…/bin/cue.js mcp`, `npx … cue mcp --tools all`, `plugin-cue@1 mcp`: the program by its own name,
 * and behind it what it is to do.
 */
const RUNS_US =
  /(?:^|[\s"'\\/])(?:(?:elizaos-)?plugin-)?cue(?:@[\w.^~-]+|\.(?:[cm]?[jt]s|cmd|exe))?["']?\s+(mcp|hook)(?=$|[\s"';&|])/;

/** Whether an entry runs us itself, of this or another place or version: one that we may write anew. */
export function isOurs(value: unknown, what: Called): boolean {
  return behindUs(wordsOf(value))?.[0] === what;
}

/** Whether it runs us by way of a program that we do not know (`ssh`, `docker`, a shell): it is the user's. */
export function isWrapped(value: unknown, what: Called): boolean {
  const { command, args } = fieldsOf(value);
  const line = [...textsIn([command]), ...textsIn(args)].join(' ');
  return RUNS_US.exec(line)?.[1] === what && !isOurs(value, what);
}

/** Whether a client reaches us over HTTP, as the documentation says how. */
export function isOurAddress(value: unknown): boolean {
  const { url } = fieldsOf(value);
  return typeof url === 'string' && /\/cue\/mcp\/?(?:\?|$)/.test(url);
}

/** What people have put behind `mcp` (`--tools all`) in an entry of ours. */
export function addedTo(value: unknown): string[] {
  return behindUs(wordsOf(value))?.slice(1) ?? [];
}

/** `null`: the words do not call us. */
function behindUs([first = '', ...rest]: readonly string[]): string[] | null {
  if (CMD.test(first)) return /^\/c$/i.test(rest[0] ?? '') ? behindUs(rest.slice(1)) : null;
  if (NPX.test(first)) return behindPackage(rest);
  if (NODE.test(first)) return SCRIPT.test(rest[0] ?? '') ? rest.slice(1) : null;
  return COMMAND.test(first) ? rest : null;
}

/** Behind the flags of npx, of which one has a value of its own. */
function behindPackage([first = '', ...rest]: readonly string[]): string[] | null {
  if (first === '-p' || first === '--package') {
    return PACKAGE.test(rest[0] ?? '') ? behindPackage(rest.slice(1)) : null;
  }
  if (first.startsWith('-')) return behindPackage(rest);
  return PACKAGE.test(first) ? rest : null;
}

/** Empty where it runs nothing, or more than can be told. */
function wordsOf(value: unknown): string[] {
  const { command, args } = fieldsOf(value);
  if (typeof command !== 'string') return [];
  const words = textsIn(args);
  if (words.length > 0) return [command, ...words];
  // Without arguments it is a line for a shell.
  if (SHELL.test(command)) return [];
  const parts: string[] = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return parts.map((part) => part.replace(/["']/g, ''));
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : [];
}

function fieldsOf(value: unknown): { command?: unknown; args?: unknown; url?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
