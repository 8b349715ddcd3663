/** Work memory as tools (seed `rum-architecture.md`, MCP Interface Layer). */
import { z } from 'zod';
import { memoryOf } from '../../services.js';
import type { ToolSpec } from '../types.js';

const memoryId = z.string().describe('mem_… or at least 8 hex digits');

export const memoryTools: readonly ToolSpec[] = [
  {
    name: 'list',
    group: 'memory',
    isDefault: true,
    title: 'List memories',
    description: 'Pages through stored work memories with filters.',
    input: z.strictObject({ limit: z.int().optional() }),
    output: z.object({ memories: z.array(z.object({ memory_id: memoryId })), total: z.int() }),
    reads: true,
    isIdempotent: true,
    run: (input, { runtime, session }) => memoryOf(runtime).list(input, session.caller()),
    text: (result) => JSON.stringify(result),
  },
];
