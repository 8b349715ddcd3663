/** In which folder a headless agent has its `/when` index, where no setting says one. */
import { basename, dirname } from 'node:path';
import { nameOfPlace, type Place, personalPlace } from '../surfaces/serving/index.js';

/** The folder in which a host keeps its own, in that of its project. */
const HOST_FOLDER = '.eliza';

/**
 * The folder that the database belongs to, where `cue when` looks, too. A person's own database belongs to
 * none.
 */
export function whenFolderFor(place: Place, home?: string): string | null {
  if (place.kind !== 'directory') return null;
  if (nameOfPlace(place) === nameOfPlace(personalPlace(home))) return null;
  const folder = dirname(place.directory);
  return basename(folder) === HOST_FOLDER ? dirname(folder) : folder;
}
