/** Whoever serves, for people. */

import type { Identity } from '../../../server/client.js';
import { ageOf } from '../../../shared/ages.js';

export function serverLines(
  { kind, pid, started, sessionId, agentId, database }: Identity,
  port: number,
  nowMs: number,
): string[] {
  const age = started === undefined ? null : ageOf(Date.parse(started), nowMs);
  return [
    `${kind === 'eliza' ? 'Eliza server' : 'PRIMARY (headless)'}: process ${pid}, port ${port}`,
    ...(age === null ? [] : [`  started: ${started} (${age})`]),
    `  session: ${sessionId}`,
    `  agent: ${agentId}`,
    `  database: ${database ?? 'a database server, or none that is kept'}`,
  ];
}
