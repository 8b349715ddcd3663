/** One hand-over from a headless agent that is writing to an Eliza agent, and what must hold then. */
import { expect } from 'vitest';
import { type AgentProcess, type ChildConfig, startAgent } from './children.js';
import { type HeadlessProcess, startHeadlessProcess } from './headless.js';

export interface HandOver {
  /** Every hint that was acknowledged. */
  acknowledged: string[];
  agent: AgentProcess;
}

/** Asks a process's open database. */
export type Ask = (statement: string) => Promise<Record<string, unknown>[]>;

const NAME = 'Handed Over';

/** A headless agent of the same name as the Eliza agent. */
export async function headlessOn(dataDir: string, level = 'error'): Promise<HeadlessProcess> {
  const headless = startHeadlessProcess({
    PGLITE_DATA_DIR: dataDir,
    CUE_AGENT: NAME,
    NUDGE_LOG_LEVEL: level,
    // The child's own imports bring the host before the agent is started.
    LOG_LEVEL: level,
    NUDGE_MAX_HINTS: '100000',
  });
  await headless.next('ready');
  return headless;
}

/** Opens the database in the host's code, before the plugin is asked, as every host does. */
export function agentOn(dataDir: string, kind: ChildConfig['kind']): AgentProcess {
  return startAgent({
    kind,
    dataDir,
    name: NAME,
    migrated: true,
    settings: { NUDGE_MAX_HINTS: '100000' },
  });
}

export async function keysIn(ask: Ask): Promise<string[]> {
  const rows = await ask(
    `select metadata->'data'->>'key' as key from memories where type = 'cue_hint'`,
  );
  return rows.map(({ key }) => String(key));
}

/**
 * @param delayMs from the first acknowledged hint until the Eliza agent is started
 * @returns when that agent is ready, and the headless one has left the database
 */
export async function handOver(
  headless: HeadlessProcess,
  dataDir: string,
  { delayMs, name, kind }: { delayMs: number; name: string; kind: ChildConfig['kind'] },
): Promise<HandOver> {
  headless.send({ kind: 'write', name });
  await headless.next('acknowledged');
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  const agent = agentOn(dataDir, kind);
  const { error } = await headless.next('stopped');
  expect(error).toMatch(/has opened|not running|could not be stored|Failed query/);
  await headless.next('closed');
  await agent.ready;
  expect(headless.events.find((event) => event.kind === 'wanted')).toMatchObject({ how: 'opened' });
  return { acknowledged: headless.acknowledged(), agent };
}

/** Every row of every table can be read, and an index says the same as the rows. */
export async function expectSound(ask: Ask): Promise<void> {
  const tables = await ask(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(20);
  for (const { name } of tables) {
    const [row] = await ask(`select count(*) as n, sum(length(t::text)) as size from ${name} t`);
    expect(Number(row?.n)).toBeGreaterThanOrEqual(0);
  }
  const [rows] = await ask('select count(*) as n from memories');
  const [indexed] = await ask(
    `select count(*) as n from memories m
      where exists (select 1 from memories o where o.id = m.id)`,
  );
  expect(indexed).toEqual(rows);
}
