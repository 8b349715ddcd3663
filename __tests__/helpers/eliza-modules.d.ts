/** Two host packages whose declarations are missing or broken in 1.7.2 (ELIZA_GUIDE §13). */
declare module '@elizaos/plugin-bootstrap' {
  import type { Plugin } from '@elizaos/core';

  const bootstrapPlugin: Plugin;
  export default bootstrapPlugin;
}

declare module '@elizaos/plugin-sql' {
  import type { IDatabaseAdapter, Plugin, UUID } from '@elizaos/core';

  const sqlPlugin: Plugin;
  export default sqlPlugin;
  export function createDatabaseAdapter(
    config: { dataDir?: string; postgresUrl?: string },
    agentId: UUID,
  ): IDatabaseAdapter;
  export class DatabaseMigrationService {
    initializeWithDatabase(db: unknown): Promise<void>;
    discoverAndRegisterPluginSchemas(plugins: Plugin[]): void;
    runAllPluginMigrations(options?: Record<string, unknown>): Promise<void>;
  }
}
