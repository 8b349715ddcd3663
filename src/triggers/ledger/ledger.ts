/**
 * The run ledger: the truth about what ran. An occurrence is claimed by inserting its row; who
 * inserted it runs it. The row carries the lease (DESIGN §4). Every change is a compare-and-set on
 * the lease, so a holder that lost it can change nothing.
 */
import type { Records } from '../../records/index.js';
import { createAttempts } from './attempts.js';
import { createClaims } from './claims.js';
import { createRunCounts } from './counts.js';
import { createRunReading } from './reading.js';
import { createRetention } from './retention.js';
import { createRunTable } from './table.js';
import { createWaiting } from './waiting.js';

/** A lease is renewed three times before it would run out. */
const LEASE_MS = 30_000;

export type Ledger = ReturnType<typeof createLedger>;

export function createLedger(records: Records, leaseMs: number = LEASE_MS) {
  const table = createRunTable(records);
  return {
    ...createAttempts(table),
    ...createClaims(table, leaseMs),
    ...createWaiting(table, leaseMs),
    ...createRunReading(table),
    ...createRunCounts(table),
    ...createRetention(table),
  };
}
