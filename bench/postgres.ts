/** The same rows on a real PostgreSQL server, for `--postgres`: each bench agent has a database of its own. */
import { administer, TEMPLATE } from '../__tests__/helpers/postgres.js';
import { setup } from '../__tests__/helpers/postgres-server.js';
import type { Row } from './stats.js';

/**
 * Runs a suite while the server of `npm run test:postgres` runs, and leaves no database there.
 *
 * @throws Error when this machine cannot have such a server, with the reason
 */
export async function onPostgres(suite: () => Promise<Row[]>): Promise<Row[]> {
  const stop = await setup();
  try {
    const rows = await suite();
    const made = await administer(
      `select datname from pg_database where datname like 'cue\\_%' and datname <> '${TEMPLATE}'`,
    );
    for (const { datname } of made) await administer(`drop database ${datname} with (force)`);
    return rows.map((row) => ({ ...row, on: 'PostgreSQL' as const }));
  } finally {
    stop();
  }
}
