import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInModel, createLexicalEmbedder } from '../../../src/embeddings/index.js';
import { type Caller, DEPTH_TOKENS, type RecallResult } from '../../../src/memory/index.js';
import { NotFoundError } from '../../../src/shared/errors.js';
import { derivedId } from '../../../src/shared/ids.js';
import { countTokens } from '../../../src/shared/tokens.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../../contract/record-database.js';
import { draft, type MemoryRoom, openRoom, START_MS } from '../room.js';

const OPERATOR: Caller = { kind: 'operator' };
const DAY_MS = 86_400_000;

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

/** Each test has a project of its own in the one database. */
let rooms = 0;
async function withRoom(
  work: (room: MemoryRoom, store: Store) => Promise<void>,
  options?: Parameters<typeof openRoom>[2],
): Promise<void> {
  rooms += 1;
  const room = await openRoom(database, `recall ${rooms}`, options);
  const store: Store = async (goal, more = {}, caller = OPERATOR) => {
    room.clock.nowMs += 1_000;
    return (await room.memory.store(draft(goal, more), caller)).memory_id;
  };
  try {
    await work(room, store);
  } finally {
    await room.memory.settled();
    await room.stop();
  }
}
type Store = (goal: string, more?: Record<string, unknown>, caller?: Caller) => Promise<string>;

const ids = (result: RecallResult) => result.memories.map(({ memory_id }) => memory_id);
const stagesOf = (result: RecallResult) => result.stages.map(({ name }) => name);
const edits = (file: string) => ({ actions: [{ file, operation: 'edit' }] });
const failed = (reason: string) => ({ outcome: { success: false, failure_reason: reason } });

describe('by file', () => {
  it('matches a path or its end, never a part of a name', () =>
    withRoom(async ({ memory }, store) => {
      const auth = await store('Rotate keys', edits('src/server/auth.ts'));
      const oauth = await store('Add provider', edits('src/server/oauth.ts'));
      const other = await store('Style form', edits('web\\forms\\Auth.ts'));
      const found = async (file: string) => ids(await memory.recall({ file }, OPERATOR));
      expect(await found('auth.ts')).toEqual([other, auth]);
      expect(await found('server/auth.ts')).toEqual([auth]);
      expect(await found('forms/AUTH.TS')).toEqual([other]);
      expect(await found('th.ts')).toEqual([]);
      expect(await found('oauth.ts')).toEqual([oauth]);
    }));

  it('an absolute path finds what was noted of its end, and only of the whole of that', () =>
    withRoom(async ({ memory }, store) => {
      const auth = await store('Rotate keys', edits('src/auth.ts'));
      await store('Rotate more keys', edits('other/src/auth.ts'));
      const found = async (file: string) => ids(await memory.recall({ file }, OPERATOR));
      expect(await found('/home/me/app/src/auth.ts')).toEqual([auth]);
      expect(await found('C:\\work\\app\\src\\auth.ts')).toEqual([auth]);
      expect(await found('/home/me/app/lib/auth.ts')).toEqual([]);
    }));

  it('is read from a question, and then nothing else is guessed', () =>
    withRoom(async ({ memory }, store) => {
      const auth = await store('Rotate keys', edits('src/auth.ts'));
      await store('Something happened with the ts compiler');
      const result = await memory.recall({ query: 'What happened with auth.ts?' }, OPERATOR);
      expect(ids(result)).toEqual([auth]);
      expect(result.memories[0]).toMatchObject({
        stage: 'structural',
        confidence: 1,
        fuzzy: false,
      });
      expect(stagesOf(result)).toEqual(['structural', 'causal']);
    }));

  it('puts those that share words with the question first, then the newest', () =>
    withRoom(async ({ memory }, store) => {
      const key = await store('Rotate the signing key', edits('auth.ts'));
      const old = await store('Sort imports', edits('auth.ts'));
      const young = await store('Rename things', edits('auth.ts'));
      const query = 'signing key in auth.ts';
      expect(ids(await memory.recall({ query }, OPERATOR))).toEqual([key, young, old]);
    }));
});

describe('the floor of confidence', () => {
  const stored = [
    'Fix JWT expiry in the login of the web shop',
    'Move the nightly backup to another bucket',
    'Cache the price list for five minutes',
    'Rename the checkout service to orders',
  ];

  it('answers an unrelated question with nothing, unless everything is asked for', () =>
    withRoom(async ({ memory }, store) => {
      for (const goal of stored) await store(goal);
      const query =
        'which wine and which cheese go with the grilled trout served at a wedding banquet';
      const nothing = await memory.recall({ query }, OPERATOR);
      expect([nothing.memories, nothing.total_matches]).toEqual([[], 0]);
      const all = await memory.recall({ query, min_confidence: 0 }, OPERATOR);
      expect(all.memories.length).toBeGreaterThan(0);
      expect(Math.max(...all.memories.map(({ confidence }) => confidence))).toBeLessThan(0.17);
      expect(await memory.recall({ query, min_confidence: 0.17 }, OPERATOR)).toMatchObject({
        memories: [],
      });
      const printed = `recall("query: ${query}", min_confidence: 0.0)`;
      expect(ids(await memory.recall(printed, OPERATOR))).toEqual(ids(all));
    }));

  it('is not under a memory that has every word of the question, in a store of any size', () =>
    withRoom(
      async ({ memory }, store) => {
        const contract = await store(
          'Agreed with the printer in Graz about paper, colours, folding, binding, the two proofs, ' +
            'delivery by rail, the deposit, a discount for the second run, storage of the plates, ' +
            'insurance and who signs; the state is that our lawyer reads it until Friday',
        );
        for (let at = 0; at < 60; at += 1) await store(`${stored[at % 4]}, part ${at}`);
        expect(ids(await memory.recall({ query: 'state' }, OPERATOR))[0]).toBe(contract);
        expect(ids(await memory.recall({ query: 'states of glaciers' }, OPERATOR))).toEqual([]);
      },
      { beside: builtInModel() },
    ));

  it('is under a long memory that has every word of a longer question', () =>
    withRoom(
      async ({ memory }, store) => {
        const log = Array.from({ length: 40 }, (_, at) => `Checked valve ${at}, noted pressure`);
        const text = `${log.join('. ')}. The state of the light in the middle is good`;
        const long = await store(text);
        for (let at = 0; at < 60; at += 1) await store(`${stored[at % 4]}, part ${at}`);
        const found = async (query: string) => ids(await memory.recall({ query }, OPERATOR));
        expect(await found('the good light')).toContain(long);
        expect(await found('is the state of the middle light good')).toEqual([]);
        const short = await store('The state of the light in the middle is good');
        expect((await found('is the state of the middle light good'))[0]).toBe(short);
      },
      { beside: builtInModel() },
    ));

  it('silences no file, id, tag or named pattern, and min_confidence is a bar for each memory', () =>
    withRoom(async ({ memory }, store) => {
      for (const goal of stored) await store(goal);
      const fact = await store('Sort imports', { ...edits('src/auth.ts'), tags: ['tidy'] });
      const found = async (asked: object) => ids(await memory.recall(asked, OPERATOR));
      for (const exact of [{ file: 'auth.ts' }, { memory_id: fact }, { tags: ['tidy'] }]) {
        expect(await found({ ...exact, query: 'wine for a banquet' })).toEqual([fact]);
      }
      expect(await found({ pattern: 'banquet-wine-login-trout' })).toContain(
        (await found({ query: 'JWT login' }))[0],
      );
      expect(await found({ pattern: 'banquet-wine' })).toEqual([]);
      const { memories } = await memory.recall(
        { query: 'login of the web shop, backup', min_confidence: 0.2 },
        OPERATOR,
      );
      expect(memories.length).toBeGreaterThan(0);
      for (const { confidence } of memories) expect(confidence).toBeGreaterThanOrEqual(0.2);
      expect(await found({ query: 'what happened with auth.ts', min_confidence: 0.9 })).toEqual([
        fact,
      ]);
      await expect(memory.recall({ query: 'x', min_confidence: 2 }, OPERATOR)).rejects.toThrow(
        'min_confidence',
      );
    }));
});

describe('by words', () => {
  it('finds likeness as the last resort and marks it', () =>
    withRoom(async ({ memory }, store) => {
      const jwt = await store('Fix JWT expiry in the login');
      await store('Water the tomatoes');
      const result = await memory.recall({ query: 'login tokens expire: JWT' }, OPERATOR);
      expect(ids(result)[0]).toBe(jwt);
      expect(result.memories[0]).toMatchObject({ stage: 'semantic', fuzzy: true });
      expect(result.memories[0]?.confidence).toBeLessThan(0.9);
      expect(stagesOf(result)).toEqual(['semantic']);
    }));

  it('finds nothing where nothing is alike', () =>
    withRoom(async ({ memory }, store) => {
      await store('Fix JWT expiry in the login');
      const result = await memory.recall({ query: 'gardening' }, OPERATOR);
      expect(result).toMatchObject({ memories: [], total_matches: 0, token_count: 0 });
    }));

  it('neighbours of a hit in a conversation come before equal strangers', () =>
    withRoom(async ({ memory }, store) => {
      const session = { session_id: 'evening' };
      const topics = 'ferry kiln violin orchard sailing chess beekeeping choir mosaic fencing';
      for (const topic of topics.split(' ')) {
        await store(`Ana: tell me about the ${topic}`, session);
        await store(`Ben: well, the ${topic} is slow`, session);
        await store(`Ana: I like your ${topic}`, session);
      }
      await store('Ana: how did the pottery exam go?', session);
      const answer = await store('Ben: she passed with distinction', session);
      for (const topic of topics.split(' ')) await store(`Ben: so much for ${topic}`, session);
      const stranger = await store('Ben: he passed with distinction', { session_id: 'other' });
      const found = ids(
        await memory.recall({ query: 'pottery exam passed with distinction', limit: 10 }, OPERATOR),
      );
      expect(found.indexOf(answer)).toBeLessThan(found.indexOf(stranger));
    }));

  it('a linked memory rises, but not past the one it is linked to', () =>
    withRoom(async ({ memory }, store) => {
      const hit = await store('Nightly backup of the ledger failed');
      const plain = await store('Backup disk ordered');
      const linked = await store('Replaced the power supply', { links: { caused_by: hit } });
      const result = await memory.recall(
        { query: 'nightly ledger backup failed', strategy: 'semantic' },
        OPERATOR,
      );
      expect(ids(result)[0]).toBe(hit);
      expect(ids(result)).toContain(linked);
      expect(ids(result)).toContain(plain);
    }));
});

describe('by time', () => {
  const zone = 'Europe/Vienna';

  it('answers "what did we do yesterday?" with that day, newest first', () =>
    withRoom(async ({ memory, clock }, store) => {
      await store('Long ago');
      clock.nowMs = START_MS + 10 * DAY_MS;
      const morning = await store('Paint the fence');
      const noon = await store('Buy nails');
      clock.nowMs += DAY_MS;
      await store('Rest');
      const result = await memory.recall({ query: 'What did we do yesterday?' }, OPERATOR, {
        zone,
      });
      expect(ids(result)).toEqual([noon, morning]);
      const learned = { query: 'what did we learn yesterday?' };
      expect(ids(await memory.recall(learned, OPERATOR, { zone }))).toEqual([noon, morning]);
      expect(result.memories[0]).toMatchObject({
        stage: 'temporal',
        why: 'yesterday',
        fuzzy: false,
      });
      expect(result.total_matches).toBe(2);
    }));

  it('says how many fit, whatever the limit and whatever is linked beside them', () =>
    withRoom(async ({ memory }, store) => {
      const cause = await store('Upgrade the framework');
      await store('Rotate keys', edits('src/auth.ts'));
      await store('Fix login', { ...edits('src/auth.ts'), links: { caused_by: [cause] } });
      const counted = async (limit: number) => {
        const { memories, total_matches } = await memory.recall(
          { file: 'auth.ts', limit },
          OPERATOR,
        );
        return [memories.length, total_matches];
      };
      expect(await counted(1)).toEqual([1, 2]);
      expect(await counted(2)).toEqual([2, 2]);
      expect(await counted(5)).toEqual([3, 2]);
      const words = await memory.recall({ file: 'auth.ts', query: 'login framework' }, OPERATOR);
      expect(words.total_matches).toBe(2);
    }));

  it('a part of the day and a clock time are of the zone that asks', () =>
    withRoom(async ({ memory, clock }, store) => {
      clock.nowMs = START_MS; // 10:00 in Vienna
      const morning = await store('Paint the fence');
      clock.nowMs = START_MS + 6 * 3_600_000;
      const afternoon = await store('Buy nails');
      clock.nowMs = START_MS + DAY_MS;
      const found = async (query: string, asks = zone) =>
        ids(await memory.recall({ query }, OPERATOR, { zone: asks }));
      expect(await found('what did we do yesterday morning?')).toEqual([morning]);
      expect(await found('what did we do yesterday after 3:30pm?')).toEqual([afternoon]);
      expect(await found('what happened at 10am on march 2?')).toEqual([morning]);
      expect(await found('what did we do yesterday morning?', 'America/New_York')).toEqual([
        afternoon,
      ]);
    }));

  it('words beside the time choose within it; the rest follows as likeness', () =>
    withRoom(async ({ memory, clock }, store) => {
      const before = await store('Paint the fence green');
      clock.nowMs = START_MS + 10 * DAY_MS;
      const fence = await store('Paint the fence red');
      await store('Buy nails');
      clock.nowMs += DAY_MS;
      const query = 'which fence did I paint yesterday';
      const result = await memory.recall({ query }, OPERATOR, { zone });
      expect(ids(result)).toEqual([fence, before]);
      expect(result.memories.map(({ stage }) => stage)).toEqual(['temporal', 'semantic']);
    }));

  it('what hardly fits does not come first because of its time', () =>
    withRoom(async ({ memory, clock }, store) => {
      const order = await store('Order twelve oak boards for the kitchen shelf');
      clock.nowMs = START_MS + 10 * DAY_MS;
      const mop = await store('Mop the kitchen');
      clock.nowMs += DAY_MS;
      const query = 'which oak boards did I order for the kitchen shelf yesterday';
      const result = await memory.recall({ query }, OPERATOR, { zone });
      expect(ids(result)).toEqual([order, mop]);
      expect(result).toMatchObject({ total_matches: 2, memories: [{ fuzzy: true }, {}] });
      const facts = await memory.recall({ query, strategy: 'exact' }, OPERATOR, { zone });
      expect([ids(facts), facts.total_matches]).toEqual([[mop], 1]);
    }));

  it('a file beside a time means that file in that time', () =>
    withRoom(async ({ memory, clock }, store) => {
      await store('Older edit', edits('src/auth.ts'));
      clock.nowMs = START_MS + 10 * DAY_MS;
      const yesterday = await store('Rotate keys', edits('src/auth.ts'));
      clock.nowMs += DAY_MS;
      for (let n = 0; n < 6; n += 1) await store(`Edit ${n} of today`, edits('src/auth.ts'));
      const query = 'what happened with auth.ts yesterday?';
      const result = await memory.recall({ query }, OPERATOR, { zone });
      expect(ids(result)).toEqual([yesterday]);
      expect(result).toMatchObject({
        total_matches: 1,
        memories: [{ stage: 'structural', why: 'file auth.ts, yesterday' }],
      });
      const field = { file: 'auth.ts', query: 'what did we do yesterday' };
      expect(ids(await memory.recall(field, OPERATOR, { zone }))).toEqual([yesterday]);
    }));

  it('a hostile question costs no more than its length', () =>
    withRoom(async ({ memory }, store) => {
      await store('Paint the fence');
      const query = `yesterday ${'is '.repeat(2_000)}zzz`;
      expect(ids(await memory.recall({ query }, OPERATOR, { zone }))).toEqual([]);
    }));

  it('since and before are limits, whatever else is asked', () =>
    withRoom(async ({ memory, clock }, store) => {
      await store('Paint the fence');
      const sinceMs = clock.nowMs + 500;
      const second = await store('Paint the gate');
      const beforeMs = clock.nowMs + 500;
      await store('Paint the door');
      const time = {
        since: new Date(sinceMs).toISOString(),
        before: new Date(beforeMs).toISOString(),
      };
      expect(ids(await memory.recall(time, OPERATOR))).toEqual([second]);
      expect(ids(await memory.recall({ query: 'paint', ...time }, OPERATOR))).toEqual([second]);
    }));
});

describe('by cause', () => {
  it('adds what led to a hit and what came of it while there is room', () =>
    withRoom(async ({ memory }, store) => {
      const cause = await store('Upgrade the parser');
      const file = await store('Repair exports', { ...edits('x.ts'), links: { caused_by: cause } });
      const effect = await store('Release', { links: { caused_by: file } });
      const result = await memory.recall('file:x.ts', OPERATOR);
      expect(ids(result)).toEqual([file, cause, effect]);
      expect(result.memories.map(({ stage }) => stage)).toEqual(['structural', 'causal', 'causal']);
      const one = await memory.recall({ file: 'x.ts', limit: 1 }, OPERATOR);
      expect(ids(one)).toEqual([file]);
      expect(stagesOf(one)).toEqual(['structural']);
    }));

  it('one memory that is named comes alone unless links are asked for', () =>
    withRoom(async ({ memory }, store) => {
      const cause = await store('Upgrade the parser');
      const named = await store('Repair exports', { links: { caused_by: cause } });
      expect(ids(await memory.recall(named, OPERATOR))).toEqual([named]);
      const linked = await memory.recall({ memory_id: named, include_links: true }, OPERATOR);
      expect(ids(linked)).toEqual([named, cause]);
      expect(linked.memories[0]?.links).toEqual({ caused_by: [cause] });
    }));

  it('a circle of causes ends', () =>
    withRoom(async ({ memory }, store) => {
      const a = await store('A', edits('x.ts'));
      const b = await store('B', { links: { caused_by: a } });
      await memory.link({ source: a, target: b, link_type: 'caused_by' }, OPERATOR);
      expect(ids(await memory.recall('file:x.ts', OPERATOR))).toEqual([a, b]);
    }));
});

describe('filters', () => {
  it('choose by outcome, tags, kind, session and agent', () =>
    withRoom(async ({ memory, agentId }, store) => {
      const good = await store('Deploy blue', { tags: ['ops', 'blue'], session_id: 's1' });
      const bad = await store('Deploy green', {
        ...failed('disk full'),
        tags: ['ops'],
        session_id: 's2',
        intent: { goal: 'Deploy green', task_type: 'configuration' },
      });
      const found = async (request: Record<string, unknown>) =>
        ids(await memory.recall(request, OPERATOR)).sort();
      expect(await found({ query: 'deploy' })).toEqual([good, bad].sort());
      expect(await found({ query: 'deploy', failures_only: true })).toEqual([bad]);
      expect(await found({ query: 'deploy', success_only: true })).toEqual([good]);
      expect(await found({ query: 'deploy', include_failures: false })).toEqual([good]);
      expect(await found({ tags: ['OPS'] })).toEqual([good, bad].sort());
      expect(await found({ tags: ['ops', 'blue'] })).toEqual([good]);
      expect(await found({ task_type: 'configuration' })).toEqual([bad]);
      expect(await found({ session: 's1' })).toEqual([good]);
      expect(await found({ agent_id: agentId })).toEqual([good, bad].sort());
      expect(await found({ agent_id: derivedId('nobody') })).toEqual([]);
    }));

  it('alone, without words, find the newest that pass', () =>
    withRoom(async ({ memory, clock }, store) => {
      const old = await store('Ship red', { ...failed('no key'), tags: ['ops'] });
      const good = await store('Ship blue', { tags: ['ops'] });
      const noon = clock.nowMs + 1;
      const bad = await store('Ship green', failed('disk full'));
      const found = async (request: Record<string, unknown>) => {
        const result = await memory.recall(request, OPERATOR);
        return [ids(result), result.total_matches, result.memories[0]?.why];
      };
      expect(await found({ failures_only: true })).toEqual([[bad, old], 2, 'the newest failures']);
      expect(await found({ failures_only: true, limit: 1 })).toEqual([
        [bad],
        2,
        'the newest failures',
      ]);
      const succeeded = [[good], 1, 'the newest that succeeded'];
      expect(await found({ success_only: true })).toEqual(succeeded);
      expect(await found({ include_failures: false })).toEqual(succeeded);
      const before = new Date(noon).toISOString();
      expect(await found({ failures_only: true, before })).toEqual([
        [old],
        1,
        'the time asked for',
      ]);
      expect(await found({ failures_only: true, tags: ['ops'] })).toEqual([[old], 1, 'tag ops']);
      expect(await found({ success_only: true, tags: [] })).toEqual(succeeded);
      const asked = { failures_only: true, strategy: 'semantic' };
      expect(await found(asked)).toEqual([[bad, old], 2, 'the newest failures']);
    }));

  it('words of outcome are read as the filter where nothing else is asked', () =>
    withRoom(async ({ memory, clock }, store) => {
      const old = await store('Ship red', { ...edits('src/ship.ts'), ...failed('no key') });
      clock.nowMs += DAY_MS;
      const good = await store('Ship blue', edits('src/ship.ts'));
      const bad = await store('Ship green', failed('disk full'));
      const talk = await store('Word the page that says a payment failed');
      const found = async (query: string, more: Record<string, unknown> = {}) =>
        ids(await memory.recall({ query, ...more }, OPERATOR));
      expect(await found('What failed today?')).toEqual([bad]);
      expect(await found('what went wrong yesterday')).toEqual([old]);
      expect(await found('show me the failures')).toEqual([bad, old]);
      expect(await found('what failed in ship.ts?')).toEqual([old]);
      expect(await found('what succeeded today')).toEqual([talk, good]);
      expect(await found('what worked today')).toEqual([talk, good]);
      expect(await found('what went well today?')).toEqual([talk, good]);
      expect(await found('what did not fail today')).toEqual([talk, good]);
      expect(await found("what didn't work today")).toEqual([bad]);
      expect(await found('what hasn’t worked since yesterday')).toEqual([bad, old]);
      expect(await found('what did we work on today')).toEqual([talk, bad, good]);
      expect(await found('what work was done today')).toEqual([talk, bad, good]);
      expect(await found('what failed today', { failures_only: true })).toEqual([bad]);
      // With other words, with both outcomes, against a filter, or asked by likeness they are words.
      expect(await found('payment failed')).toContain(talk);
      expect((await found('the failed payment today'))[0]).toBe(talk);
      expect(await found('what failed', { success_only: true })).toEqual([talk]);
      expect(await found('failed', { strategy: 'semantic' })).toContain(talk);
    }));

  it('the last session is the one before the one that asks', () =>
    withRoom(async ({ memory }, store) => {
      await expect(memory.recall('session:last', OPERATOR)).rejects.toThrow(NotFoundError);
      const first = await store('Morning work', { session_id: 's1' });
      await store('Afternoon work', { session_id: 's2' });
      const asks: Caller = { kind: 'operator', sessionId: 's2' };
      expect(ids(await memory.recall('session:last', asks))).toEqual([first]);
    }));

  it('a strategy keeps to facts or to likeness', () =>
    withRoom(async ({ memory }, store) => {
      await store('Trim the auth module', edits('auth.ts'));
      const request = { file: 'auth.ts', query: 'trim' };
      const exact = await memory.recall({ ...request, strategy: 'exact' }, OPERATOR);
      expect(stagesOf(exact)).toEqual(['structural']);
      const semantic = await memory.recall({ ...request, strategy: 'semantic' }, OPERATOR);
      expect(stagesOf(semantic)).toEqual(['semantic']);
    }));
});

describe('the answer', () => {
  it('keeps to the token caps of its depth', () =>
    withRoom(async ({ memory }, store) => {
      const long = 'considered every alternative at length and wrote it down. '.repeat(40);
      await store(long.slice(0, 1_500), {
        reasoning: long,
        outcome: { success: false, summary: long, failure_reason: long, learnings: [long] },
      });
      for (const depth of ['summary', 'outcome', 'reasoning', 'full'] as const) {
        const result = await memory.recall({ query: 'alternative', depth }, OPERATOR);
        const [shown] = result.memories;
        expect(shown?.depth).toBe(depth);
        expect(result.token_count).toBe(countTokens(shown?.content ?? ''));
        expect(result.token_count).toBeLessThanOrEqual(DEPTH_TOKENS[depth] ?? 0);
      }
    }));

  it('counts as an access unless said otherwise', () =>
    withRoom(async ({ memory }, store) => {
      const id = await store('Feed the cat');
      await memory.recall({ query: 'cat' }, OPERATOR);
      await memory.recall({ query: 'cat' }, OPERATOR, { counted: false });
      await memory.settled();
      const { memories } = await memory.list({ sort: 'access_count' }, OPERATOR);
      expect(memories.find(({ memory_id }) => memory_id === id)?.access_count).toBe(1);
    }));

  it('leaves out a row that vanished behind the index', () =>
    withRoom(async ({ memory }, store) => {
      await store('Feed the cat');
      const gone = await memory.get(await store('Feed the dog'), OPERATOR);
      await database.db.execute(sql`delete from memories where id = ${gone.id}`);
      const result = await memory.recall({ query: 'feed' }, OPERATOR);
      expect(result.memories.map(({ content }) => content)).toEqual(['✓ Feed the cat']);
    }));
});

describe('in other words', () => {
  it('finds what shares no word with the question, by the built-in model', () =>
    withRoom(
      async ({ memory }, store) => {
        const wanted = await store('Made the database lookups faster');
        for (const goal of ['Feed the cat', 'Raise the price of tea', 'Paint the garden fence']) {
          await store(goal);
        }
        const asked = { query: 'speed up slow queries', min_confidence: 0 };
        const [first] = (await memory.recall(asked, OPERATOR)).memories;
        expect(first?.memory_id).toBe(wanted);
        expect(first?.why).toMatch(/^likeness 0\.\d\d$/);
      },
      { beside: builtInModel() },
    ));
});

describe('when something is missing', () => {
  it('a model that fails is said, and words still find', () =>
    withRoom(async ({ memory, embedder }, store) => {
      const id = await store('Feed the cat');
      const lexical = embedder.current;
      for (const embed of [
        () => Promise.reject(new Error('model gone')),
        async () => [new Float32Array(384).fill(Number.NaN)],
        async () => [new Float32Array(384)],
        async () => [new Float32Array(100).fill(0.1)],
        async () => [],
      ]) {
        embedder.current = { ...lexical, embed };
        const result = await memory.recall({ query: 'cat' }, OPERATOR);
        expect(ids(result)).toEqual([id]);
        expect(result.degraded).toContain('searched by words only');
      }
    }));

  it('vectors of another model are not compared, and that is said', () =>
    withRoom(async ({ memory, embedder }, store) => {
      const id = await store('Feed the cat');
      embedder.current = { ...createLexicalEmbedder(), id: 'another-model' };
      const result = await memory.recall({ query: 'cat' }, OPERATOR);
      expect(ids(result)).toEqual([id]);
      expect(result.degraded).toContain('of another model');
    }));

  it('while the index loads the newest are found and the answer says so', () =>
    withRoom(async (room, store) => {
      const id = await store('Feed the cat');
      const again = await openRoom(database, `recall ${rooms}`, { loaded: false });
      await again.project.preload();
      const result = await again.memory.recall({ query: 'cat' }, OPERATOR);
      expect(ids(result)).toEqual([id]);
      expect(result.degraded).toContain('is loading');
      await again.memory.settled();
      await again.stop();
      expect((await room.memory.recall({ query: 'cat' }, OPERATOR)).degraded).toBeUndefined();
    }));
});

describe('who asks', () => {
  it('what one person said in private is found by them and nobody else', () =>
    withRoom(async ({ memory }, store) => {
      const ann: Caller = {
        kind: 'entity',
        entityId: derivedId('ann'),
        roomId: derivedId('ann dm'),
        private: true,
      };
      const bob: Caller = { ...ann, entityId: derivedId('bob'), roomId: derivedId('bob dm') };
      const secret = await store('Ann plans a surprise party', { ...edits('party.md') }, ann);
      const open = await store('Party budget');
      const asked = [
        { query: 'surprise party' },
        'file:party.md',
        secret,
        { since: new Date(START_MS).toISOString() },
      ];
      for (const request of asked) {
        expect(ids(await memory.recall(request, ann))).toContain(secret);
        const others: Caller[] = [bob, { kind: 'agent' }];
        for (const other of others) {
          const result = await memory.recall(request, other).catch((error: unknown) => error);
          if (request === secret) expect(result).toBeInstanceOf(NotFoundError);
          else expect(ids(result as RecallResult)).not.toContain(secret);
        }
      }
      expect(ids(await memory.recall({ query: 'party' }, bob))).toEqual([open]);
    }));
});
