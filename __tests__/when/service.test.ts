import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceTypeName } from '@elizaos/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provideWhen } from '../../src/plugin/wire-when.js';
import { PROACTIVE, ProactiveService, type TurnMessage } from '../../src/proactive/index.js';
import type { Caller } from '../../src/records/index.js';
import { parseSettings } from '../../src/settings.js';
import { systemClock } from '../../src/shared/clock.js';
import { derivedId, isUuid } from '../../src/shared/ids.js';
import { WHEN, WhenService } from '../../src/when/index.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { diskRoom } from './disk-room.js';
import { CLI, fill } from './when-room.js';

const room = fill(diskRoom());
const dataDir = mkdtempSync(join(tmpdir(), 'cue-when-data-'));

/** What watches files in this process, also for another file of tests. */
const watchers = () =>
  process.getActiveResourcesInfo().filter((kind) => /FSEvent|StatWatcher/.test(kind)).length;

let watchersBefore: number;
let aheadMs = 0;
let agent: Agent;
let when: WhenService;
let offers: ProactiveService;
beforeAll(async () => {
  watchersBefore = watchers();
  agent = await boot({
    slim: true,
    cue: { clock: { now: () => systemClock.now() + aheadMs } },
    dataDir: join(dataDir, 'db'),
    settings: {
      CUE_WHEN_INDEX: room.paths.index,
      CUE_FILE_ROOTS: `${room.root}, ${tmpdir()}`,
      CUE_EMBEDDINGS: 'lexical',
    },
  });
  const load = (type: string) => agent.runtime.getServiceLoadPromise(type as ServiceTypeName);
  const services = [await load(WHEN), await load(PROACTIVE)];
  for (const service of services) {
    if (service instanceof WhenService) when = service;
    if (service instanceof ProactiveService) offers = service;
  }
  // The start waits half a second for the files, and goes on without.
  await when.settled();
});
afterAll(async () => {
  await agent.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function person(name: string): Promise<Extract<Caller, { kind: 'entity' }>> {
  const { roomId, entityId } = await makeChat(agent.runtime, name);
  if (!isUuid(roomId) || !isUuid(entityId)) throw new Error('no ids');
  return { kind: 'entity', roomId, entityId, private: true, sessionId: `session of ${name}` };
}

function messageOf(caller: Extract<Caller, { kind: 'entity' }>, text: string): TurnMessage {
  const { roomId, sessionId } = caller;
  const messageId = derivedId('message', roomId, text);
  return { messageId, roomId, caller, sessionId, text, attachments: [] };
}

describe('the service of an agent', () => {
  it('reads the folder beside the index, and says how it stands', () => {
    expect(when.configured).toBe(true);
    expect(when.health()).toMatchObject({
      state: 'ready',
      index: room.paths.index,
      decisions: room.paths.decisions,
      entries: 3,
      warnings: [],
    });
  });

  it('counts an offered entry that is then recalled as a use, in that session, once', async () => {
    const ada = await person('ada');
    const message = messageOf(ada, 'I am writing mock tests for the parser now');
    const turn = await offers.offersForTurn(message);
    const offered = turn.offers.find(({ kind }) => kind === 'whenMatch');
    expect(offered?.sources.map(({ memoryId }) => memoryId)).toEqual(['/when writing mock tests']);
    expect(await when.stats()).toMatchObject({ opportunities: 0, offered: 0 });

    offers.turnEnded({ messageId: message.messageId, roomId: ada.roomId, completed: true });
    expect(await when.stats()).toMatchObject({
      sessions: 1,
      opportunities: 1,
      offered: 1,
      recalled: 0,
    });
    // Who counts is no client that offers are pushed to.
    expect(offers.health().subscribers).toBe(0);
    const bob = await person('bob');
    await when.recall('writing mock tests', bob);
    expect((await offers.get(offered?.id ?? '', ada)).state).toBe('shown');

    for (const _ of [1, 2]) await when.recall('/when writing mock tests', ada);
    await offers.settled();
    expect(await offers.get(offered?.id ?? '', ada)).toMatchObject({
      state: 'used',
      usedHow: 'recalled',
    });
    expect(await when.stats()).toMatchObject({
      ...{ sessions: 2, opportunities: 2, recalled: 2, rate: 1 },
      ...{ offered: 1, answered_offers: 1, spontaneous: 1 },
    });
  });

  it('finds commands in what somebody writes, and none where there are none', async () => {
    const ada = await person('ada');
    const recall = await when.find('Let me see.\n/when choosing exit codes\n', ada);
    expect(recall?.results.map(({ matches: [best] }) => best?.header)).toEqual(['Exit codes']);
    expect(await when.find('when choosing exit codes, look it up', ada)).toBeNull();
  });

  it('writes for an admin of the place alone, and knows at once what it wrote', async () => {
    const ada = await person('ada');
    const draft = {
      trigger: 'printing json',
      header: 'JSON output',
      description: 'one document on standard output, nothing else beside it there',
      file: 'cli.md',
      content: 'Print one document.',
    };
    await expect(when.remember(draft, ada)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(room.read('cli.md')).toBe(CLI);
    expect((await when.remember(draft, { kind: 'operator' })).changed).toBe(true);
    const { results } = await when.recall('printing json', ada);
    expect(results.map(({ found }) => found)).toEqual(['exact']);
  });

  it('gives an offer up when its entry has become another', async () => {
    const carl = await person('carl');
    const [first] = await when.relevant({ text: 'writing mock tests', files: [] }, 1);
    const turn = await offers.offersForTurn(
      messageOf(carl, 'I am writing mock tests for the lexer now'),
    );
    expect(turn.text).toContain('/when writing mock tests');
    room.putIndex(room.index().replace('/when writing mock tests', '/when faking tests'));
    await when.settled();
    // What was made within this second is taken to be as it was read.
    aheadMs = 2_000;
    const next = await offers.offersForTurn(messageOf(carl, 'ok, go on'));
    expect(next.text).not.toContain('/when writing mock tests');
    expect((await when.current(first ? [first.id] : [])).map(({ command }) => command)).toEqual([
      '/when faking tests',
    ]);
  });

  it('says after its end that it is over, and nothing of it is left', async () => {
    await when.settled();
    expect(watchers()).toBeGreaterThan(watchersBefore);
    await when.stop();
    await expect.poll(watchers).toBeLessThanOrEqual(watchersBefore);
    expect(when.configured).toBe(false);
    expect(() => when.health()).toThrow('the when service is not running');
    await when.stop();
  });
});

describe('an agent without an index', () => {
  let off: WhenService;
  beforeAll(async () => {
    const { runtime } = agent;
    provideWhen(
      runtime,
      parseSettings(() => undefined),
      { clock: systemClock, isAdmin: async () => true },
    );
    off = await WhenService.start(runtime);
  });
  afterAll(() => off.stop());

  it('is off: nothing is looked up, offered, counted or written', async () => {
    expect(off.configured).toBe(false);
    expect(off.health()).toEqual({
      ...{ state: 'off', index: null, decisions: null },
      ...{ entries: 0, sections: 0, files: 0, warnings: [], warningCount: 0 },
    });
    expect(await off.find('/when choosing exit codes', { kind: 'operator' })).toBeNull();
    expect(await off.relevant({ text: 'choosing exit codes', files: ['src/a.ts'] }, 5)).toEqual([]);
    expect(offers.health().subscribers).toBe(0);
    const told =
      'there is no /when index: remember makes one (agents/memory-index.md) in the project of a headless server; any other agent needs CUE_WHEN_INDEX';
    await expect(off.recall('x', { kind: 'operator' })).rejects.toThrow(told);
    await expect(off.validate()).rejects.toThrow(told);
    await expect(
      off.remember({ trigger: 'a', header: 'b', description: 'c' }, { kind: 'operator' }),
    ).rejects.toMatchObject({ code: 'DISABLED' });
  });

  it('is followed in the project of a headless server, also when it comes later', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cue-when-later-'));
    const none = parseSettings(() => undefined);
    provideWhen(agent.runtime, none, { clock: systemClock, isAdmin: async () => true, folder });
    const later = await WhenService.start(agent.runtime);
    const operator = { kind: 'operator' } as const;
    await expect(later.recall('x', operator)).rejects.toThrow('there is no /when index');
    const wrong = { trigger: 'choosing ports', header: 'Ports', description: 'which is free' };
    await expect(later.remember(wrong, operator)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(later.configured).toBe(false);
    const description = 'free port of the machine for servers in tests';
    const made = { ...wrong, description, file: 'net.md', content: 'Ask for 0.' };
    expect(await later.remember(made, operator)).toMatchObject({ changed: true });
    expect(later.health()).toMatchObject({ entries: 1 });
    expect(readFileSync(join(folder, 'agents', 'memory-index.md'), 'utf8')).toMatch(/Ports/);
    await later.stop();

    rmSync(join(folder, 'agents'), { recursive: true });
    const again = await WhenService.start(agent.runtime);
    expect(again.configured).toBe(false);
    writeFileSync(join(folder, 'memory-index.md'), '');
    await again.follow();
    expect([again.configured, again.health().index]).toEqual([
      true,
      join(folder, 'memory-index.md'),
    ]);
    await again.stop();
    rmSync(folder, { recursive: true });
  });

  it.each([
    [
      'a folder without an index',
      { CUE_WHEN_DECISIONS: '/notes' },
      'cue: wrong setting: CUE_WHEN_DECISIONS needs CUE_WHEN_INDEX, the index file',
    ],
    [
      'an index outside of the allowed folders',
      { CUE_WHEN_INDEX: '/notes/index.md', CUE_FILE_ROOTS: '/other,/more' },
      'cue: wrong setting: CUE_WHEN_INDEX /notes/index.md lies outside the allowed folders (/other, /more)',
    ],
    [
      'a folder outside of the allowed ones',
      { CUE_WHEN_INDEX: '/n/i.md', CUE_WHEN_DECISIONS: '/elsewhere', CUE_FILE_ROOTS: '/n' },
      'cue: wrong setting: CUE_WHEN_DECISIONS /elsewhere lies outside the allowed folders (/n)',
    ],
    [
      'an index that is a folder',
      { CUE_WHEN_INDEX: room.root },
      `cue: wrong setting: CUE_WHEN_INDEX ${room.root} is a folder, not a file`,
    ],
    [
      'a folder that is a file',
      { CUE_WHEN_INDEX: room.paths.index, CUE_WHEN_DECISIONS: room.paths.index },
      `cue: wrong setting: CUE_WHEN_DECISIONS ${room.paths.index} is a file, not a folder`,
    ],
  ])('does not start with %s', (_, given: Record<string, string>, message) => {
    const settings = parseSettings((name) => given[name]);
    const deps = { clock: systemClock, isAdmin: async () => true };
    expect(() => provideWhen(agent.runtime, settings, deps)).toThrow(message);
  });
});
