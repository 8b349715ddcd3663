/** Why a database cannot be served, in words: of what, what the system says, and what to do. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError, messageOf } from '../../shared/errors.js';
import type { Place } from '../client.js';

/** Of the query builder: the statement that was under way, which tells nobody what is wrong. */
const STATEMENT = /^Failed query:/;
/** What stands in front of the host in an address. */
const CREDENTIALS = /(\b[a-z][a-z\d+.-]*:\/\/)[^\s/@]*(?::[^\s@]*)?@/gi;
/** In each database that PGlite has made. */
const VERSION_FILE = 'PG_VERSION';
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);
const NAME_ANOTHER = 'name another one with PGLITE_DATA_DIR';

/** @throws AppError INVALID_INPUT where something else lies in the place of the folder, or of one above it */
export function mustBeFolder(directory: string): void {
  const odd = obstacleOn(directory);
  if (odd === null) return;
  const is =
    odd === directory
      ? `the database directory ${odd} is no folder, but a file`
      : `${odd} is no folder, but a file, so the database directory ${directory} cannot lie in it`;
  throw new AppError('INVALID_INPUT', `${is}: ${NAME_ANOTHER}`, { directory });
}

/** The first that exists on the way up, where it is no folder. */
function obstacleOn(directory: string): string | null {
  for (let path = directory; ; path = dirname(path)) {
    try {
      return statSync(path).isDirectory() ? null : path;
    } catch (error) {
      const isMissing = error instanceof Error && MISSING.has(codeOf(error) ?? '');
      if (!isMissing || path === dirname(path)) return null;
    }
  }
}

/** What is wrong with an embedded database that does not open. */
export function unopened(place: Place, cause: unknown): AppError {
  const raw = causeWords(cause, place);
  const where = place.kind === 'directory' ? ` in ${place.directory}` : '';
  const why = place.kind === 'directory' && isExit(cause) ? exitWords(place.directory) : raw;
  const message = `the database${where} cannot be opened: ${why}`;
  return new AppError('UNAVAILABLE', message, { reason: raw }, { cause });
}

/** The embedded database says only that it has ended. */
function exitWords(directory: string): string {
  return existsSync(join(directory, VERSION_FILE))
    ? 'it is damaged, of another version, or its disk is full: take a copy that is whole, or ' +
        NAME_ANOTHER
    : `the folder holds no database of PGlite, but something else: ${NAME_ANOTHER}, or an empty folder`;
}

function isExit(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && Reflect.get(cause, 'name') === 'ExitStatus';
}

/** The error, and what it comes from in the end; without password and credentials of the place. */
export function causeWords(error: unknown, place: Place): string {
  const outer = messageOf(error);
  const inner = innermost(error);
  return withoutCredentials(joined(outer, inner), place);
}

function joined(outer: string, inner: string): string {
  if (STATEMENT.test(outer) && inner !== outer) return `its database failed: ${inner}`;
  return outer.includes(inner) ? outer : `${outer}: ${inner}`;
}

function innermost(error: unknown): string {
  let last = error;
  // No longer than a circle could be.
  for (let depth = 0; depth < 10; depth += 1) {
    if (!(last instanceof Error) || !(last.cause instanceof Error)) break;
    last = last.cause;
  }
  // Of a host with several addresses each has failed.
  if (last instanceof AggregateError && last.errors.length > 0) {
    return [...new Set(last.errors.map(innermost))].join(', ');
  }
  if (last instanceof Error && last.message === '') return codeOf(last) ?? last.name;
  return messageOf(last);
}

function codeOf(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}

function withoutCredentials(text: string, place: Place): string {
  const shown = text.replace(CREDENTIALS, '$1');
  return place.kind === 'server' ? withoutPassword(shown, place.postgresUrl) : shown;
}

/** As a word of its own: one of a letter would take the text apart. */
function withoutPassword(text: string, url: string): string {
  const written = URL.canParse(url) ? new URL(url).password : '';
  const spellings = new Set([written, decoded(written)]);
  spellings.delete('');
  return [...spellings].reduce((left, word) => {
    const quoted = word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return left.replace(
      new RegExp(`(?<![\\p{L}\\p{N}_])${quoted}(?![\\p{L}\\p{N}_])`, 'gu'),
      '***',
    );
  }, text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
