/** `cue mcp install`: writes us into the configuration of clients, or takes us out of it, and says so. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { configuredDatabase, shownDatabase } from '../../../server/client.js';
import { AppError, isAppError, messageOf } from '../../../shared/errors.js';
import { gitFolderAround } from '../../../shared/git-folder.js';
import {
  badInput,
  EXIT,
  type ExitCode,
  errorDocument,
  type Io,
  printJson,
  printText,
} from '../io.js';
import { changedLines, counted } from '../lines.js';
import type { Machine, Program } from './clients.js';
import { deleteConfig, dropBackup, replaceConfig } from './config-file.js';
import { type Change, changesFor, clientsOf, type InstallFlags, shownFrom } from './plan.js';

/** Which memory the clients of a project come to have, and how it gets one of its own. */
const DATABASE = join('.eliza', '.elizadb');

/**
 * The folder in which its database will be: whoever starts below the project means that one from now on.
 * @returns in words, what was done
 * @throws AppError CONFLICT when it cannot be made
 */
function giveOwnMemory({ project }: Machine, { dryRun = false } = {}): string {
  const folder = join(project, DATABASE);
  try {
    if (!dryRun) mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const message = `${folder} cannot be made: ${messageOf(cause)}`;
    const failure = new AppError('CONFLICT', message, {}, { cause });
    throw failure;
  }
  const made = dryRun ? 'would be' : 'is';
  return `the memory of this project ${made} in ${folder}: keep .eliza out of version control`;
}

/** In one sentence, what clients started in the project will remember in. */
function memoryTold({ project, env }: Machine): string {
  const place = configuredDatabase(env, project);
  if (place !== null) return `memory: ${shownDatabase(place)}`;
  return (
    'memory: that of the running Eliza agent, else ~/.cue/db, which all projects without one of their own ' +
    'share; "cue mcp install --own-memory" gives this project its own'
  );
}

/** What has become of one file. */
interface Done {
  change: Change;
  /** Where it lies as it was. */
  backup: string | null;
  error?: unknown;
}

/** A line of a diff that is longer is somebody's whole document. */
const MAX_LINE = 300;

/**
 * All is read and refused before the first file is written; of those that then cannot be written each is told,
 * and the others are.
 * @throws AppError as `clientsOf` and `changesFor` do
 */
export async function install(io: Io, flags: InstallFlags, program: Program): Promise<ExitCode> {
  const project = gitFolderAround(io.cwd)?.root ?? io.cwd;
  const machine: Machine = { platform: process.platform, env: io.env, project, cwd: io.cwd };
  const notes = new Set<string>();
  if (flags.ownMemory && flags.remove) {
    throw badInput('--remove does not take a memory away: leave --own-memory out');
  }
  const changes: Change[] = [];
  for (const client of clientsOf(flags, machine)) {
    const planned = await changesFor(client, flags, { io, machine, program });
    changes.push(...planned.changes);
    for (const note of planned.notes) notes.add(note);
  }
  if (flags.ownMemory) notes.add(giveOwnMemory(machine, flags));
  const done: Done[] = [];
  for (const change of changes) {
    done.push(flags.dryRun ? { change, backup: null } : await carriedOut(change));
  }
  if (flags.json) printJson(io, documentOf(done, flags));
  else for (const one of done) printText(io, flags.dryRun ? planned(one) : told(one, io.cwd));
  const failed = done.filter(({ error }) => error !== undefined).length;
  const changed = done.filter(({ change }) => change.kind !== 'none').length - failed;
  const isNew = changed > 0 && flags.scope === 'project' && !flags.remove;
  if (isNew && !flags.ownMemory) notes.add(memoryTold(machine));
  for (const note of notes) io.err(`${note}\n`);
  if (flags.dryRun) io.err(`${dryRunEnd(changes)}\n`);
  else if (changed > 0) io.err('start the client anew, so that it reads this\n');
  if (failed === 0) return EXIT.done;
  io.err(`${counted(failed, 'file')} could not be written and stayed as before\n`);
  return EXIT.failure;
}

async function carriedOut(change: Change): Promise<Done> {
  const { file, kind, text, from, obsolete = [], privately } = change;
  try {
    if (kind === 'none') return { change, backup: null };
    let backup: string | null = null;
    if (text === null) await deleteConfig(file);
    else backup = await replaceConfig(file, text, { privately, isKept: from === undefined });
    for (const copy of obsolete) await dropBackup(copy);
    return { change, backup };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { change, backup: null, error };
  }
}

function documentOf(done: Done[], { dryRun }: InstallFlags) {
  const files = done.map(({ change, backup, error }) => ({
    ...{ client: change.client, file: change.file.path },
    ...(error === undefined
      ? { change: change.kind }
      : { change: 'failed', ...errorDocument(error) }),
    backup,
  }));
  return { dryRun: dryRun ?? false, files };
}

/** What becomes of a file, and what would. */
const WORDS: Readonly<Record<Exclude<Change['kind'], 'none'>, readonly [string, string]>> = {
  created: ['created', 'would be created'],
  changed: ['changed', 'would be changed'],
  restored: ['as it was before', 'would be as it was before'],
  deleted: [
    'deleted, since nothing else was in it',
    'would be deleted, since nothing else is in it',
  ],
};

function told({ change, backup, error }: Done, cwd: string): string {
  const { kind, shown, client, from } = change;
  if (error !== undefined) return `✘ ${shown} (${client}): ${messageOf(error)}`;
  if (kind === 'none') return `- ${shown} (${client}): nothing to change`;
  const kept = backup === null ? '' : `; as it was: ${shownFrom(cwd, backup)}`;
  const gone = from === undefined ? '' : `; ${shownFrom(cwd, from.path)} is gone`;
  return `✔ ${shown} (${client}): ${WORDS[kind][0]}${kept}${gone}`;
}

function planned({ change: { kind, shown, client, file, text } }: Done): string {
  if (kind === 'none') return `${shown} (${client}): nothing to change`;
  const head = `${shown} (${client}): ${WORDS[kind][1]}`;
  if (text === null) return head;
  const lines = changedLines(file.text ?? '', text)
    .split('\n')
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  return [head, ...lines].join('\n');
}

function dryRunEnd(changes: readonly Change[]): string {
  const open = changes.filter(({ kind }) => kind !== 'none');
  const deleted = open.filter(({ kind }) => kind === 'deleted').length;
  const parts = [
    { count: open.length - deleted, would: 'be written' },
    { count: deleted, would: 'be deleted' },
  ].filter(({ count }) => count > 0);
  if (parts.length === 0) return 'nothing would be written';
  const words = parts.map(({ count, would }) => `${counted(count, 'file')} would ${would}`);
  return `--dry-run: ${words.join(' and ')}, and none was`;
}
