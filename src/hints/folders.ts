/** A caller's working folder in the one spelling that globs are tried on. Pure. */
import { posix } from 'node:path';
import type { NudgeContext } from './schema.js';

const WINDOWS = /^(?:[a-z]:(?:[\\/]|$)|\\\\)/i;

export interface Folder {
  /** `/srv/api`, `C:/srv/api`, `//server/share`: no slash at the end, no `.` and `..`. */
  path: string;
  ignoreCase: boolean;
}

/**
 * `null`: not known. A drive letter or `\\` says Windows when nothing else says what it is; there
 * backslashes are slashes, and letter case does not count.
 */
export function folderOf(cwd: string | undefined, os: NudgeContext['os']): Folder | null {
  if (cwd === undefined || cwd === '' || cwd.includes('\0')) return null;
  const ignoreCase = os === 'windows' || (os === undefined && WINDOWS.test(cwd));
  const slashed = ignoreCase
    ? cwd
        .replaceAll('\\', '/')
        .replace(/^\/\/\?\/(?:UNC(?=\/))?/i, (form) => (form.length > 4 ? '/' : ''))
    : cwd;
  const normal = posix.normalize(slashed);
  const rooted = ignoreCase && /^\/\/[^/]/.test(slashed) ? `/${normal}` : normal;
  return { path: rooted.length > 1 ? rooted.replace(/\/$/, '') : rooted, ignoreCase };
}
