/**
 * One database for several agent processes. `npm run test:postgres` has it on a real server; else it is
 * PGlite behind a socket, so that the host's real `pg` driver runs. That one has one backend: statements
 * of different processes take turns (DESIGN §3).
 */
import { PGlite } from '@electric-sql/pglite';
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch';
import { vector } from '@electric-sql/pglite/vector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { freePort } from './free-port.js';
import { dropDatabase, isOnPostgres, postgresDatabase } from './postgres.js';

export interface SharedDatabase {
  url: string;
  close(): Promise<void>;
}

export async function openSharedDatabase(): Promise<SharedDatabase> {
  if (isOnPostgres()) {
    const url = await postgresDatabase();
    return { url, close: () => dropDatabase(url) };
  }
  const db = await PGlite.create({ extensions: { vector, fuzzystrmatch } });
  const port = await freePort();
  const server = new PGLiteSocketServer({
    db: oneStatementAtATime(db),
    port,
    host: '127.0.0.1',
    maxConnections: 50,
  });
  await server.start();
  return {
    url: `postgresql://postgres:postgres@127.0.0.1:${port}/postgres`,
    async close() {
      await server.stop();
      await db.close();
    },
  };
}

const SYNC = 'S'.charCodeAt(0);
/** What must be followed by more of the same connection: Parse, Bind, Describe, Execute, Close, Flush … */
const OPENING = new Set([...'PBDECH'].map((letter) => letter.charCodeAt(0)));
/** … and the start of a connection (a message without a letter), which the password ends. */
OPENING.add(0);
const CLOSING = new Set([SYNC, 'p'.charCodeAt(0)]);

/**
 * The socket server (0.0.22) lets the messages of several connections take turns one by one: the
 * Parse of one is followed by the Bind of another, a log-in by somebody's statement, and answers
 * are lost, so that clients wait for ever. It does keep to one connection while a transaction is
 * open, so an unfinished statement or log-in is shown to it as one.
 */
function oneStatementAtATime(db: PGlite): PGlite {
  let unfinished = false;
  const shown: Pick<PGlite, 'isInTransaction' | 'execProtocolRaw' | 'exec'> = {
    isInTransaction: () => unfinished || db.isInTransaction(),
    execProtocolRaw(message, options) {
      const kind = message[0] ?? 0;
      if (OPENING.has(kind)) unfinished = true;
      else if (CLOSING.has(kind)) unfinished = false;
      return db.execProtocolRaw(message, options);
    },
    // What the server says when a connection is gone: ROLLBACK.
    async exec(query, options) {
      if (unfinished) await db.execProtocolRaw(Uint8Array.of(SYNC, 0, 0, 0, 4));
      unfinished = false;
      return db.isInTransaction() ? db.exec(query, options) : [];
    },
  };
  return new Proxy(db, {
    get(target, key) {
      const value: unknown = Reflect.get(key in shown ? shown : target, key);
      return typeof value === 'function' ? value.bind(key in shown ? shown : target) : value;
    },
  });
}
