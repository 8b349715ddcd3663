/**
 * Who has an embedded database open without our lock: a host opens it before any plugin can take the
 * lock, and a host without the plugin never takes one. Known only where /proc shows open files (Linux).
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { realPath } from '../shared/real-path.js';

/** Another process with a file of the directory open; `null`: none that can be seen. Blocks for milliseconds. */
export function openerOf(directory: string): number | null {
  const below = realPath(resolve(directory)) + sep;
  for (const name of entriesOf('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const files = `/proc/${pid}/fd`;
    if (entriesOf(files).some((handle) => targetOf(`${files}/${handle}`).startsWith(below))) {
      return pid;
    }
  }
  return null;
}

/** Of other users' processes nothing is shown. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
