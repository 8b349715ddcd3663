/** Hints as the server keeps them; what changes them goes over JSON-RPC. */
import { useMemo } from 'react';
import type { Hint, ListedHint } from '../../../../src/index.js';
import { ApiError, type Ask, ask, type Finding } from '../../api.js';
import { useAsk } from '../../queries.js';

export type Scope = NonNullable<Hint['meta']['scope']>;

/** One variant of a key: the same key may hold other values in other places. */
export interface StoredHint extends ListedHint {
  id: string;
}

interface RpcAnswer<T> {
  result?: T;
  error?: {
    code: number;
    message: string;
    data?: { reason?: string; details?: { findings?: Finding[] } };
  };
}

/** The code of a value that looks like a secret. */
export const SECRET = 'E_SECRET_REJECTED';

/** @throws ApiError */
export async function callRpc<T>(
  method: string,
  params: object,
  how: Pick<Ask, 'keepalive'> = {},
): Promise<T> {
  const body = { jsonrpc: '2.0', id: 1, method: `nudge.${method}`, params };
  const { result, error } = await ask<RpcAnswer<T>>('/rpc', { body, ...how });
  if (error === undefined) return result as T;
  const { reason = 'UNKNOWN', details } = error.data ?? {};
  // Of a secret, the place and the rule alone would not say what is wrong.
  const isSecret = reason === SECRET;
  throw new ApiError(isSecret ? secretText(details) : error.message, {
    ...{ status: 400, code: reason },
    ...(isSecret ? {} : { details }),
  });
}

/** The server's own words name an option of its command line. */
function secretText({ findings = [] }: { findings?: readonly Finding[] } = {}): string {
  const found = findings.map(({ field, message }) => `${field} ${message}`).join('; ');
  return `This looks like a secret${found === '' ? '' : ` (${found})`}. Below you can have it kept all the same.`;
}

/** Of all components, by name; the use of one counts when it was got for a task, not here. */
export function useHints() {
  // No event tells of a hint.
  const query = useAsk<{ hints: ListedHint[] }>('hints', '/hints', undefined, { everyMs: 20_000 });
  const hints = useMemo(() => query.data?.hints.map(named), [query.data]);
  return { ...query, data: hints };
}

function named(listed: ListedHint): StoredHint {
  const { component, key, hint } = listed;
  return { ...listed, id: JSON.stringify([component, key, hint.meta.scope ?? {}]) };
}

/** A value in one text, as one would use it. */
export function valueText(value: Hint['value']): string {
  if (typeof value === 'string') return value;
  switch (value.type) {
    case 'command':
      return value.cmd;
    case 'path':
      return value.abs;
    case 'template':
      return value.body;
    case 'json':
      return JSON.stringify(value.data, null, 2);
  }
}

/** Where it holds, as chips: `branch: dev, hotfix/*`. */
export function scopeTexts(scope: Scope = {}): string[] {
  const { env_match = {}, ...lists } = scope;
  const names: Record<string, string> = { cwd_glob: 'folder', env_required: 'needs' };
  return [
    ...Object.entries(lists).map(
      ([name, values]) => `${names[name] ?? name}: ${[values].flat().join(', ')}`,
    ),
    ...Object.entries(env_match).map(([name, values]) => `${name}=${[values].flat().join(' or ')}`),
  ];
}
