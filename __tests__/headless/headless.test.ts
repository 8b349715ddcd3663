/** A headless agent beside the Eliza agent whose memory it serves: it only borrows it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type IAgentRuntime, type ServiceTypeName, stringToUuid } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTONOMY_SERVICE, type AutonomyService } from '../../src/autonomy/index.js';
import { unlockOf } from '../../src/host/directory-lock.js';
import { TriggerService } from '../../src/index.js';
import { healthOf } from '../../src/operations/index.js';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import { startHeadless } from '../../src/server/headless/index.js';
import type { PrimaryAgent } from '../../src/server/own-server.js';
import { WHEN, type WhenService } from '../../src/when/index.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { hintsOf } from '../helpers/hints.js';
import { created, OPERATOR, onceAt, statusesOf } from '../helpers/triggers.js';

const HOUR = 3_600_000;
const NAME = 'Eliza Of The House';
const KEPT = ['agents', 'worlds', 'rooms', 'entities', 'participants', 'components'];
const console_ = { ...globalThis.console };
const { LOG_LEVEL } = process.env;

const home = mkdtempSync(join(tmpdir(), 'cue-headless-'));
const dataDir = join(home, 'db');
const whenIndex = join(home, 'agents', 'memory-index.md');
const lockFile = `${dataDir}.cue-lock`;
const said: string[] = [];
const start = (env: Record<string, string> = {}): Promise<PrimaryAgent> =>
  startHeadless({
    cwd: home,
    env: { PGLITE_DATA_DIR: dataDir, LOG_LEVEL: 'fatal', ...env },
    log: (line) => said.push(line),
  });
const triggersOf = async (runtime: IAgentRuntime) =>
  (await runtime.getServiceLoadPromise(
    TriggerService.serviceType as ServiceTypeName,
  )) as TriggerService;

async function tables(runtime: IAgentRuntime): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const name of KEPT) {
    const statement = sql.raw(`select t::text as row from ${name} t order by 1`);
    all[name] = await rowsOf(databaseOf(runtime), statement);
  }
  return all;
}

/** Every file of the database, and when it was written. */
function filesOf(folder: string): Record<string, number> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((path) => [path, statSync(path).mtimeMs]));
}

/** As if its process had ended: it would hold the lock until then. */
async function leave(eliza: Agent): Promise<void> {
  await eliza.stop();
  unlockOf(eliza.runtime);
}

let due: string;
let before: Record<string, unknown>;

beforeAll(async () => {
  mkdirSync(dirname(whenIndex));
  writeFileSync(whenIndex, '/when cooking | Ovens | How hot it has to be\n');
  const anHourAgo = Date.now() - HOUR;
  const eliza = await boot({
    dataDir,
    name: NAME,
    cue: { clock: { now: () => anHourAgo } },
    settings: { CUE_TRIGGERS_PAUSED: 'true', CUE_PROJECT: 'the house' },
  });
  await eliza.runtime.updateAgent(eliza.runtime.agentId, {
    username: 'eliza',
    system: 'Be kind.',
    bio: ['first line', 'second line'],
    plugins: ['@elizaos/plugin-somewhere'],
    settings: {
      CUE_PROJECT: 'the house',
      odd: { deep: [1, null] },
      secrets: { CUE_CAPTURE: 'false' },
    },
  });
  await makeChat(eliza.runtime, 'kitchen');
  const draft = { instructions: 'Take the bread out', schedule: onceAt(anHourAgo + HOUR / 6) };
  due = (await created(eliza, draft)).id;
  before = await tables(eliza.runtime);
  await leave(eliza);
});
afterAll(() => {
  Object.assign(globalThis.console, console_);
  process.env.LOG_LEVEL = LOG_LEVEL;
  rmSync(home, { recursive: true, force: true });
});

describe('while it serves', () => {
  let agent: PrimaryAgent;
  beforeAll(async () => {
    agent = await start({
      CUE_CAPTURE: 'true',
      NUDGE_MAX_HINTS: '7',
      CUE_TRIGGERS_PAUSED: 'false',
    });
  });
  afterAll(() => agent.close());

  it('it is the one agent of the database, and holds the lock as headless', () => {
    expect(agent).toMatchObject({ agentId: stringToUuid(NAME), directory: dataDir });
    expect(JSON.parse(readFileSync(lockFile, 'utf8'))).toMatchObject({
      pid: process.pid,
      kind: 'headless',
    });
  });

  it('has left the stored agent, its rooms and its people as they were, to the byte', async () => {
    expect(await tables(agent.runtime)).toEqual(before);
  });

  it('reads the stored settings, and those of the environment before them', () => {
    const { runtime } = agent;
    expect(runtime.getSetting('CUE_PROJECT')).toBe('the house');
    expect(runtime.getSetting('CUE_CAPTURE')).toBe(true);
    expect(runtime.getSetting('NUDGE_MAX_HINTS')).toBe('7');
    expect(runtime.character.system).toBe('Be kind.');
  });

  it('triggers are made and listed, but none is run', async () => {
    const triggers = await triggersOf(agent.runtime);
    const draft = { instructions: 'Water the plants', schedule: onceAt(Date.now() + HOUR) };
    await triggers.create(draft, { requester: OPERATOR, source: 'operator' });
    await triggers.heartbeat();
    await triggers.settle();
    const { triggers: listed } = await triggers.list({}, { limit: 10 }, OPERATOR);
    expect(listed.map(({ instructions, runCount }) => [instructions, runCount]).toSorted()).toEqual(
      [
        ['Take the bread out', 0],
        ['Water the plants', 0],
      ],
    );
    expect((await triggers.runs(due, { limit: 10 }, OPERATOR)).runs).toEqual([]);
  });

  it('says why none runs, and what to do, wherever one asks', async () => {
    const why =
      'this server is headless, and only an Eliza server runs triggers: start your agent on this ' +
      'database, and what is due runs';
    const triggers = await triggersOf(agent.runtime);
    expect(await triggers.health()).toMatchObject({ blocked: why, dispatchPaused: true });
    expect((await triggers.why(due, OPERATOR)).reasons[0]).toBe(`Nothing runs right now: ${why}.`);
    await expect(triggers.run(due, OPERATOR)).rejects.toMatchObject({
      code: 'DISABLED',
      message: `no trigger runs now: ${why}`,
    });
    // What it is not there for is off; nothing of it fails.
    expect(await healthOf(agent.runtime)).toMatchObject({
      status: expect.not.stringContaining('failing'),
      parts: {
        triggers: { status: 'off', reasons: [why] },
        autonomy: { status: 'off' },
      },
    });
    await expect(triggers.run('no-such-trigger', OPERATOR)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const service = await agent.runtime.getServiceLoadPromise(AUTONOMY_SERVICE as ServiceTypeName);
    const autonomy = service as AutonomyService;
    expect([(await autonomy.status()).blocked, await autonomy.unavailable()]).toEqual([why, why]);
  });

  it('has the /when index of the folder that its database lies in', async () => {
    const when = await agent.runtime.getServiceLoadPromise(WHEN as ServiceTypeName);
    expect((when as WhenService).health().index).toBe(whenIndex);
  });

  it('keeps hints', async () => {
    const hints = await hintsOf(agent.runtime);
    const hint = { component: 'oven', key: 'preheat', value: '200 degrees', meta: { ttl: 'P7D' } };
    expect(await hints.setHint(hint, OPERATOR)).toMatchObject({ hint: { version: 1 } });
  });
});

it('closes once however often it is told, and lets go of lock and database', async () => {
  const agent = await start();
  await Promise.all([agent.close(), agent.close()]);
  await agent.close();
  expect(existsSync(lockFile)).toBe(false);
  expect(said).toEqual([]);
});

describe('what is wrong is said, and nothing stays locked', () => {
  it.each([
    [
      'before the database is opened',
      { NUDGE_MAX_HINTS: 'many' },
      /^wrong setting: NUDGE_MAX_HINTS must be/,
    ],
    ['by the plugin', { NUDGE_DEFAULT_TTL: 'soon' }, /^wrong setting: NUDGE_DEFAULT_TTL/],
    ['about the agent', { CUE_AGENT: 'Nobody' }, new RegExp(`CUE_AGENT to one of ${NAME}`)],
  ])('%s', async (_when, env, words) => {
    await expect(start(env)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(words),
    });
    expect(existsSync(lockFile)).toBe(false);
  });
});

it('what came due meanwhile is run by the Eliza agent, late and once', async () => {
  const eliza = await boot({
    dataDir,
    name: NAME,
    migrated: true,
    settings: { CUE_PROJECT: 'the house' },
  });
  await eliza.triggers.heartbeat();
  await eliza.triggers.settle();
  expect(await statusesOf(eliza, due)).toEqual(['success']);
  const hints = await hintsOf(eliza.runtime);
  expect(hints.counts(OPERATOR)).toMatchObject({ durable: 1 });
  await leave(eliza);
});

describe('once somebody else has opened the directory', () => {
  it('it notices, refuses to write, and closes without writing', async () => {
    const agent = await start();
    const hints = await hintsOf(agent.runtime);
    const set = (key: string) =>
      hints.setHint({ component: 'oven', key, value: 'x', meta: { ttl: 'P7D' } }, OPERATOR);
    await set('mine');
    // Whoever opens a database writes this file first.
    utimesSync(join(dataDir, 'postmaster.pid'), new Date(), new Date());
    const files = filesOf(dataDir);
    await expect(set('too-late')).rejects.toThrow();
    expect(await agent.wanted).toBe('opened');
    await agent.close();
    expect(filesOf(dataDir)).toEqual(files);
    // Until that one has its lock, no other headless agent may have it.
    expect(existsSync(lockFile)).toBe(true);
    await expect(start()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
