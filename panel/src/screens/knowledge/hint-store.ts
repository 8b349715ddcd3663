/** Hints as the server keeps them, asked for over JSON-RPC. */
import { useQuery } from '@tanstack/react-query';
import type { Hint, StorePayload } from '../../../../src/index.js';
import { ApiError, type Ask, ask, type Finding } from '../../api.js';

export type Scope = NonNullable<Hint['meta']['scope']>;

/** One variant of a key: the same key may hold other values in other places. */
export interface StoredHint {
  id: string;
  component: string;
  key: string;
  hint: Hint;
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
  throw new ApiError(error.message, {
    ...{ status: 400, code: reason },
    ...(isSecret ? {} : { details }),
  });
}

/** Of all components, by name; the use of one counts when it was got for a task, not here. */
export function useHints() {
  return useQuery({
    queryKey: ['hints', 'export'],
    queryFn: async () => hintsOf((await callRpc<{ payload: StorePayload }>('export', {})).payload),
    // No event tells of a hint.
    refetchInterval: 20_000,
  });
}

function hintsOf({ components }: StorePayload): StoredHint[] {
  return Object.entries(components)
    .flatMap(([component, { hints, variants = {} }]) =>
      Object.entries(hints).flatMap(([key, hint]) =>
        (variants[key] ?? [hint]).map((one) => ({
          id: JSON.stringify([component, key, one.meta.scope ?? {}]),
          ...{ component, key, hint: one },
        })),
      ),
    )
    .sort((a, b) => a.component.localeCompare(b.component) || a.key.localeCompare(b.key));
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

const FOR_GOOD = 'P100Y';
const DURATION =
  /^P(?:([\d.]+)Y)?(?:([\d.]+)M)?(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?$/i;

/** When it ends: `session`, `never`, or a time. */
export function endOf({
  meta: { ttl = 'session' },
  updated_at,
}: Hint): 'session' | 'never' | number {
  if (ttl.toLowerCase() === 'session') return 'session';
  if (ttl === FOR_GOOD) return 'never';
  const [, ...parts] = DURATION.exec(ttl.replaceAll(',', '.')) ?? [];
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] =
    parts.map((part) => Number(part ?? 0));
  const at = new Date(updated_at);
  at.setUTCMonth(at.getUTCMonth() + years * 12 + months);
  const inDays = (weeks * 7 + days) * 24;
  return at.getTime() + (((inDays + hours) * 60 + minutes) * 60 + seconds) * 1_000;
}
