/** `nudge set <component> <key> <value>` */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { HintValue, SetResult } from '../../../hints/offline.js';
import { inFlags } from '../answer.js';
import type { CommandContext } from '../command-line.js';
import { collect, numberOf, pairsOf, wordsIn } from '../flags.js';
import { parseJson, readTextFile } from '../input.js';
import { badInput, EXIT, type Io, printJson, printText } from '../io.js';
import { callServer } from './call.js';
import { addScopeFlags, osNamed, type ScopeFlags, scopeOf } from './context-flags.js';

export const commands = { set: defineSet };

interface SetFlags extends ValueFlags, ScopeFlags {
  reason?: string;
  tags?: string[];
  priority?: number;
  confidence?: number;
  ttl?: string;
  sensitivity?: string;
  source?: string;
  addedBy?: string;
  ifMatchVersion?: number;
  allowSecret?: true;
  json?: true;
}

/** The guard reads a value with a library that takes its time to load. */
const TIMEOUT_MS = 15_000;

function defineSet(command: Command, context: CommandContext): void {
  command
    .argument('<component>', 'service, module or folder: http-proxy')
    .argument('<key>', 'what it is: build')
    .argument('<value>');
  addValueFlags(command)
    .option('--reason <text>', 'why it is so')
    .option('--tags <words>', 'comma-separated', collect)
    .option('--priority <number>', '1 to 10 (5)', numberOf('--priority'))
    .option('--confidence <number>', '0 to 1 (0.5)', numberOf('--confidence'))
    .option('--ttl <time>', '"session", or a duration: PT2H, P30D')
    .option('--sensitivity <word>', 'secret or normal')
    .option('--source <word>', 'user, agent, tool-output or file-import')
    .option('--added-by <name>', 'who says so');
  addScopeFlags(command)
    .option(
      '--if-match-version <number>',
      'only when it has this version; 0: only when there is none',
      numberOf('--if-match-version'),
    )
    .option('--allow-secret', 'keep it though it looks like a secret, and show it nowhere')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', VALUE_EXPLAINED)
    .action(
      async (component: string, key: string, value: string, flags: SetFlags, own: Command) => {
        try {
          await perform({ component, key }, value, flags, context);
        } catch (error) {
          throw inFlags(error, own);
        }
      },
    );
}

async function perform(
  name: { component: string; key: string },
  given: string,
  flags: SetFlags,
  context: CommandContext,
): Promise<void> {
  const { io, end } = context;
  const { ifMatchVersion, allowSecret } = flags;
  const params = {
    ...name,
    value: await hintValueOf(given, flags, io),
    meta: metaOf(flags),
    ...{ if_match_version: ifMatchVersion, allow_secret: allowSecret },
  };
  const options = { field: 'hint', timeoutMs: TIMEOUT_MS } as const;
  const result = await callServer<SetResult>(context, 'set_hint', params, options);
  if (flags.json) printJson(io, result);
  else {
    if (result.notice !== undefined) io.err(`${result.notice}\n`);
    const { hintName, scoreBase } = await import('./print-hint.js');
    const { version } = result.hint;
    printText(io, `✔ upserted hint ${hintName(name)} (v${version})\n  ${scoreBase(result.hint)}`);
  }
  end(EXIT.done);
}

/** `undefined`: nothing is said of it. */
function metaOf(flags: SetFlags): object | undefined {
  const { reason, tags, priority, confidence, ttl, sensitivity, source, addedBy } = flags;
  const given = {
    ...{ reason, priority, confidence, ttl, sensitivity, source },
    tags: tags && wordsIn(tags),
    scope: scopeOf(flags),
    added_by: addedBy,
  };
  return Object.values(given).every((value) => value === undefined) ? undefined : given;
}

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
      return { type: kind, shell, cmd: text };
    case 'path': {
      const systems = os && wordsIn(os).map((name) => osNamed(name, '--os'));
      return { type: kind, os: systems, abs: text };
    }
    case 'template': {
      if (format === undefined) {
        throw badInput('a template needs --format: mustache, handlebars, jinja or interpolate');
      }
      const filled = defaults && pairsOf(defaults, '--default');
      return { type: kind, format, body: text, defaults: filled };
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
