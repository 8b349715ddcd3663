/** `nudge set <component> <key> <value>` */

import { resolve } from 'node:path';
import type { HintValue, SetResult } from '../../../hints/offline.js';
import { type Flags, pairsOf } from '../flags.js';
import { parseJson, readTextFile, STANDARD_INPUT } from '../input.js';
import { badInput, type Io } from '../io.js';
import { requestCommand } from '../request.js';
import { osNamed, type SaidScope, SCOPE_FLAGS, scopeOf } from './context-flags.js';

/** What is said of the kind of a value, and of the hint as a whole. */
interface SetFlags {
  of?: ValueFlags;
  meta?: object;
  scope?: SaidScope;
}

interface ValueFlags {
  type?: string;
  shell?: string;
  os?: string[];
  format?: string;
  default?: string[];
}

const FLAGS: Flags = [
  ['of.type', '--type <kind>', 'command, path, template or json; plain text without it'],
  ['of.shell', '--shell <name>', 'of a command: bash, sh, powershell or cmd'],
  ['of.os', '--os <names>', 'of a path: linux, darwin, windows; comma-separated', 'words'],
  ['of.format', '--format <name>', 'of a template: mustache, handlebars, jinja or interpolate'],
  [
    'of.default',
    '--default <name=value>',
    'of a template: what a name stands for; repeatable',
    'texts',
  ],
  ['meta.reason', '--reason <text>', 'why it is so'],
  ['meta.tags', '--tags <words>', 'comma-separated', 'words'],
  ['meta.priority', '--priority <number>', '1 to 10 (5)', 'number'],
  ['meta.confidence', '--confidence <number>', '0 to 1 (0.5)', 'number'],
  ['meta.ttl', '--ttl <time>', '"session", or a duration: PT2H, P30D'],
  ['meta.sensitivity', '--sensitivity <word>', 'secret or normal'],
  ['meta.source', '--source <word>', 'user, agent, tool-output or file-import'],
  ['meta.added_by', '--added-by <name>', 'who says so'],
  ...SCOPE_FLAGS,
  [
    'if_match_version',
    '--if-match-version <number>',
    'only when it has this version; 0: only when there is none',
    'number',
  ],
  ['allow_secret', '--allow-secret', 'keep it though it looks like a secret, and show it nowhere'],
];

const VALUE_EXPLAINED = `
Value:
  "-" reads it from standard input, "@file" from a file (a last line break is not part of it); "@@" in
  front stands for one "@". A value that begins with "-" stands behind --: nudge set api flags -- -v
  It is kept and shown, never run.
`;

/** The guard reads a value with a library that takes its time to load. */
const TIMEOUT_MS = 15_000;

const set = requestCommand<SetResult, SetFlags>({
  args: {
    '<component>': 'service, module or folder: http-proxy',
    '<key>': 'what it is: build',
    '<value>': '',
  },
  ...{ flags: FLAGS, json: 'print the result as JSON', after: VALUE_EXPLAINED },
  async ask({ words: [component = '', key = '', given = ''], fields }, { io }) {
    const { of = {}, meta, scope, ...how } = fields;
    const value = await hintValueOf(given, of, io);
    const told = meta || scope ? { ...meta, scope: scopeOf(scope) } : undefined;
    return {
      ...{ call: 'set_hint', params: { component, key, value, meta: told, ...how } },
      ...{ field: 'hint', timeoutMs: TIMEOUT_MS },
      async text({ hint }) {
        const { hintName, scoreBase } = await import('./print-hint.js');
        return `✔ upserted hint ${hintName({ component, key })} (v${hint.version})\n  ${scoreBase(hint)}`;
      },
      beside: ({ notice }) => (notice === undefined ? [] : [notice]),
    };
  },
});
export const commands = { set };

type Kind = 'string' | Exclude<HintValue, string>['type'];

/** What says more about a value, and for which of them. */
const OF_KIND: readonly [keyof ValueFlags, Kind][] = [
  ['shell', 'command'],
  ['os', 'path'],
  ['format', 'template'],
  ['default', 'template'],
];
const KINDS: readonly Kind[] = ['string', 'command', 'path', 'template', 'json'];
const FILE = '@';

/** @throws AppError INVALID_INPUT; whether shell, format and sizes are right says the server */
async function hintValueOf(given: string, flags: ValueFlags, io: Io): Promise<object | string> {
  const kind = kindOf(flags);
  const text = await textOf(given, io);
  const { shell, os, format, default: defaults } = flags;
  switch (kind) {
    case 'string':
      return text;
    case 'command':
      return { type: kind, shell, cmd: text };
    case 'path': {
      const systems = os?.map((name) => osNamed(name, '--os'));
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
  const isFile = given.startsWith(FILE);
  const path = given.slice(FILE.length);
  if (isFile && path.startsWith(FILE)) return path;
  if (!isFile && given !== STANDARD_INPUT) return given;
  const text = await (isFile ? readTextFile(resolve(io.cwd, path), path) : io.stdin());
  return text.replace(/\r?\n$/, '');
}
