/** Below which folders a client may read files. */
import { z } from 'zod';
import { SECOND_MS } from '../../../shared/clock.js';
import { messageOf } from '../../../shared/errors.js';
import type { Connection } from '../connection.js';
import { pathOfFileUri } from './files.js';

/** Each by itself: the SDK's schema takes none of a list in which one is no file. */
const Told = z.looseObject({ roots: z.array(z.unknown()) });
const Root = z.looseObject({ uri: z.string() });
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
    const { roots } = await server.request({ method: 'roots/list' }, Told, { timeout: ANSWER_MS });
    const paths = roots.flatMap((root) => {
      const { data } = Root.safeParse(root);
      return data === undefined ? [] : (pathOfFileUri(data.uri) ?? []);
    });
    return paths.slice(0, MOST);
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
