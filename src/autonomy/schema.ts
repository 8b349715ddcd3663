import { z } from 'zod';
import { DAY_MS, SECOND_MS } from '../shared/clock.js';

const MIN_LOOP_INTERVAL_MS = 5 * SECOND_MS;

/** A change of the autonomy settings; what is absent stays. */
export const autonomyChangeSchema = z.strictObject({
  enabled: z.boolean().optional(),
  loop: z.boolean().optional(),
  intervalMs: z.int().min(MIN_LOOP_INTERVAL_MS).max(DAY_MS).optional(),
});
export type AutonomyChange = z.infer<typeof autonomyChangeSchema>;
