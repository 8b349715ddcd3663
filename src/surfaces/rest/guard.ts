/**
 * Who may ask. The host checks its token only under `/api`, not on `/cue/…` (ELIZA_GUIDE §9), and
 * its CORS answer at the root allows every origin, so each of our routes checks for itself.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { RouteRequest } from '@elizaos/core';
import { AppError } from '../../shared/errors.js';

/**
 * With a key: `x-api-key` must be it. Without one: the request must not come from another website
 * (Origin), nor through a name that a website made point to this machine (Host, DNS rebinding);
 * reading is guarded like writing, since instructions are private.
 * @throws AppError UNAUTHENTICATED or PERMISSION_DENIED
 */
export function authorize(request: RouteRequest, apiKey: string | undefined): void {
  if (apiKey !== undefined) {
    const given = header(request, 'x-api-key');
    // Of digests neither content nor length shows in the time it takes.
    const digest = (text: string) => createHash('sha256').update(text).digest();
    if (given === undefined || !timingSafeEqual(digest(given), digest(apiKey))) {
      throw new AppError('UNAUTHENTICATED', 'missing or wrong X-API-KEY header');
    }
    return;
  }
  const host = header(request, 'host')?.toLowerCase() ?? '';
  if (!isLocalOrLiteral(host)) {
    throw new AppError(
      'PERMISSION_DENIED',
      'without ELIZA_SERVER_AUTH_TOKEN only localhost and IP addresses are answered: set the token, or call the address',
    );
  }
  const origin = header(request, 'origin');
  if (origin !== undefined && hostOf(origin) !== host) {
    throw new AppError(
      'PERMISSION_DENIED',
      'requests from other websites are refused: set ELIZA_SERVER_AUTH_TOKEN and send it as X-API-KEY',
    );
  }
}

/**
 * The host picks the agent by `?agentId=` and takes the first one without it, whatever id stands in
 * the path: asking one agent and being answered by another must not happen unnoticed.
 * @throws AppError NOT_FOUND
 */
export function checkAgent(request: RouteRequest, agentId: string): void {
  const url = request.url ?? request.path ?? '';
  const inPath = /^(?:\/api)?\/agents\/([^/?]+)\/plugins\//i.exec(url)?.[1];
  const named = [request.query?.agentId, inPath];
  for (const name of named) {
    if (name === undefined) continue;
    if (typeof name !== 'string' || name.toLowerCase() !== agentId.toLowerCase()) {
      throw new AppError(
        'NOT_FOUND',
        `no such agent here: this is ${agentId}; choose another with ?agentId=`,
        { what: 'agent', id: typeof name === 'string' ? name : '' },
      );
    }
  }
}

function header(request: RouteRequest, name: string): string | undefined {
  const value = request.headers?.[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Names that no foreign DNS can hold: `localhost` and below, and addresses. */
function isLocalOrLiteral(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host;
  } catch {
    // `null`: a sandboxed frame or a file.
    return null;
  }
}
