/** `cue://memory/{id}`: one work memory, and the newest of them as a list. */
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import type { MemoryView } from '../../../memory/index.js';
import { memoryOf, quoted, readable } from '../../../operations/index.js';
import { NotFoundError } from '../../../shared/errors.js';
import { safe } from '../../../shared/safe-text.js';
import type { ResourceCall, ResourceSpec } from './types.js';

const URI = 'cue://memory/';
const PAGE = 50;
const TITLE = 120;
/** Most of one page of the service. */
const NEWEST = 100;

export const memoryResource: ResourceSpec = {
  uri: `${URI}{id}`,
  name: 'memory',
  title: 'Work memory',
  description: 'One work memory in full. Reading it counts as a recall.',
  mimeType: 'text/plain',
  async read(id, { runtime, session }) {
    const input = { memory_id: id, depth: 'full', include_links: true };
    const { memories } = await memoryOf(runtime).recall(input, session.caller());
    const [memory] = memories;
    if (!memory) throw new NotFoundError('memory', id);
    const { memory_id, created_at, content } = memory;
    return { text: quoted([`[${memory_id}, ${created_at.slice(0, 10)}]\n${readable(content)}`]) };
  },
  /** Among the newest. */
  async complete(begun, call) {
    const { memories, isPart } = await newest(call);
    const ids = memories.map(({ memory_id }) => memory_id);
    const begins = (id: string) => id.startsWith(`mem_${begun.trim().toLowerCase()}`);
    return { values: [...ids.filter(begins), ...ids], isPart };
  },
};

/** The newest memories of the project, a page at a time. @throws AppError INVALID_INPUT: cursor */
export async function listedMemories(
  { runtime, session }: ResourceCall,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor: string | null }> {
  const page = { own: false, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
  const { memories, next_cursor } = await memoryOf(runtime).list(page, session.caller());
  return { resources: memories.map(listed), nextCursor: next_cursor };
}

/** For completion: the newest of the project, and whether there are more. */
export async function newest({
  runtime,
  session,
}: ResourceCall): Promise<{ memories: MemoryView[]; isPart: boolean }> {
  const page = { own: false, limit: NEWEST };
  const { memories, next_cursor } = await memoryOf(runtime).list(page, session.caller());
  return { memories, isPart: next_cursor !== null };
}

function listed({ memory_id, created_at, intent, outcome, importance }: MemoryView): Resource {
  return {
    uri: `${URI}${memory_id}`,
    name: memory_id,
    title: safe(`${outcome.success ? '✓' : '✗'} ${intent.goal}`, TITLE),
    mimeType: memoryResource.mimeType,
    annotations: { audience: ['assistant'], priority: importance, lastModified: created_at },
  };
}
