/** The value of a hint: plain text, or one of the seed's objects. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { HintValue } from '../../../hints/offline.js';
import { badInput } from '../exit-codes.js';
import { collect, pairsOf, wordsIn } from '../flag-words.js';
import type { Io } from '../io.js';
import { parseJson, readTextFile } from '../read-file.js';
import { osNamed } from './context-flags.js';

export interface ValueFlags {
  type?: string;
  shell?: string;
  os?: string[];
  format?: string;
  default?: string[];
}

type Kind = 'string' | Exclude<HintValue, string>['type'];

/** What says more about a value, and for which of them. */
const OF_KIND: readonly [keyof ValueFlags, Kind][] = [
  ['shell', 'command'],
  ['os', 'path'],
  ['format', 'template'],
  ['default', 'template'],
];
const KINDS: readonly Kind[] = ['string', 'command', 'path', 'template', 'json'];
const STANDARD_INPUT = '-';
const FILE = '@';

export const VALUE_EXPLAINED = `
Value:
  "-" reads it from standard input, "@file" from a file (a last line break is not part of it); "@@" in
  front stands for one "@". A value that begins with "-" stands behind --: nudge set api flags -- -v
  It is kept and shown, never run.
`;

export function addValueFlags(command: Command): Command {
  return command
    .option('--type <kind>', 'command, path, template or json; plain text without it')
    .option('--shell <name>', 'of a command: bash, sh, powershell or cmd')
    .option('--os <names>', 'of a path: linux, darwin, windows; comma-separated', collect)
    .option('--format <name>', 'of a template: mustache, handlebars, jinja or interpolate')
    .option('--default <name=value>', 'of a template: what a name stands for; repeatable', collect);
}

/** @throws AppError INVALID_INPUT; whether shell, format and sizes are right says the server */
export async function hintValueOf(
  given: string,
  flags: ValueFlags,
  io: Io,
): Promise<object | string> {
  const kind = kindOf(flags);
  const text = await textOf(given, io);
  const { shell, os, format, default: defaults } = flags;
  switch (kind) {
    case 'string':
      return text;
    case 'command':
      return { type: kind, ...(shell === undefined ? {} : { shell }), cmd: text };
    case 'path': {
      const systems = os && wordsIn(os).map((name) => osNamed(name, '--os'));
      return { type: kind, ...(systems ? { os: systems } : {}), abs: text };
    }
    case 'template': {
      if (format === undefined) {
        throw badInput('a template needs --format: mustache, handlebars, jinja or interpolate');
      }
      const filled = defaults && pairsOf(defaults, '--default');
      return { type: kind, format, body: text, ...(filled ? { defaults: filled } : {}) };
    }
    case 'json':
      return { type: kind, data: parseJson(text, 'the value') };
  }
}

function kindOf({ type = 'string', ...others }: ValueFlags): Kind {
  const kind = KINDS.find((one) => one === type);
  if (kind === undefined) throw badInput(`--type is ${KINDS.join(', ')}, not "${type}"`);
  const misplaced = OF_KIND.find(([flag, owner]) => owner !== kind && Object.hasOwn(others, flag));
  if (misplaced) throw badInput(`--${misplaced[0]} goes with --type ${misplaced[1]}`);
  return kind;
}

async function textOf(given: string, io: Io): Promise<string> {
  if (given === STANDARD_INPUT) return withoutLastBreak(await io.stdin());
  if (!given.startsWith(FILE)) return given;
  const path = given.slice(FILE.length);
  if (path.startsWith(FILE)) return path;
  return withoutLastBreak(await readTextFile(resolve(io.cwd, path), path));
}

const withoutLastBreak = (text: string): string => text.replace(/\r?\n$/, '');
