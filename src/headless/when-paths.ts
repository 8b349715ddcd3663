/** Which `/when` index a headless agent has, where no setting says one. */
import { basename, dirname } from 'node:path';
import { nameOfPlace, type Place, personalPlace } from '../surfaces/serving/index.js';
import { foundPaths, type WhenPaths } from '../when/index.js';

/** The folder in which a host keeps its own, in that of its project. */
const HOST_FOLDER = '.eliza';

/**
 * The one that `cue when` finds in the folder that the database belongs to. A person's own database
 * belongs to none.
 */
export function whenPathsFor(place: Place, home?: string): WhenPaths | null {
  if (place.kind !== 'directory') return null;
  if (nameOfPlace(place) === nameOfPlace(personalPlace(home))) return null;
  const folder = dirname(place.directory);
  return foundPaths(basename(folder) === HOST_FOLDER ? dirname(folder) : folder);
}
