/** Whose program listens on a port of this machine, where the system says so (Linux, `/proc`). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENS = '0A';
/** As `/proc/net/tcp` and `tcp6` write them: whoever listens at exactly this address is connected first. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set([
  '0100007F',
  '0000000000000000FFFF00000100007F',
]);
const ALL_ADDRESSES: ReadonlySet<string> = new Set(['00000000', '0'.repeat(32)]);

/**
 * Whether a connection to 127.0.0.1 at this port comes to this process; `null`: the system does not say,
 * or not of a process of somebody else.
 */
export function isPortOf(pid: number, port: number): boolean | null {
  const sockets = listeners(port);
  if (sockets === null) return null;
  if (sockets.size === 0) return false;
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => sockets.has(targetOf(`${folder}/${name}`)));
  } catch {
    return null;
  }
}

/** As the links of a process to its sockets are called. */
function listeners(port: number): Set<string> | null {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].map(rowsOf);
  if (rows.every((one) => one === null)) return null;
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const own = new Set<string>();
  const all = new Set<string>();
  for (const row of rows.flatMap((one) => one ?? [])) {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    const [address = '', found] = local.split(':');
    if (state !== LISTENS || found !== wanted) continue;
    if (OWN_ADDRESSES.has(address)) own.add(`socket:[${inode}]`);
    else if (ALL_ADDRESSES.has(address)) all.add(`socket:[${inode}]`);
  }
  return own.size > 0 ? own : all;
}

function rowsOf(path: string): string[] | null {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(1);
  } catch {
    return null;
  }
}

/** Empty: closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
