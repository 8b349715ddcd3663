/**
 * Whom a process follows: the servers of the database that it means, which say so in a PID file of that
 * database. Who means none in particular follows the machine's usual server: an Eliza server, else a
 * headless one of the personal database.
 */
import { pidFileOf, usualPidFile } from './pid-file.js';
import { type Env, meantPlace, type Place } from './place.js';

export interface Meant {
  /** `null`: none in particular. */
  place: Place | null;
  /** Path of the PID file that counts. */
  pidFile: string;
}

/** @param cwd absolute */
export function meantBy(env: Env, cwd: string, home?: string): Meant {
  const place = meantPlace(env, cwd, home);
  return { place, pidFile: place === null ? usualPidFile(env) : pidFileOf(env, place) };
}
