/** `/cue/autonomy`, `/cue/settings`: how the agent stands, what serves and who is connected; changing what may be. */
import { ModelType, type Route } from '@elizaos/core';
import { z } from 'zod';
import { type AutonomyService, autonomyChangeSchema } from '../../autonomy/index.js';
import { modelProvider, startedService } from '../../host/index.js';
import { autonomyOf, MAX_WAIT_MS, memoryOf } from '../../operations/index.js';
import { AppError, wrongField } from '../../shared/errors.js';
import { packageVersion } from '../../shared/package-version.js';
import { McpService } from '../mcp/index.js';
import type { MakeRoute, RouteDeps } from './route.js';

const MODELS = [ModelType.TEXT_LARGE, ModelType.TEXT_SMALL, ModelType.TEXT_EMBEDDING] as const;

const changeBody = autonomyChangeSchema.extend({ runCycle: z.boolean().optional() });

export function agentRoutes(route: MakeRoute, { settings }: RouteDeps): Route[] {
  return [
    route({
      type: 'GET',
      path: '/autonomy',
      handle: async ({ runtime }) => ({ status: 200, body: await autonomyOf(runtime).status() }),
    }),
    route({
      type: 'POST',
      path: '/autonomy',
      body: changeBody,
      handle: async ({ runtime, body }) => {
        const service = autonomyOf(runtime);
        if (Object.keys(body).length === 0) {
          throw wrongField('(body)', 'holds nothing to change');
        }
        const { runCycle, ...change } = body;
        if (Object.keys(change).length > 0) await service.configure(change);
        if (!runCycle) return { status: 200, body: await service.status() };
        const cycle = await oneCycle(service);
        return { status: cycle ? 200 : 202, body: { ...(await service.status()), cycle } };
      },
    }),
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

/** `null`: it takes longer than a caller can wait and goes on. */
async function oneCycle(service: AutonomyService): Promise<{ instructions: number } | null> {
  const blocked = await service.unavailable();
  if (blocked !== null) throw new AppError('DISABLED', blocked);
  if ((await service.status()).cycling)
    throw new AppError('CONFLICT', 'a cycle is under way already');
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), MAX_WAIT_MS);
  });
  const done = await Promise.race([service.runCycle(), patience]);
  clearTimeout(timer);
  return done;
}
