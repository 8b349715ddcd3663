/** A bare agent on a real database, as the record contract sees it: nothing of ours but records. */
import { AgentRuntime, ChannelType, type IAgentRuntime, stringToUuid } from '@elizaos/core';
import sqlPlugin, { createDatabaseAdapter } from '@elizaos/plugin-sql';
import { sql } from 'drizzle-orm';
import { databaseOf, ensureHome, ensureIndexes, RECORD_INDEXES } from '../../src/records/index.js';
import { forgetPglite } from '../helpers/pglite.js';
import { fromTemplate, migrate } from '../helpers/template.js';
import type { RecordDatabase } from './record-store.js';

export interface OpenRecordDatabase extends RecordDatabase {
  runtime: IAgentRuntime;
  close(): Promise<void>;
}

/**
 * @param postgresUrl a server; PGlite in memory when absent
 * @param agentName another one for each run, where the database outlives it
 */
export async function openRecordDatabase(
  postgresUrl?: string,
  agentName = 'Records Test',
): Promise<OpenRecordDatabase> {
  forgetPglite();
  const character = { name: agentName, bio: ['tests'] };
  const agentId = stringToUuid(character.name);
  if (postgresUrl === undefined) await fromTemplate();
  const adapter = createDatabaseAdapter(
    postgresUrl === undefined ? { dataDir: 'memory://' } : { postgresUrl },
    agentId,
  );
  await adapter.init();
  await migrate(adapter);
  const runtime = new AgentRuntime({ character, agentId, adapter, plugins: [sqlPlugin] });
  await runtime.initialize();
  const db = databaseOf(runtime);
  await ensureIndexes(db, RECORD_INDEXES);
  return {
    db,
    runtime,
    home: await ensureHome(runtime),
    async makeChat(name) {
      const roomId = stringToUuid(`room-${name}-${agentName}`);
      const entityId = stringToUuid(`user-${name}-${agentName}`);
      const worldId = stringToUuid(`world-${name}-${agentName}`);
      await runtime.ensureConnection({
        entityId,
        roomId,
        worldId,
        userName: name,
        name,
        source: 'test',
        type: ChannelType.DM,
        channelId: roomId,
        messageServerId: worldId,
      });
      return { roomId, entityId };
    },
    async deleteChat({ roomId, entityId }) {
      await runtime.deleteRoom(roomId);
      await db.execute(sql`delete from entities where id = ${entityId}`);
    },
    async close() {
      await runtime.stop();
      await runtime.close();
      forgetPglite();
    },
  };
}
