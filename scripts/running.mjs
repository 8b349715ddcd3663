/** Finds the server of `npm start` that already runs on the data directory. Plain Node: nothing need be installed. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ANSWER_MS = 3_000;

/**
 * The address and the process of the server that has the database open, or undefined.
 * @param environment as `npm start` reads it, the `.env` of the directory included
 */
export async function runningServer(environment) {
  if (environment.POSTGRES_URL) return undefined;
  const holder = lockOf(databaseDirectory(environment));
  if (holder?.kind !== 'agent' || !holder.port) return undefined;
  const given = environment.SERVER_HOST;
  const host = !given || given === '0.0.0.0' || given === '::' ? '127.0.0.1' : given;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${holder.port}`;
  try {
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return { url, pid: holder.pid };
  } catch {
    // What a dead process has left; one that does not answer is named when its lock is asked for.
    return undefined;
  }
}

/** As demo/environment.ts has it. */
function databaseDirectory({ CUE_DATA_DIR, PGLITE_DATA_DIR }) {
  if (PGLITE_DATA_DIR) return resolve(PGLITE_DATA_DIR);
  return join(resolve(CUE_DATA_DIR || '.cue'), 'db');
}

function lockOf(directory) {
  const path = `${directory}.cue-lock`;
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
