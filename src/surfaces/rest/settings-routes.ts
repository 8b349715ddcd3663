/** `GET /cue/settings`: what is on, what serves, and who is connected. */
import { ModelType, type Route } from '@elizaos/core';
import { modelProvider, startedService } from '../../host/index.js';
import { memoryOf } from '../../operations/index.js';
import { packageVersion } from '../../shared/package-version.js';
import { McpService } from '../mcp/index.js';
import type { MakeRoute, RouteDeps } from './route.js';

const MODELS = [ModelType.TEXT_LARGE, ModelType.TEXT_SMALL, ModelType.TEXT_EMBEDDING] as const;

export function settingsRoutes(route: MakeRoute, { settings }: RouteDeps): Route[] {
  return [
    route({
      type: 'GET',
      path: '/settings',
      handle: async ({ runtime }) => {
        const { embeddings } = await memoryOf(runtime).health();
        const project = runtime.getSetting('CUE_PROJECT');
        const provided = MODELS.map((type) => [
          type,
          runtime.getModel(type) === undefined ? null : modelProvider(runtime, type),
        ]);
        return {
          status: 200,
          body: {
            version: packageVersion(),
            agent: { id: runtime.agentId, name: runtime.character.name },
            project: typeof project === 'string' && project !== '' ? project : null,
            settings: settings?.(runtime) ?? [],
            embedder: embeddings,
            models: Object.fromEntries(provided),
            clients: startedService(runtime, McpService, 'MCP').clients(),
          },
        };
      },
    }),
  ];
}
