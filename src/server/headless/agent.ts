/** The headless agent itself: the host's runtime with this plugin, on a database that we have locked. */
import { basename, dirname } from 'node:path';
import {
  type Agent,
  AgentRuntime,
  type Character,
  decryptSecret,
  getSalt,
  type IAgentRuntime,
  type IDatabaseAdapter,
  logger,
  type ServiceTypeName,
  stringToUuid,
  type UUID,
} from '@elizaos/core';
import { AUTONOMY_SERVICE } from '../../autonomy/index.js';
import { HINTS } from '../../hints/index.js';
import { unlockOf } from '../../host/index.js';
import { WORK_MEMORY } from '../../memory/index.js';
import { createCuePlugin } from '../../plugin/index.js';
import { PROACTIVE } from '../../proactive/index.js';
import type { Database } from '../../records/index.js';
import { isEncrypted } from '../../settings.js';
import { withTimeout } from '../../shared/async.js';
import { systemClock } from '../../shared/clock.js';
import { AppError, isAppError, messageOf } from '../../shared/errors.js';
import { makeToolSchemas } from '../../surfaces/mcp/index.js';
import { TRIGGER_SERVICE } from '../../triggers/index.js';
import { WHEN } from '../../when/index.js';
import {
  type DatabaseLocation,
  databaseName,
  type Env,
  type PrimaryAgent,
  personalDatabase,
} from '../client.js';
import {
  adapterOn,
  causeWords,
  embeddedClient,
  ensureTables,
  forgetEmbedded,
  keepLogShort,
  type LogSize,
  openDatabase,
  type SqlPackage,
} from './database.js';
import { createFence, type Fence } from './fence.js';
import { type DirectoryWatch, leaveTo, watchDirectory } from './lock-handover.js';
import { templateIn } from './template.js';

/** The folder in which a host keeps its own, in that of its project. */
const HOST_FOLDER = '.eliza';

/**
 * The folder that the database belongs to, where `cue when` looks, too. A person's own database belongs to
 * none.
 */
export function whenFolderFor(place: DatabaseLocation, home?: string): string | null {
  if (place.kind !== 'directory') return null;
  if (databaseName(place) === databaseName(personalDatabase(home))) return null;
  const folder = dirname(place.directory);
  return basename(folder) === HOST_FOLDER ? dirname(folder) : folder;
}

/** In a text that another salt has made of its bytes. */
const NO_TEXT = '\uFFFD';

/** The agent, without the settings that were encrypted with another `SECRET_SALT` than this process has. */
function readableOf(agent: Agent): Agent {
  const { settings, secrets } = agent;
  const nested = settings?.secrets;
  const isNested = typeof nested === 'object' && nested !== null && !Array.isArray(nested);
  const { error } = logger;
  // The host says of each value that it cannot decrypt it.
  logger.error = () => {};
  try {
    return {
      ...agent,
      ...(settings && {
        settings: { ...readable(settings), ...(isNested && { secrets: readable(nested) }) },
      }),
      ...(secrets && { secrets: readable(secrets) }),
    };
  } finally {
    logger.error = error;
  }
}

function readable<T>(values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isReadable(value)));
}

function isReadable(value: unknown): boolean {
  if (typeof value !== 'string' || !isEncrypted(value)) return true;
  const text = decryptSecret(value, getSalt());
  return !isEncrypted(text) && !text.includes(NO_TEXT);
}

/** Which of the agents in a database a headless process serves: its memory is that agent's. */
interface KnownAgent {
  id: string;
  name: string;
}

/** Of the agent that is made where there is none. */
const DEFAULT_NAME = 'Cue';

/**
 * @param wanted `CUE_AGENT`: a name or an id
 * @returns an agent of the database, or the name of the one to make
 * @throws AppError INVALID_INPUT when nobody is meant by it, or nobody said which of several is
 */
export function chooseAgent(
  known: readonly KnownAgent[],
  wanted: string | undefined,
): KnownAgent | { make: string } {
  const asked = wanted?.trim();
  if (known.length === 0) return { make: asked || DEFAULT_NAME };
  const meant = asked ? namedBy(known, asked) : known;
  const [only, ...others] = meant;
  if (only && others.length === 0) return only;
  const list = known.map(({ name, id }) => `${name} (${id})`).join(', ');
  const problem = asked
    ? `CUE_AGENT is "${asked}", which ${only ? 'several agents of this database are called' : 'no agent of this database is called'}`
    : 'there are several agents in this database';
  throw new AppError('INVALID_INPUT', `${problem}: set CUE_AGENT to one of ${list}`, {
    agents: known,
  });
}

/** An id, else the exact name, else the name in other letters. */
function namedBy(known: readonly KnownAgent[], asked: string): readonly KnownAgent[] {
  const lower = asked.toLowerCase();
  const ways: ((agent: KnownAgent) => boolean)[] = [
    ({ id }) => id.toLowerCase() === lower,
    ({ name }) => name === asked,
    ({ name }) => name.toLowerCase() === lower,
  ];
  for (const way of ways) {
    const found = known.filter(way);
    if (found.length > 0) return found;
  }
  return [];
}

export interface AgentOptions {
  place: DatabaseLocation;
  env: Env;
  /** `@elizaos/plugin-sql`, loaded. */
  sql: SqlPackage;
  /** Lets go of the directory. */
  unlock: () => void;
  log(line: string): void;
}

/** Without these two there is nothing to serve; the others may be missing. */
const NEEDED: readonly string[] = [WORK_MEMORY, HINTS];
const SERVICES: readonly string[] = [...NEEDED, AUTONOMY_SERVICE, TRIGGER_SERVICE, PROACTIVE, WHEN];
/** Nobody is there to be woken, and no model to think with: what is due waits for the Eliza agent. */
const RESTING =
  'this server is headless, and only an Eliza server runs triggers: start your agent on this database, and ' +
  'what is due runs';
const AT_REST = {
  CUE_AUTONOMY: 'false',
  CUE_AUTONOMY_LOOP: 'false',
} as const;
const OURS = /^(?:CUE|NUDGE)_/;
/** Of others no service has begun to start. */
const initialized = new WeakSet<IAgentRuntime>();
const STARTING_MS = 60_000;
const STOPPING_MS = 3_000;

/** Does what needs no database, takes long the first time, and would hold up the first answers. */
export function warmUp(): void {
  makeToolSchemas();
  // Its first reading of the machine's time zone.
  new Intl.DateTimeFormat().resolvedOptions();
}

/** @throws AppError UNAVAILABLE or INVALID_INPUT; the database is closed then */
export async function startAgentOn(options: AgentOptions): Promise<PrimaryAgent> {
  const { place, sql } = options;
  const template = templateIn(options.env);
  const database = await openDatabase(sql, place, template);
  const first = database.adapter;
  let guard: Guard | null = null;
  let runtime: AgentRuntime | null = null;
  try {
    if (place.kind === 'directory') guard = guardOn(first, place.directory);
    await ensureTables(sql, database, template);
    const agentId = await agentIn(first, options.env);
    const adapter = adapterOn(sql, place, agentId);
    const character = await characterOf(adapter, agentId, options);
    const plugins = [createCuePlugin({ whenFolder: whenFolderFor(place), resting: RESTING })];
    runtime = new AgentRuntime({ character, agentId, adapter, plugins, settings: {} });
    await initialize(runtime, adapter);
    await started(runtime);
  } catch (error) {
    await closeDown(runtime, first, guard, options.unlock);
    throw asOurs(error, place);
  }
  return primary(runtime, first, guard, options);
}

interface Guard {
  directory: string;
  fence: Fence;
  watch: DirectoryWatch;
  logSize: LogSize;
}

function guardOn(adapter: IDatabaseAdapter, directory: string): Guard {
  const client = embeddedClient(adapter);
  if (!client) throw new AppError('INTERNAL', 'the host opened no embedded database');
  const fence = createFence(client, directory);
  const logSize = keepLogShort(client, adapter.db as Database);
  return { directory, fence, watch: watchDirectory(directory, fence), logSize };
}

async function agentIn(adapter: IDatabaseAdapter, env: Env): Promise<UUID> {
  const known = (await adapter.getAgents()).flatMap(({ id, name }) =>
    id === undefined ? [] : [{ id, name: name ?? '' }],
  );
  const chosen = chooseAgent(known, env.CUE_AGENT);
  if (!('make' in chosen)) return chosen.id as UUID;
  const id = stringToUuid(chosen.make);
  const nowMs = systemClock.now();
  // Without settings: what the host stores of them comes back at each start of the Eliza agent.
  await adapter.createAgent({
    id,
    name: chosen.make,
    bio: ['Keeps the memory that this machine’s tools share.'],
    createdAt: nowMs,
    updatedAt: nowMs,
  });
  return id;
}

/** The stored agent, with our settings in front of those of its own that can be read: for this process only. */
async function characterOf(
  adapter: IDatabaseAdapter,
  agentId: UUID,
  { env, place }: AgentOptions,
): Promise<Character> {
  const stored = await adapter.getAgent(agentId);
  if (!stored) throw new AppError('UNAVAILABLE', `the agent ${agentId} is gone`);
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => OURS.test(entry[0]) && Boolean(entry[1]),
  );
  const ours = {
    ...Object.fromEntries(given),
    ...(place.kind === 'server' ? { POSTGRES_URL: place.postgresUrl } : {}),
    ...(place.kind === 'directory' ? { PGLITE_DATA_DIR: place.directory } : {}),
    ...AT_REST,
  };
  const {
    id: _id,
    createdAt: _created,
    updatedAt: _updated,
    enabled: _enabled,
    ...row
  } = readableOf(stored);
  const kept = row.settings?.secrets;
  return {
    ...row,
    id: agentId,
    name: row.name ?? '',
    bio: row.bio ?? [],
    // By name: not installed here, and not wanted.
    plugins: [],
    // The host asks `secrets` first, and at its start puts those of `settings` in front of them.
    settings: { ...row.settings, secrets: { ...(typeof kept === 'object' ? kept : {}), ...ours } },
    secrets: { ...row.secrets, ...ours },
  };
}

/** At each start the host writes the character back, and reads it again; this one is only lent. */
async function initialize(runtime: AgentRuntime, adapter: IDatabaseAdapter): Promise<void> {
  const { updateAgent: update, getAgent: get } = adapter;
  adapter.updateAgent = async () => true;
  adapter.getAgent = async (id) => {
    const stored = await get.call(adapter, id);
    return stored && readableOf(stored);
  };
  try {
    await runtime.initialize({ skipMigrations: true });
    initialized.add(runtime);
  } finally {
    adapter.updateAgent = update;
    adapter.getAgent = get;
  }
}

/** @throws what the first of the needed services threw; UNAVAILABLE when they take too long */
async function started(runtime: IAgentRuntime): Promise<void> {
  const starts = SERVICES.map((type) => runtime.getServiceLoadPromise(type as ServiceTypeName));
  const needed = NEEDED.map((_, index) => starts[index]);
  if ((await withTimeout(Promise.allSettled(starts), STARTING_MS)) === null) {
    throw new AppError('UNAVAILABLE', 'the headless agent did not start within a minute');
  }
  await Promise.all(needed);
}

function primary(
  runtime: AgentRuntime,
  adapter: IDatabaseAdapter,
  guard: Guard | null,
  { unlock, log }: AgentOptions,
): PrimaryAgent {
  let closing: Promise<void> | null = null;
  return {
    runtime,
    agentId: runtime.agentId,
    directory: guard?.directory ?? null,
    wanted: guard?.watch.wanted ?? new Promise(() => {}),
    close() {
      closing ??= closeDown(runtime, adapter, guard, unlock).catch((error: unknown) => {
        log(`the database was not closed cleanly: ${messageOf(error)}`);
      });
      return closing;
    },
  };
}

/** Services first, then the database, then the lock. */
async function closeDown(
  runtime: AgentRuntime | null,
  adapter: IDatabaseAdapter,
  guard: Guard | null,
  unlock: () => void,
): Promise<void> {
  try {
    if (runtime && initialized.has(runtime)) await withTimeout(stopServices(runtime), STOPPING_MS);
    await guard?.logSize.stop();
    if (guard?.fence.check()) await guard.fence.abandon();
    else await adapter.close();
  } finally {
    forgetEmbedded();
    if (runtime) unlockOf(runtime);
    if (guard?.fence.isUp) leaveTo(guard, unlock);
    else {
      guard?.watch.close();
      unlock();
    }
  }
}

/** The host stops only what has started; nothing may start on a closed database. */
async function stopServices(runtime: AgentRuntime): Promise<void> {
  const starts = SERVICES.map((type) => runtime.getServiceLoadPromise(type as ServiceTypeName));
  await Promise.allSettled(starts);
  await runtime.stop().catch(() => undefined);
}

/** A wrong setting stops the plugin with a plain error that names it. */
function asOurs(error: unknown, place: DatabaseLocation): unknown {
  if (isAppError(error)) return error;
  const message = messageOf(error);
  const wrong = /wrong setting: .*/s.exec(message);
  return wrong
    ? new AppError('INVALID_INPUT', wrong[0], {}, { cause: error })
    : new AppError(
        'UNAVAILABLE',
        `the headless agent did not start: ${causeWords(error, place)}`,
        {},
        { cause: error },
      );
}
