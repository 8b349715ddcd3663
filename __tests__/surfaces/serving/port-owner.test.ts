import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { isPortOf } from '../../../src/server/server-probe.js';
import { freePort } from '../../helpers/free-port.js';
import { withProc } from '../../helpers/where.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listenAt(host: string): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe.runIf(withProc())('a port', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('is of the process that listens at %s', async (host) => {
    const port = await listenAt(host);
    expect(isPortOf(process.pid, port)).toBe(true);
    expect(isPortOf(process.ppid, port)).not.toBe(true);
  });

  it('where nobody listens is of no process', async () => {
    expect(isPortOf(process.pid, await freePort())).toBe(false);
  });

  it('is not known of a process that is gone', async () => {
    expect(isPortOf(2 ** 30, await listenAt('127.0.0.1'))).toBeNull();
  });
});
