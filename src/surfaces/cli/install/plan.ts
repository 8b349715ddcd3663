/** What is to become of each file of a client: all is read and judged before the first one is written. */

import { isAbsolute, relative } from 'node:path';
import { AppError } from '../../../shared/errors.js';
import { realPath } from '../../../shared/folders.js';
import { isObject } from '../../../shared/json.js';
import { badInput, type Io } from '../io.js';
import {
  CLIENTS,
  type ClientName,
  homeOf,
  type InstallScope,
  invocationsOf,
  isUsed,
  type Machine,
  type Program,
  placesOf,
  signsOf,
} from './clients.js';
import {
  type Backup,
  backupsOf,
  type ConfigFile,
  checkWritable,
  readConfig,
} from './config-file.js';
import {
  isBlankDocument,
  keepsHooks,
  keepsServer,
  valueAt,
  withHooks,
  withoutHooks,
  withoutServer,
  withServer,
} from './merge.js';

export interface InstallFlags {
  client?: ClientName;
  scope: InstallScope;
  dryRun?: true;
  remove?: true;
  /** `--no-hooks` */
  hooks: boolean;
  /** A database below the project. */
  ownMemory?: true;
  json?: true;
}

type Kind = 'none' | 'created' | 'changed' | 'restored' | 'deleted';

/** What is to become of one file. */
export interface Change {
  client: ClientName;
  /** As it is called to the user. */
  shown: string;
  file: ConfigFile;
  kind: Kind;
  /** `null`: it is not to be there. */
  text: string | null;
  /** The copy that it is given back from. */
  from?: Backup;
  /** Copies of earlier installations, which nobody needs once this is done. */
  obsolete?: readonly Backup[];
  /** A new file is for this user alone. */
  privately: boolean;
}

interface Here {
  io: Io;
  machine: Machine;
  program: Program;
}

/** How one file is changed, and changed back. */
interface Edit {
  add(text: string | null, shown: string): string;
  take(text: string, shown: string): string;
  /** Whether something in it is left as it is, though it is about us. */
  keeps(text: string, shown: string): boolean;
  kept: string;
}

/** @throws AppError NOT_FOUND where none is found */
export function clientsOf({ client }: InstallFlags, machine: Machine): readonly ClientName[] {
  if (client !== undefined) return [client];
  const found = CLIENTS.filter((one) => isUsed(one, machine));
  if (found.length > 0) return found;
  const folders = CLIENTS.flatMap((one) => signsOf(one, machine));
  const message = `no client is found here: say which with --client (looked for ${folders.join(', ')})`;
  throw new AppError('NOT_FOUND', message, { what: 'client', folders });
}

/** @throws AppError INVALID_INPUT, PERMISSION_DENIED, CONFLICT */
export async function changesFor(
  client: ClientName,
  flags: InstallFlags,
  { io, machine, program }: Here,
): Promise<{ changes: Change[]; notes: string[] }> {
  const scope = placesOf(client, flags.scope, machine) === null ? 'user' : flags.scope;
  const places = placesOf(client, scope, machine);
  if (places === null) return { changes: [], notes: [] };
  if (scope === 'project' && realPath(machine.project) === realPath(homeOf(machine))) {
    throw badInput('the home folder is no project: go to one, or say --scope user');
  }
  const { server, hook, note } = invocationsOf(client, scope, machine, program);
  const notes: string[] = [];
  const changeOf = async (path: string, edit: Edit): Promise<Change> => {
    const file = await readConfig(path);
    const shown = shownFrom(io.cwd, path);
    const outcome: Pick<Change, 'text' | 'from' | 'obsolete'> = flags.remove
      ? await removal(file, shown, edit)
      : { text: edit.add(file.text, shown) };
    const change = { client, shown, file, ...outcome, privately: scope === 'user' };
    let kind: Kind = change.from === undefined ? 'changed' : 'restored';
    if (file.text === null) kind = 'created';
    if (change.text === null) kind = 'deleted';
    if (change.text === file.text) kind = 'none';
    if (file.text !== null && edit.keeps(file.text, shown)) {
      notes.push(`${shown}: ${edit.kept}, and was left as it is`);
    }
    if (kind !== 'none') checkWritable(file, shown);
    return { ...change, kind };
  };
  const changes = [
    await changeOf(places.servers, {
      add: (text, shown) => withServer(text, client, server, shown),
      take: withoutServer,
      keeps: keepsServer,
      kept: 'the server "cue" is run by another program or reached over HTTP',
    }),
  ];
  if (places.hooks !== undefined && flags.hooks) {
    changes.push(
      await changeOf(places.hooks, {
        add: (text, shown) => withHooks(text, hook, shown),
        take: withoutHooks,
        keeps: keepsHooks,
        kept: 'a hook runs "cue hook" by way of another program',
      }),
    );
  }
  const isWritten = !flags.remove && changes.some(({ kind }) => kind !== 'none');
  if (isWritten && note !== undefined) notes.push(note);
  return { changes, notes };
}

/**
 * Back to the copy, where installing into it gives what is there; else without what is ours. A file that has
 * never held anything but what an installation writes goes; one in which somebody has set a field of their own,
 * were it in our entry, stays.
 */
async function removal(
  file: ConfigFile,
  shown: string,
  { add, take }: Edit,
): Promise<Pick<Change, 'text' | 'from' | 'obsolete'>> {
  const { text } = file;
  if (text === null || text.trim() === '') return { text };
  const left = take(text, shown);
  if (left === text) return { text };
  const obsolete = await backupsOf(file);
  const isWithoutUs = (copy: string) => copy.trim() === '' || take(copy, shown) === copy;
  const from = obsolete.find(({ text: copy }) =>
    holds(() => isWithoutUs(copy) && add(copy, shown) === text),
  );
  if (from !== undefined) return { text: from.text, from, obsolete };
  const written = valueAt(add(null, shown), []);
  const wasMade = [text, ...obsolete.map((copy) => copy.text)].every((copy) =>
    holds(() => !isWithoutUs(copy) && hasOnlyKeysOf(valueAt(copy, []), written)),
  );
  return { text: wasMade && isBlankDocument(left) ? null : left, obsolete };
}

/** Whether no object in it has a key that the model has not at that place; of lists the first item counts. */
function hasOnlyKeysOf(value: unknown, model: unknown): boolean {
  if (Array.isArray(value)) {
    return Array.isArray(model) && value.every((item) => hasOnlyKeysOf(item, model[0]));
  }
  if (!isObject(value)) return !isObject(model);
  if (!isObject(model)) return false;
  return Object.entries(value).every(
    ([key, inner]) => key in model && hasOnlyKeysOf(inner, model[key]),
  );
}

/** A copy may be of any shape. */
function holds(isSo: () => boolean): boolean {
  try {
    return isSo();
  } catch {
    return false;
  }
}

/** From where one is, where it lies below; else absolute. */
export function shownFrom(cwd: string, path: string): string {
  const below = relative(cwd, path);
  return below !== '' && !below.startsWith('..') && !isAbsolute(below) ? below : path;
}
