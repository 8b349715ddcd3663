/**
 * Keeps the write-ahead log of an embedded database short. PGlite runs no checkpointer, so the log would
 * grow for as long as the process lives, and whoever opens the database after a kill would read all of it.
 */
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../records/index.js';
import { SECOND_MS } from '../shared/clock.js';

/** Written since the last checkpoint: as much as one file of the log holds. */
const ENOUGH_BYTES = 16 * 1_024 * 1_024;
const LOOK_MS = 2 * SECOND_MS;
/** Nobody has asked the database for that long: a checkpoint takes some 30 ms. */
const QUIET_MS = 200;
/** A database that is never quiet gets its checkpoint all the same. */
const MOST_PUT_OFF = 5;

/** The part of PGlite 0.3 that is used: every statement passes here. */
interface Client {
  execProtocolRawSync(message: Uint8Array): Uint8Array;
}

export interface LogSize {
  /** No statement of this is under way any more when it resolves. */
  stop(): Promise<void>;
}

/** @param client the host's PGlite behind `db` */
export function keepLogShort(client: object, db: Database): LogSize {
  const embedded = client as Client;
  const execute = embedded.execProtocolRawSync.bind(embedded);
  let usedAtMs = 0;
  let isUsed = true;
  embedded.execProtocolRawSync = (message) => {
    usedAtMs = performance.now();
    isUsed = true;
    return execute(message);
  };
  let putOff = 0;
  let look: Promise<void> | null = null;

  async function checkpointWhenDue(): Promise<void> {
    const [row] = await rowsOf(
      db,
      sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`,
    );
    if (Number(row?.bytes) >= ENOUGH_BYTES) await db.execute(sql`checkpoint`);
    // These were our own statements.
    isUsed = false;
  }

  const timer = setInterval(() => {
    if (look || !isUsed) return;
    putOff += 1;
    if (performance.now() - usedAtMs < QUIET_MS && putOff <= MOST_PUT_OFF) return;
    putOff = 0;
    look = checkpointWhenDue()
      // A database that was taken over, or fails, says so to whoever asks it for something.
      .catch(() => undefined)
      .finally(() => {
        look = null;
      });
  }, LOOK_MS);
  timer.unref();

  return {
    async stop() {
      clearInterval(timer);
      await look;
    },
  };
}
