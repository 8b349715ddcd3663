/** Which memory the clients of a project come to have, and how it gets one of its own. */
import { join } from 'node:path';
import { AppError, messageOf } from '../../../shared/errors.js';
import { makeFolder } from '../../../shared/make-folder.js';
import { meantPlace, shownPlace } from '../../serving/place.js';
import type { Machine } from './clients.js';

const DATABASE = join('.eliza', '.elizadb');

/**
 * The folder in which its database will be: whoever starts below the project means that one from now on.
 * @returns in words, what was done
 * @throws AppError CONFLICT when it cannot be made
 */
export function giveOwnMemory({ project }: Machine, { dryRun = false } = {}): string {
  const folder = join(project, DATABASE);
  try {
    if (!dryRun) makeFolder(folder, 0o700);
  } catch (error) {
    throw unmade(folder, error);
  }
  const made = dryRun ? 'would be' : 'is';
  return `the memory of this project ${made} in ${folder}: keep .eliza out of version control`;
}

/** In one sentence, what clients started in the project will remember in. */
export function memoryTold({ project, env }: Machine): string {
  const place = meantPlace(env, project);
  if (place !== null) return `memory: ${shownPlace(place)}`;
  return (
    'memory: that of the running Eliza agent, else ~/.cue/db, which all projects without one of their own ' +
    'share; "cue mcp install --own-memory" gives this project its own'
  );
}

function unmade(folder: string, cause: unknown): AppError {
  return new AppError('CONFLICT', `${folder} cannot be made: ${messageOf(cause)}`, {}, { cause });
}
