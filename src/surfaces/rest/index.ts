/** The routes of the plugin, served by the Eliza server below `/cue` (docs/rest.md). */
import type { Route } from '@elizaos/core';
import { NotFoundError } from '../../shared/errors.js';
import { agentRoutes } from './agent-routes.js';
import { liveRoutes } from './live-routes.js';
import { mcpRoutes } from './mcp-route.js';
import { openApiRoute } from './openapi.js';
import { operationRoutes } from './operation-routes.js';
import { panelRoutes } from './panel-routes.js';
import { type MakeRoute, type RouteDeps, routeMaker } from './route.js';
import { rpcRoutes } from './rpc/nudge-methods.js';

export { type Listener, type ListenerOptions, startListener } from './listener.js';

export function createRoutes(deps: RouteDeps): Route[] {
  const route = routeMaker(deps);
  return [
    ...agentRoutes(route, deps),
    // The stream of offers before `/offers/:id`, which would take its word.
    ...liveRoutes(route),
    ...operationRoutes(route),
    openApiRoute(route),
    ...rpcRoutes(route),
    ...mcpRoutes(route),
    ...panelRoutes(route, deps.panelFolder),
    ...elsewhere(route),
  ];
}

/** Last: the host would answer what we do not know with the page of its web UI and status 200. */
function elsewhere(route: MakeRoute): Route[] {
  return (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((type) =>
    route({
      type,
      path: '/*',
      unparsed: true,
      handle: async ({ path }) => {
        throw new NotFoundError('route', `${type} ${path}`);
      },
    }),
  );
}

export { serveHeadless } from '../nudge-status.js';
