/** `/cue/autonomy`: how the autonomous side stands, and changing it. */
import type { Route } from '@elizaos/core';
import { z } from 'zod';
import { type AutonomyService, autonomyChangeSchema } from '../../autonomy/index.js';
import { autonomyOf, MAX_WAIT_MS } from '../../operations/index.js';
import { AppError, InvalidInputError } from '../../shared/errors.js';
import type { MakeRoute } from './route.js';

const changeBody = autonomyChangeSchema.extend({ runCycle: z.boolean().optional() });

export function autonomyRoutes(route: MakeRoute): Route[] {
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
          throw new InvalidInputError([{ field: '(body)', message: 'holds nothing to change' }]);
        }
        const { runCycle, ...change } = body;
        if (Object.keys(change).length > 0) await service.configure(change);
        if (!runCycle) return { status: 200, body: await service.status() };
        const cycle = await oneCycle(service);
        return { status: cycle ? 200 : 202, body: { ...(await service.status()), cycle } };
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
