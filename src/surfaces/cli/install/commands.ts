/** How a client is told to run us, without anything being installed for the whole machine. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { realPath } from '../../../shared/real-path.js';
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
    server: sharedServer(client, shared),
    // Set where hooks run, also below the root ("Reference scripts by path").
    hook: { command: 'node', args: [`${PROJECT}/${shared}`, 'hook'] },
  };
}

/**
 * Cursor does not say in which folder it starts a server; the others start it in the project. Never by way of
 * npx, which adds more than a second to each start.
 */
function sharedServer(client: ClientName, shared: string): Invocation {
  const path = client === 'cursor' ? `${WORKSPACE}/${shared}` : shared;
  return { command: 'node', args: [path, 'mcp'] };
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
