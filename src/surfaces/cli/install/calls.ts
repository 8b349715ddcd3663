/** What an entry of a client's configuration runs: us, us by way of another program, or something else. Pure. */

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
  return RUNS_US.exec(lineOf(value))?.[1] === what && !isOurs(value, what);
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

/** What a server or hook runs, in one line; empty where it runs nothing. */
function lineOf(value: unknown): string {
  const { command, args } = fieldsOf(value);
  return [...textsIn([command]), ...textsIn(args)].join(' ');
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : [];
}

function fieldsOf(value: unknown): { command?: unknown; args?: unknown; url?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
