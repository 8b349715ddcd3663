/** Where the memory lies that a headless agent serves. */
import { dirname } from 'node:path';
import { makeFolder } from '../shared/make-folder.js';
import { type Env, meantPlace, type Place, personalPlace } from '../surfaces/serving/index.js';

export type { Env, Place };

/**
 * The database that is meant, else one for all of a person's tools, whose folder is made, for its owner
 * alone.
 */
export function placeOf(env: Env, cwd: string, home?: string): Place {
  const meant = meantPlace(env, cwd, home);
  if (meant !== null) return meant;
  const personal = personalPlace(home);
  for (const made of [dirname(personal.directory), personal.directory]) makeFolder(made, 0o700);
  return personal;
}
