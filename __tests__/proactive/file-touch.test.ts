import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileTouch } from '../../src/proactive/detectors/file-touch.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { DAY_MS, dmWith, edits, failed, idsOf, OPERATOR, withRoom } from './detector-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const AUTH = 'src/auth.ts';

describe('a touched file', () => {
  it('has the history that the call of the seed asks for', () =>
    withRoom(database, async ({ context, store, clock, checks }) => {
      const caching = await store('Add caching', { ...edits(AUTH), ...failed('race condition') });
      const fixed = await store('Fix JWT expiry', edits(AUTH));
      await store('Rotate keys of the provider', edits('src/oauth.ts'));
      clock.nowMs += 2 * DAY_MS;
      const detectors = { fileTouch: createFileTouch(context) };
      const result = await detectors.fileTouch.evaluate({
        filePath: 'src/auth.ts',
        agentId: 'agent_001',
        projectId: checks.projectId,
      });
      expect(result.shouldNotify).toBe(true);
      expect(idsOf(result)).toEqual([fixed, caching]);
      expect(result.tokenEstimate).toBeGreaterThan(0);
      expect(result.tokenEstimate).toBeLessThan(60);
      expect(result.text.split('\n')).toEqual([
        '[RUM] auth.ts has history (2 memories, 1 failed):',
        '  • Ada (2d ago): Fix JWT expiry — success',
        '  • Ada (2d ago): Add caching — failed (race condition)',
        '',
        '  → recall("file:auth.ts") for details',
      ]);
      expect(result.cue).toEqual({
        kind: 'fileTouch',
        subject: AUTH,
        strength: 1,
        evidence: ['2 memories of src/auth.ts', '1 failed'],
        timeMs: clock.nowMs,
      });
      expect(result.memories.map(({ reasons }) => reasons)).toEqual([
        ['file src/auth.ts'],
        ['file src/auth.ts'],
      ]);
      expect(result.suppressed).toEqual([]);
      expect(result.degraded).toBeUndefined();
    }));

  it('is found by any spelling of its path, and by nothing else', () =>
    withRoom(database, async ({ context, store }) => {
      await store('Fix JWT expiry', edits(AUTH));
      await store('Tidy the folder', edits('src/api/users/list.ts'));
      const { evaluate } = createFileTouch(context);
      const isKnown = async (filePath: string) => (await evaluate({ filePath })).shouldNotify;
      for (const path of [
        'auth.ts',
        './src/auth.ts',
        'SRC\\Auth.ts',
        '/home/me/shop/src/auth.ts',
      ]) {
        expect([path, await isKnown(path)]).toEqual([path, true]);
      }
      for (const path of [
        'oauth.ts',
        'web/auth.ts',
        'src/auth.ts/',
        'src/api',
        'src/api/users/',
        'https://example.com/src/auth.ts',
        'auth',
        '',
        '../..',
      ]) {
        expect([path, await isKnown(path)]).toEqual([path, false]);
      }
    }));

  it('says of whom it does not know why', () =>
    withRoom(database, async ({ context, store, set }) => {
      await store('Fix JWT expiry', edits(AUTH));
      const { evaluate } = createFileTouch(context);
      const evidence = async (touched: Parameters<typeof evaluate>[0]) => {
        const { shouldNotify, cue, memories, tokenEstimate, text, content } =
          await evaluate(touched);
        expect({ shouldNotify, memories, tokenEstimate, text, content }).toEqual({
          shouldNotify: false,
          memories: [],
          tokenEstimate: 0,
          text: '',
          content: null,
        });
        expect(cue.strength).toBe(0);
        return cue.evidence;
      };
      expect(await evidence({ filePath: 'src/other.ts' })).toEqual(['no memory of this file']);
      expect(await evidence({ filePath: 'src/' })).toEqual(['not a path of a file']);
      expect(await evidence({ filePath: AUTH, projectId: 'project_abc' })).toEqual([
        'another project: project_abc',
      ]);
      set('fileTouch', { enabled: false });
      expect(await evidence({ filePath: AUTH })).toEqual(['disabled']);
    }));

  it('is looked up as its settings say, read at each call', () =>
    withRoom(database, async ({ context, store, set, clock }) => {
      const failure = await store('Add caching', { ...edits(AUTH), ...failed('race condition') });
      clock.nowMs += 20 * DAY_MS;
      const success = await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += 5 * DAY_MS;
      const { evaluate } = createFileTouch(context);
      const found = async () => idsOf(await evaluate({ filePath: AUTH }));
      expect(await found()).toEqual([success, failure]);
      set('fileTouch', { include_failures: false });
      const without = await evaluate({ filePath: AUTH });
      expect(idsOf(without)).toEqual([success]);
      expect(without.content).toMatchObject({ total: 1, failed: 0 });
      set('fileTouch', { include_failures: true, max_age_days: 10 });
      expect(await found()).toEqual([success]);
      set('fileTouch', { max_age_days: 30, min_memories: 2 });
      expect(await found()).toEqual([success, failure]);
      set('fileTouch', { min_memories: 3 });
      expect((await evaluate({ filePath: AUTH })).cue.evidence).toEqual([
        '2 memories of src/auth.ts',
        'fewer than 3',
      ]);
    }));

  it('shows three, newest first, and never pushes out the newest failure', () =>
    withRoom(database, async ({ context, store }) => {
      await store('Try one', { ...edits(AUTH), ...failed('first') });
      const second = await store('Try two', { ...edits(AUTH), ...failed('second') });
      const ids: string[] = [];
      for (const each of ['one', 'two', 'three', 'four']) {
        ids.unshift(await store(`Change ${each}`, edits(AUTH)));
      }
      const { content, shouldNotify } = await createFileTouch(context).evaluate({ filePath: AUTH });
      expect(shouldNotify).toBe(true);
      if (content?.kind !== 'fileTouch') throw new Error('no file offer');
      expect(content.memories.map(({ memoryId }) => memoryId)).toEqual([ids[0], ids[1], second]);
      expect({ total: content.total, failed: content.failed }).toEqual({ total: 6, failed: 2 });
    }));

  it('leaves out what the same agent has made in the same session, but not what others did', () =>
    withRoom(database, async ({ context, store, agentId, memory }) => {
      const sessionId = 'today';
      const builder = await memory.identity(
        { action: 'register', name: 'builder' },
        { kind: 'agent', sessionId },
      );
      const first = await store('Fix JWT expiry', { ...edits(AUTH), session_id: 'yesterday' });
      const own = await store('Add caching', { ...edits(AUTH), session_id: sessionId });
      const other = await store(
        'Rename the token',
        { ...edits(AUTH), session_id: sessionId },
        { kind: 'agent', identityId: builder.agent_id },
      );
      await store('Bound the retries', { ...edits('src/retry.ts'), session_id: sessionId });
      const { evaluate } = createFileTouch(context);
      const mine = await evaluate({ filePath: AUTH, agentId, sessionId });
      expect(idsOf(mine)).toEqual([other, first]);
      expect(mine.content).toMatchObject({ total: 2, failed: 0 });
      expect(mine.suppressed).toEqual([
        { memoryId: own, detector: 'fileTouch', reason: 'made in this session' },
      ]);
      expect((await evaluate({ filePath: AUTH, agentId })).content).toMatchObject({
        total: 3,
        memories: [{ memoryId: other }, { memoryId: own }, { memoryId: first }],
      });
      const onlyOwn = await evaluate({ filePath: 'src/retry.ts', agentId, sessionId });
      expect(onlyOwn.shouldNotify).toBe(false);
      expect(onlyOwn.cue.evidence).toEqual(['no memory of this file']);
      expect(onlyOwn.suppressed).toHaveLength(1);
    }));

  it('counts what was captured from a run, and tells it after what was told', () =>
    withRoom(database, async ({ context, store, memory, clock }) => {
      const told = await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += 1_000;
      const run = {
        messageId: 'm1',
        text: 'Add caching to the tokens',
        actions: [{ name: 'EDIT_FILE', success: true, data: { path: AUTH } }],
      };
      const captured = await memory.capture(run, OPERATOR);
      const { content } = await createFileTouch(context).evaluate({ filePath: AUTH });
      expect(content).toMatchObject({
        total: 2,
        memories: [{ memoryId: told }, { memoryId: captured.memory_id }],
      });
    }));

  it('gives way to what has superseded a memory', () =>
    withRoom(database, async ({ context, store }) => {
      const old = await store('Store tokens in a cookie', edits(AUTH));
      const current = await store('Store tokens in the session', {
        ...edits(AUTH),
        links: { supersedes: old },
      });
      const result = await createFileTouch(context).evaluate({ filePath: AUTH });
      expect(idsOf(result)).toEqual([current]);
      expect(result.suppressed).toEqual([
        { memoryId: old, detector: 'fileTouch', reason: `superseded by ${current}` },
      ]);
    }));

  it('never shows one person what another said alone, nor counts it', () =>
    withRoom(database, async ({ context, store }) => {
      await store('Hide the salary column', edits(AUTH), dmWith('anna'));
      const { evaluate } = createFileTouch(context);
      expect((await evaluate({ filePath: AUTH, caller: dmWith('ben') })).shouldNotify).toBe(false);
      expect((await evaluate({ filePath: AUTH })).shouldNotify).toBe(false);
      const open = await store('Fix JWT expiry', edits(AUTH));
      const ben = await evaluate({ filePath: AUTH, caller: dmWith('ben') });
      expect([idsOf(ben), ben.content]).toMatchObject([[open], { total: 1 }]);
      expect((await evaluate({ filePath: AUTH, caller: dmWith('anna') })).content).toMatchObject({
        total: 2,
      });
    }));

  it('is answered from the database while the index loads, and says so', () =>
    withRoom(
      database,
      async ({ context, store }) => {
        const id = await store('Fix JWT expiry', edits(AUTH));
        const result = await createFileTouch(context).evaluate({ filePath: AUTH });
        expect(idsOf(result)).toEqual([id]);
        expect(result.degraded).toBe(
          'the search index is loading: the newest 1 memories were read from the database',
        );
      },
      { loaded: false },
    ));
});
