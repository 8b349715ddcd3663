/** An import of work memories that dies in the middle, again and again, on one directory. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { derivedId } from '../../src/shared/ids.js';
import { type AgentProcess, newDirectory, startAgent, until } from './children.js';

/** An export of so many memories in a chain of causes, and their links: one line each. */
export function exportOf(seed: number, count: number): string {
  const place = { created_at: '2026-03-02T09:00:00.000Z', visibility: 'project' };
  const agent_id = derivedId('kill', seed);
  const idOf = (n: number) => derivedId('kill memory', seed, n);
  const lines: unknown[] = [];
  for (let n = 0; n < count; n += 1) {
    lines.push({
      kind: 'memory',
      ...place,
      id: idOf(n),
      data: {
        intent: { goal: `lantern ${n} was trimmed ${seed}`, task_type: 'other' },
        outcome: { success: n % 2 === 0, summary: `wick ${n}` },
        agent_id,
      },
    });
  }
  for (let n = 1; n < count; n += 1) {
    lines.push({
      kind: 'link',
      ...place,
      id: derivedId('kill link', seed, n),
      data: { source_id: idOf(n), target_id: idOf(n - 1), link_type: 'caused_by', agent_id },
    });
  }
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

/** Rows of ours that are not whole: no data, no text, a link into nothing, a vector of nobody. */
const BROKEN = `
  select 'memory' as what, id::text from memories where type = 'cue_work_memory'
    and (metadata->'data'->'intent'->>'goal' is null or metadata->>'revision' is null
      or coalesce(content->>'text', '') = '')
  union all
  select 'link', l.id::text from memories l where l.type = 'cue_memory_link' and not (
    exists (select 1 from memories m where m.id::text = l.metadata->'data'->>'source_id')
    and exists (select 1 from memories m where m.id::text = l.metadata->'data'->>'target_id'))
  union all
  select 'vector', e.id::text from embeddings e
    left join memories m on m.id = e.memory_id where m.id is null`;

async function countOf(agent: AgentProcess, type: string): Promise<number> {
  const rows = await agent.call(
    'rows',
    `select count(*)::int as n from memories where type = '${type}'`,
  );
  return Number(rows[0]?.n);
}

/**
 * Kills the import at each of the moments (ms, or when there are some); then lets it end, and
 * everything is there once, found by its words, with its links and, once the re-embedder has been,
 * with a vector each.
 */
export async function surviveKills(
  seed: number,
  count: number,
  kills: readonly (number | 'some are stored')[],
): Promise<void> {
  const dataDir = join(newDirectory(), 'db');
  const start = () => startAgent({ kind: 'bare', dataDir, slim: true });
  const jsonl = exportOf(seed, count);
  let agent = start();
  let stored = 0;
  for (const moment of kills) {
    await agent.ready;
    agent.call('importMemories', jsonl).catch(() => {});
    if (moment === 'some are stored') {
      await until('some are stored', async () =>
        (await countOf(agent, 'cue_work_memory')) > 0 ? true : null,
      );
    } else {
      await new Promise((resolve) => setTimeout(resolve, moment));
    }
    await agent.kill();
    agent = start();
    await agent.ready;
    expect(await agent.call('rows', BROKEN)).toEqual([]);
    stored = (await countOf(agent, 'cue_work_memory')) + (await countOf(agent, 'cue_memory_link'));
  }
  const result = await agent.call('importMemories', jsonl);
  expect(result.rejected).toEqual([]);
  expect(result).toMatchObject({ imported: 2 * count - 1 - stored, skipped: stored });
  if (kills.includes('some are stored')) expect(stored).toBeGreaterThan(0);
  expect(await countOf(agent, 'cue_work_memory')).toBe(count);
  expect(await countOf(agent, 'cue_memory_link')).toBe(count - 1);
  const found = await agent.call('recallMemories', `lantern ${count - 1} trimmed`, 5);
  const last = derivedId('kill memory', seed, count - 1)
    .replaceAll('-', '')
    .slice(0, 8);
  expect(found[0]).toBe(`mem_${last}`);
  await until(
    'every memory has its vector',
    async () => {
      const rows = await (agent as AgentProcess).call(
        'rows',
        "select count(*)::int as n from embeddings e join memories m on m.id = e.memory_id where m.type = 'cue_work_memory'",
      );
      return rows[0]?.n === count ? true : null;
    },
    60_000,
  );
  expect(await agent.call('rows', BROKEN)).toEqual([]);
  await agent.kill();
}
