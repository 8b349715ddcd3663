/** How a client is told to run us, without anything being installed for the whole machine. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { ClientName, InstallScope, Machine } from './clients.js';
import type { Json } from './json-text.js';

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
  /** Run before each tool: never by way of npx, which takes longer than all the rest. */
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
  const inProject = (root: string, ...args: string[]): Invocation => ({
    command: 'node',
    args: [`${root}/${shared}`, ...args],
  });
  return {
    // Cursor does not say in which folder it starts a server; the others start it in the project.
    server: client === 'cursor' ? inProject(WORKSPACE, 'mcp') : npx(machine),
    // Set where hooks run, also below the root ("Reference scripts by path").
    hook: inProject(PROJECT, 'hook'),
  };
}

/** On Windows npx is a script, which only a shell can start. */
function npx({ platform }: Machine): Invocation {
  const args = ['--no-install', 'cue', 'mcp'];
  if (platform !== 'win32') return { command: 'npx', args };
  return { command: 'cmd', args: ['/c', 'npx', ...args] };
}

function absolute(scope: InstallScope, { node, bin, name }: Program): Invocations {
  const isCache = /[\\/]_npx[\\/]/.test(bin);
  const note = isCache
    ? `${bin} is a copy of npx, which may vanish: install ${name}, then install this again`
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
function sharedBin({ project }: Machine, { bin, name }: Program): string | null {
  const installed = ['node_modules', name, ...BIN];
  if (existsSync(join(project, ...installed))) return installed.join('/');
  const inside = relative(project, bin);
  const isBelow = inside !== '' && !/^\.\.(?:[\\/]|$)/.test(inside) && !isAbsolute(inside);
  return isBelow ? inside.replaceAll('\\', '/') : null;
}

/**
 * `…/bin/cue.js mcp`, `npx … cue mcp --tools all`, `elizaos-plugin-cue@1 mcp`: the program by its own name,
 * and behind it what it is to do.
 */
const RUNS_US =
  /(?:^|[\s"'\\/])(?:elizaos-plugin-)?cue(?:@[\w.^~-]+|\.(?:[cm]?[jt]s|cmd|exe))?["']?\s+(mcp|hook)(?=$|[\s"';&|])/;

/** Whether a command line is one of ours, of this or another place or version, whatever stands around it. */
export function isOurs(value: unknown, what: 'mcp' | 'hook'): boolean {
  return RUNS_US.exec(lineOf(value))?.[1] === what;
}

/** What a server or hook runs, in one line; empty where it runs nothing. */
function lineOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const { command, args }: { command?: unknown; args?: unknown } = value;
  return [command, ...(Array.isArray(args) ? args : [])]
    .filter((word) => typeof word === 'string')
    .join(' ');
}

/** What people have put behind `mcp` (`--tools all`). */
export function addedTo(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { args }: { args?: unknown } = value;
  const words = Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
  const at = words.indexOf('mcp');
  return at < 0 ? [] : words.slice(at + 1);
}

/** Whether a client reaches us over HTTP, as the documentation says how. */
export function isOurAddress(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { url }: { url?: unknown } = value;
  return typeof url === 'string' && /\/cue\/mcp\/?(?:\?|$)/.test(url);
}

/** As the client has it in `mcpServers`. */
export function serverEntry(
  client: ClientName,
  { command, args }: Invocation,
): { [key: string]: Json } {
  return client === 'claude-desktop' ? { command, args } : { type: 'stdio', command, args };
}
