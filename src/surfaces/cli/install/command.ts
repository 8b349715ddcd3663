/** `cue mcp install`: writes us into the configuration of clients, or takes us out of it. */
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import { AppError } from '../../../shared/errors.js';
import { gitFolderAround } from '../../../shared/git-folder.js';
import { realPath } from '../../../shared/real-path.js';
import type { CommandContext } from '../command-line.js';
import { badInput, EXIT } from '../exit-codes.js';
import { type Io, printJson, printText } from '../io.js';
import { changedLines } from '../line-changes.js';
import { counted } from '../lines.js';
import {
  CLIENTS,
  type ClientName,
  homeOf,
  type InstallScope,
  isUsed,
  type Machine,
  placesOf,
  SCOPES,
  signsOf,
} from './clients.js';
import { invocationsOf, type Program, serverEntry } from './commands.js';
import { type ConfigFile, readConfig, replaceConfig } from './config-file.js';
import { withHooks, withoutHooks, withoutServer, withServer } from './merge.js';

interface InstallFlags {
  client?: ClientName;
  scope: InstallScope;
  dryRun?: true;
  remove?: true;
  /** `--no-hooks` */
  hooks: boolean;
  json?: true;
}

/** What is to become of one file. */
interface Change {
  client: ClientName;
  /** As it is called to the user. */
  shown: string;
  file: ConfigFile;
  /** `null`: it is neither there nor needed. */
  text: string | null;
  privately: boolean;
}

const PACKAGE = 'elizaos-plugin-cue';
/** A line of a diff that is longer is somebody's whole document. */
const MAX_LINE = 300;

const EXPLAINED = `
Without --client: every client that is found here. Claude Code gets the server and hooks that call
"cue hook" (from version 2.1.139 on), the others the server. Claude Desktop has no configuration of a
project, only one of the user.

Files that are changed (one that is changed is kept beside, as <file>.cue-backup-<n>):
  claude-code     project: .mcp.json, .claude/settings.json     user: ~/.claude.json, ~/.claude/settings.json
  cursor          project: .cursor/mcp.json                     user: ~/.cursor/mcp.json
  claude-desktop  user: claude_desktop_config.json

Exit codes:
  0 done, or nothing to change   1 failure   2 bad input, or a file that is no plain JSON   3 no client found
`;

/** The program that runs: this file is `dist/surfaces/cli/mcp-install.js`. */
function thisProgram(): Program {
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
    .option('--remove', 'take out what was installed')
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXPLAINED)
    .action(async (flags: InstallFlags) => {
      await install(io, flags, program);
      end(EXIT.done);
    });
}

/** All is read and refused before the first file is written. */
async function install(io: Io, flags: InstallFlags, program: Program): Promise<void> {
  const project = gitFolderAround(io.cwd)?.root ?? io.cwd;
  const machine: Machine = { platform: process.platform, env: io.env, project };
  const clients = clientsOf(flags, machine);
  const notes = new Set<string>();
  const changes: Change[] = [];
  for (const client of clients) {
    const { note, changes: wanted } = await changesFor(client, flags, { io, machine, program });
    changes.push(...wanted);
    if (note !== undefined && flags.remove === undefined) notes.add(note);
  }
  const results = [];
  for (const { client, shown, file, text, privately } of changes) {
    const isSame = text === null || text === file.text;
    const isWritten = !isSame && flags.dryRun === undefined;
    const backup = isWritten ? await replaceConfig(file, text, { privately }) : null;
    const change = isSame ? 'none' : file.text === null ? 'created' : 'changed';
    results.push({ client, file: file.path, shown, change, backup, before: file.text ?? '', text });
  }
  if (flags.json) {
    const files = results.map(({ client, file, change, backup }) => ({
      ...{ client, file, change, backup },
    }));
    printJson(io, { dryRun: flags.dryRun ?? false, files });
  } else {
    for (const { client, shown, change, backup, before, text } of results) {
      if (change === 'none') printText(io, `- ${shown} (${client}): nothing to change`);
      else if (flags.dryRun) {
        const diff = changedLines(before, text ?? '')
          .split('\n')
          .map(shortened)
          .join('\n');
        printText(io, `${shown} (${client}):\n${diff}`);
      } else {
        const kept = backup === null ? '' : `; as it was: ${shownFrom(io.cwd, backup)}`;
        printText(io, `✔ ${shown} (${client}): ${change}${kept}`);
      }
    }
  }
  for (const note of notes) io.err(`${note}\n`);
  const changed = results.filter(({ change }) => change !== 'none').length;
  if (flags.dryRun)
    io.err(`nothing was written (--dry-run): ${counted(changed, 'file')} would change\n`);
  else if (changed > 0) io.err('start the client anew, so that it reads this\n');
}

function shortened(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

/** @throws AppError NOT_FOUND where none is found */
function clientsOf({ client }: InstallFlags, machine: Machine): readonly ClientName[] {
  if (client !== undefined) return [client];
  const found = CLIENTS.filter((one) => isUsed(one, machine));
  if (found.length > 0) return found;
  const folders = CLIENTS.flatMap((one) => signsOf(one, machine));
  const message = `no client is found here: say which with --client (looked for ${folders.join(', ')})`;
  throw new AppError('NOT_FOUND', message, { what: 'client', folders });
}

interface Here {
  io: Io;
  machine: Machine;
  program: Program;
}

/** @throws AppError INVALID_INPUT, CONFLICT */
async function changesFor(
  client: ClientName,
  flags: InstallFlags,
  { io, machine, program }: Here,
): Promise<{ changes: Change[]; note?: string | undefined }> {
  const scope = placesOf(client, flags.scope, machine) === null ? 'user' : flags.scope;
  const places = placesOf(client, scope, machine);
  if (places === null) return { changes: [] };
  if (scope === 'project' && realPath(machine.project) === realPath(homeOf(machine))) {
    throw badInput('the home folder is no project: go to one, or say --scope user');
  }
  const { server, hook, note } = invocationsOf(client, scope, machine, program);
  const change = async (
    path: string,
    add: (text: string | null, shown: string) => string,
    take: (text: string, shown: string) => string,
    privately: boolean,
  ): Promise<Change> => {
    const file = await readConfig(path);
    const shown = shownFrom(io.cwd, path);
    const isThere = file.text !== null && file.text.trim() !== '';
    const text = !flags.remove
      ? add(file.text, shown)
      : isThere
        ? take(file.text ?? '', shown)
        : null;
    return { client, shown, file, text, privately };
  };
  const changes = [
    await change(
      places.servers,
      (text, shown) => withServer(text, serverEntry(client, server), shown),
      withoutServer,
      scope === 'user',
    ),
  ];
  if (places.hooks !== undefined && flags.hooks) {
    const add = (text: string | null, shown: string) => withHooks(text, hook, shown);
    changes.push(await change(places.hooks, add, withoutHooks, scope === 'user'));
  }
  return { changes, note };
}

/** From where one is, where it lies below; else absolute. */
function shownFrom(cwd: string, path: string): string {
  const below = relative(cwd, path);
  return below !== '' && !below.startsWith('..') && !isAbsolute(below) ? below : path;
}
