/**
 * Reading, deleting and running as requests of one object each, id included: for surfaces whose calls
 * have no path (MCP). What they mean is decided by the operations themselves.
 */
import { z } from 'zod';
import { parsed } from '../shared/findings.js';
import { type TriggerChange, triggerChangeSchema } from './requests.js';
import {
  isWellFormed,
  type Requester,
  TRIGGER_STATES,
  type TriggerRun,
  type TriggerSummary,
} from './schema.js';
import type { Triggers } from './triggers.js';

/** How long a caller may wait for a run, ms. */
const MAX_WAIT_MS = 20_000;

const id = z.string().min(1).max(100);
const searchText = z
  .string()
  .max(200)
  .refine(
    (text) => !text.includes('\u0000') && isWellFormed(text),
    'must not contain NUL characters',
  );

export const listInputSchema = z.strictObject({
  state: z.enum(TRIGGER_STATES).optional(),
  /** In name or instructions. */
  q: searchText.optional(),
  limit: z.int().min(1).max(500).default(50),
  cursor: z.string().min(1).max(200).optional(),
});
export const idInputSchema = z.strictObject({ id });
export const editInputSchema = triggerChangeSchema.extend({ id });
export const runInputSchema = z.strictObject({
  id,
  /** Waits so long for the end. */
  waitMs: z.int().min(0).max(MAX_WAIT_MS).optional(),
});

export interface CommandsDeps {
  triggers: Pick<Triggers, 'list' | 'remove' | 'run'>;
  change: (id: string, change: TriggerChange, requester: Requester) => Promise<TriggerSummary>;
}

export type TriggerCommands = ReturnType<typeof createCommands>;

/** Each method: @throws InvalidInputError naming each field, and what the operation throws. */
export function createCommands({ triggers, change }: CommandsDeps) {
  return {
    async list(
      raw: unknown,
      requester: Requester,
    ): Promise<{ triggers: TriggerSummary[]; total: number; nextCursor: string | null }> {
      const { state, q, limit, cursor } = parsed(listInputSchema, raw);
      const page = { limit, ...(cursor === undefined ? {} : { cursor }) };
      const filter = {
        ...(state === undefined ? {} : { state }),
        ...(q === undefined ? {} : { text: q }),
      };
      return triggers.list(filter, page, requester);
    },

    async edit(raw: unknown, requester: Requester): Promise<TriggerSummary> {
      const { id, ...fields } = parsed(editInputSchema, raw);
      return change(id, fields, requester);
    },

    async remove(raw: unknown, requester: Requester): Promise<TriggerSummary> {
      return triggers.remove(parsed(idInputSchema, raw).id, requester);
    },

    async run(
      raw: unknown,
      requester: Requester,
    ): Promise<{ runId: string; run: TriggerRun | null; trigger: TriggerSummary | null }> {
      const { id, waitMs } = parsed(runInputSchema, raw);
      return triggers.run(id, requester, waitMs === undefined ? {} : { waitMs });
    },
  };
}
