/** Below which folders a client may read files. */
import { SECOND_MS } from '../../../shared/clock.js';
import { messageOf } from '../../../shared/errors.js';
import type { Connection } from '../connection.js';
import { pathOfFileUri } from './files.js';

const ANSWER_MS = 5 * SECOND_MS;
const MOST = 100;

export interface FileRoots {
  current(): Promise<readonly string[]>;
  /** The client has said that they are others now. */
  forget(): void;
}

/** A local client's own roots, which it is asked for; of any other those of `CUE_FILE_ROOTS`. */
export function createFileRoots({
  server,
  session,
  fileRoots,
  log,
}: Pick<Connection, 'server' | 'session' | 'fileRoots' | 'log'>): FileRoots {
  let asked: Promise<readonly string[]> | null = null;

  async function ask(): Promise<readonly string[]> {
    if (server.getClientCapabilities()?.roots === undefined) return [];
    const { roots } = await server.listRoots(undefined, { timeout: ANSWER_MS });
    return roots.slice(0, MOST).flatMap(({ uri }) => pathOfFileUri(uri) ?? []);
  }

  return {
    async current() {
      if (!session.isLocal) return fileRoots;
      asked ??= ask();
      const mine = asked;
      try {
        return await mine;
      } catch (error) {
        // Asked again with the next file.
        if (asked === mine) asked = null;
        log.debug({ error: messageOf(error) }, 'a client did not tell its roots');
        return [];
      }
    },
    forget() {
      asked = null;
    },
  };
}
