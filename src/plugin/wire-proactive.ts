/** How one agent's offers are put together from settings, the host and work memory. */
import type { IAgentRuntime } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import {
  ProactiveService,
  type ProactiveServiceDeps,
  parseConfig,
  type TurnStore,
} from '../proactive/index.js';
import {
  type Database,
  databaseOf,
  pgliteDirectory,
  projectIdOf,
  rowsOf,
} from '../records/index.js';
import { offersEnabledNow, type Settings, settingReader } from '../settings.js';
import { InvalidInputError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { hintSlot } from './wire-hints.js';
import { startedWorkMemory } from './wire-memory.js';
import { whenSlot } from './wire-when.js';

/** What is no object, since anybody may write there, is an empty one. */
const STORED = sql`case when jsonb_typeof(cache.value) = 'object' then cache.value else '{}'::jsonb end`;

/** Each agent has a row of its own; those of a project are read together. */
export function turnsIn(
  db: () => Database,
  { agentId, projectId }: { agentId: Uuid; projectId: Uuid },
): TurnStore {
  const key = `cue:turns:${projectId}`;
  return {
    async read() {
      const rows = await rowsOf<{ day: string; turns: number }>(
        db(),
        sql`select days.day, sum(days.turns::text::float8) as turns
          from cache, jsonb_each(${STORED}) as days(day, turns)
          where cache.key = ${key} and jsonb_typeof(days.turns) = 'number'
          group by days.day`,
      );
      return Object.fromEntries(rows.map(({ day, turns }) => [day, Number(turns)]));
    },
    async add(turns, firstDay) {
      await db().execute(sql`
        insert into cache (key, agent_id, value)
        values (${key}, ${agentId}, ${JSON.stringify(turns)}::jsonb)
        on conflict (key, agent_id) do update set value = (
          select coalesce(jsonb_object_agg(sums.day, sums.turns), '{}'::jsonb)
          from (
            select days.day, sum(days.turns::text::float8) as turns
            from (
              select * from jsonb_each(${STORED})
              union all
              select * from jsonb_each(excluded.value)
            ) as days(day, turns)
            where days.day >= ${firstDay} and jsonb_typeof(days.turns) = 'number'
            group by days.day
          ) as sums
        )`);
    },
  };
}

const DEFAULT_PREFIX = 'RUM';

/** @throws Error naming what is wrong in `CUE_DETECTORS` or `CUE_OFFERS_PREFIX` */
export function provideProactive(
  runtime: IAgentRuntime,
  settings: Settings,
  options: Pick<
    ProactiveServiceDeps,
    'clock' | 'ids' | 'turnBudgetMs' | 'detectorTimeoutMs' | 'warmUpAfterMs'
  >,
): void {
  const config = configOf(settings);
  const prefix = prefixOf(settings.CUE_OFFERS_PREFIX);
  ProactiveService.provide(runtime, {
    ...options,
    config,
    prefix,
    enabled: () => offersEnabledNow(settingReader(runtime), settings),
    memory: (host) => startedWorkMemory(host, 'offers'),
    slots: (host, context) => ({ ...whenSlot(host, context), ...hintSlot(host, context) }),
    shared: (host) => pgliteDirectory(databaseOf(host)) === null,
    turnCounts: (host) =>
      turnsIn(() => databaseOf(host), {
        agentId: host.agentId,
        projectId: projectIdOf(host.agentId, settings.CUE_PROJECT),
      }),
  });
}

function configOf(settings: Settings) {
  try {
    return parseConfig(settings.CUE_DETECTORS);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new Error(`cue: wrong setting: ${error.message}`, { cause: error });
  }
}

/** One short word; brackets around it are ours. */
function prefixOf(setting: string | undefined): string {
  const word = setting?.trim().replace(/^\[(.*)\]$/, '$1') ?? '';
  if (word === '') return DEFAULT_PREFIX;
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,19}$/u.test(word)) return word;
  throw new Error(
    `cue: wrong setting: CUE_OFFERS_PREFIX must be a word of at most 20 letters and digits, not "${word}"`,
  );
}
