import type { PGlite } from '@electric-sql/pglite';

const SINGLETONS = Symbol.for('@elizaos/plugin-sql/global-singletons');

/**
 * The host keeps one PGlite per process; a closed one must be forgotten before the next. The files of
 * a worker share their modules, and what a file holds in a variable stays: so the memory of a closed
 * database, 220 MB, is let go here, whoever still holds its agent.
 */
export function forgetPglite(): void {
  const held: unknown = Reflect.get(globalThis, SINGLETONS);
  if (!isObject(held)) return;
  const manager: unknown = Reflect.get(held, 'pgLiteClientManager');
  Reflect.set(held, 'pgLiteClientManager', undefined);
  const client: unknown = isObject(manager) ? Reflect.get(manager, 'client') : undefined;
  if (!isObject(client) || Reflect.get(client, 'closed') !== true) return;
  Reflect.set(client, 'mod', undefined);
  Reflect.set(client, 'fs', undefined);
}

/** Makes it the one PGlite of this process, as if the host had opened it. */
export function usePglite(client: PGlite): void {
  const held: unknown = Reflect.get(globalThis, SINGLETONS);
  if (!isObject(held)) throw new Error('the host keeps its database elsewhere now');
  Reflect.set(held, 'pgLiteClientManager', {
    client,
    getConnection: () => client,
    isShuttingDown: () => client.closed,
    initialize: async () => {},
    close: () => client.close(),
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
