/** What led to a memory and what it led to: at most five hops, cycles and long chains safe. */
import { z } from 'zod';
import { type Caller, readerOf } from './access.js';
import type { MemoryContext } from './context.js';
import { MAX_HOPS, walkCauses } from './graph.js';
import { printIn, resolveRef } from './ids.js';
import { parseInput } from './input.js';
import { workMemoryType } from './records.js';
import { DEPTHS, renderMemory } from './render.js';
import type { LinkType } from './schema.js';

export const traceRequestSchema = z.strictObject({
  memory_id: z.string(),
  direction: z.enum(['causes', 'effects', 'both']).default('causes'),
  max_hops: z.number().int().min(1).max(MAX_HOPS, `must be at most ${MAX_HOPS}`).default(MAX_HOPS),
  depth: z.enum(DEPTHS).default('outcome'),
});

export interface TraceStep {
  memory_id: string;
  /** 0: the memory that was asked for. */
  hops: number;
  /** `led_to`: an effect of `from`; `caused_by`: a cause of it. */
  link_type: LinkType | null;
  from: string | null;
  content: string;
}

export interface TraceResult {
  memory_id: string;
  direction: 'causes' | 'effects' | 'both';
  /** Nearest first; the memory asked for stands first. */
  trace: TraceStep[];
  /** More lies behind the bound on hops or memories. */
  truncated: boolean;
  token_count: number;
}

/** @throws InvalidInputError, NotFoundError */
export async function trace(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<TraceResult> {
  const request = parseInput(traceRequestSchema, input);
  const reader = readerOf(caller);
  const { records, clock } = context;
  const ref = request.memory_id;
  const start = await resolveRef(records, 'memory', workMemoryType, ref, reader, 'memory_id');
  const { steps, truncated } = await walkCauses(context, start, reader, {
    direction: request.direction,
    maxHops: request.max_hops,
  });
  const found = await records.get(
    workMemoryType,
    steps.map(({ id }) => id),
    reader,
  );
  const byId = new Map(found.map((record) => [record.id, record]));
  const nowMs = clock.now();
  let tokens = 0;
  const shown = steps.flatMap(({ id, hops, from, link }): TraceStep[] => {
    const record = byId.get(id);
    if (!record) return [];
    const memoryId = printIn(records, 'memory', id);
    const { createdAtMs, data } = record;
    const content = renderMemory({ memoryId, createdAtMs, data }, request.depth, nowMs);
    tokens += content.tokens;
    return [
      {
        memory_id: memoryId,
        hops,
        link_type: link,
        from: from === null ? null : printIn(records, 'memory', from),
        content: content.text,
      },
    ];
  });
  return {
    memory_id: printIn(records, 'memory', start),
    direction: request.direction,
    trace: shown,
    truncated,
    token_count: tokens,
  };
}
