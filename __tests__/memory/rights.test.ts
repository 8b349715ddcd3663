import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printIn } from '../../src/memory/ids.js';
import type { Caller } from '../../src/memory/index.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };
const person = (name: string, room: string, alone: boolean): Caller => ({
  kind: 'entity',
  entityId: derivedId('person', name),
  roomId: derivedId('room', room),
  private: alone,
});
const ADA_DM = person('ada', 'ada-dm', true);
const ADA_GROUP = person('ada', 'group', false);
const BOB_DM = person('bob', 'bob-dm', true);
const BOB_GROUP = person('bob', 'group', false);
const EVE_ELSEWHERE = person('eve', 'elsewhere', false);
const CLIENT: Caller = { kind: 'agent', sessionId: 'client' };

let database: OpenRecordDatabase;
let room: MemoryRoom;
/** Ids by what was told: by Ada alone, in the group, for everybody; by a client. */
const told: Record<'secret' | 'group' | 'open' | 'client', Uuid> = {
  secret: derivedId(''),
  group: derivedId(''),
  open: derivedId(''),
  client: derivedId(''),
};

beforeAll(async () => {
  database = await openRecordDatabase();
  room = await openRoom(database, 'rights');
  const store = async (goal: string, caller: Caller, more: Record<string, unknown> = {}) =>
    (await room.memory.store(draft(goal, { tags: ['zebra'], ...more }), caller)).memory.id;
  told.secret = await store('Zebra secret', ADA_DM);
  told.group = await store('Zebra group', ADA_GROUP);
  told.open = await store('Zebra open', ADA_DM, { visibility: 'project' });
  told.client = await store('Zebra client', CLIENT);
  for (const id of [told.secret, told.group, told.client]) {
    await room.memory.link({ source: told.open, target: id, link_type: 'caused_by' }, OPERATOR);
  }
});
afterAll(async () => {
  await room.stop();
  await database.close();
});

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'allowed',
    (error: unknown) => Reflect.get(Object(error), 'code'),
  );

describe('what a caller sees', () => {
  it.each<[string, Caller, string[]]>([
    ['the operator', OPERATOR, ['client', 'group', 'open', 'secret']],
    ['Ada alone', ADA_DM, ['client', 'open', 'secret']],
    ['Ada in the group', ADA_GROUP, ['client', 'group', 'open', 'secret']],
    ['Bob in the group', BOB_GROUP, ['client', 'group', 'open']],
    ['Bob alone', BOB_DM, ['client', 'open']],
    ['Eve in another room', EVE_ELSEWHERE, ['client', 'open']],
    ['a client', CLIENT, ['client', 'open']],
  ])('%s, the same by every way in', async (_who, caller, expected) => {
    const goals = (texts: string[]) =>
      texts.map((text) => /Zebra (\w+)/.exec(text)?.[1] ?? text).sort();
    const { memory } = room;
    const listed = await memory.list({}, caller);
    expect(goals(listed.memories.map(({ intent }) => intent.goal))).toEqual(expected);
    expect(listed.total).toBe(expected.length);
    const recalled = await memory.recall({ query: 'zebra', limit: 50 }, caller);
    expect(goals(recalled.memories.map(({ content }) => content))).toEqual(expected);
    const tagged = await memory.recall({ tags: ['zebra'], limit: 50 }, caller);
    expect([tagged.total_matches, tagged.memories.length]).toEqual(Array(2).fill(expected.length));
    const trace = await memory.trace({ memory_id: told.open }, caller);
    expect(goals(trace.trace.map(({ content }) => content))).toEqual(expected);
    const open = await memory.get(told.open, caller);
    expect(open.links.caused_by).toHaveLength(expected.length - 1);
    const { content } = await memory.export({ format: 'jsonl' }, caller);
    const lines = String(content).trim().split('\n');
    const kinds = lines.map((line): string => JSON.parse(line).kind);
    expect(kinds.filter((kind) => kind === 'memory')).toHaveLength(expected.length);
    expect(kinds.filter((kind) => kind === 'link')).toHaveLength(expected.length - 1);
    const shown = await memory.forget({ tags: ['zebra'], dry_run: true }, caller);
    const seen = new Set<string>(expected);
    // What Ada made is hers to forget, also where she does not read it.
    const own = caller.kind === 'entity' && caller.entityId === derivedId('person', 'ada');
    const known = [...listed.memories.map(({ id }) => id), ...(own ? [told.group] : [])];
    expect(shown.memory_ids.filter((id) => !known.includes(id))).toEqual([]);
    for (const [name, id] of Object.entries(told)) {
      const reached = await codeOf(memory.get(id, caller));
      expect([name, reached]).toEqual([name, seen.has(name) ? 'allowed' : 'NOT_FOUND']);
    }
  });

  it('does not learn from an id that others have it', async () => {
    const attempts = [
      room.memory.updateMemory({ memory_id: told.secret, importance: 1 }, BOB_GROUP),
      room.memory.forget({ memory_id: told.secret }, BOB_GROUP),
      room.memory.trace({ memory_id: told.secret }, BOB_GROUP),
      room.memory.recall({ memory_id: told.secret }, BOB_GROUP),
      room.memory.createChapter({ memory_ids: [told.secret] }, BOB_GROUP),
      room.memory.link({ source: told.secret, target: told.open }, BOB_GROUP),
    ];
    expect(await Promise.all(attempts.map(codeOf))).toEqual(Array(6).fill('NOT_FOUND'));
  });

  it('gets no more out of a chapter or wisdom than out of its members', async () => {
    const { chapters } = await room.memory.createChapter(
      { title: 'Mixed', memory_ids: [told.secret, told.open] },
      ADA_DM,
    );
    const both = await room.memory.createChapter(
      { title: 'Two audiences', memory_ids: [told.secret, told.group] },
      OPERATOR,
    );
    const ids = [...chapters, ...both.chapters].map(({ id }) => id);
    for (const id of ids) await room.memory.synthesize({ chapter_ids: [id] }, OPERATOR);
    const titles = async (caller: Caller) =>
      (await room.memory.listChapters({}, caller)).chapters.map(({ title }) => title).sort();
    const wisdom = async (caller: Caller) =>
      (await room.memory.recallWisdom({ query: 'zebra' }, caller)).total;
    expect(await titles(OPERATOR)).toEqual(['Mixed', 'Two audiences']);
    expect(await titles(ADA_GROUP)).toEqual(['Mixed']);
    expect(await titles(BOB_GROUP)).toEqual([]);
    expect(await titles(CLIENT)).toEqual([]);
    expect([await wisdom(OPERATOR), await wisdom(ADA_DM), await wisdom(BOB_GROUP)]).toEqual([
      2, 1, 0,
    ]);
    const found = await room.memory.createChapter({ min_memories: 2 }, ADA_GROUP);
    expect(found.chapters.map(({ visibility }) => visibility)).not.toContain('user');
  });
});

describe('what a caller may change', () => {
  const change = (id: Uuid, caller: Caller) =>
    codeOf(room.memory.updateMemory({ memory_id: id, importance: 0.7 }, caller));

  it.each<[string, keyof typeof told, Caller, string]>([
    ['Ada her own', 'secret', ADA_DM, 'allowed'],
    ['Ada what she told the group', 'group', ADA_GROUP, 'allowed'],
    ['Bob what Ada told the group', 'group', BOB_GROUP, 'PERMISSION_DENIED'],
    ['Bob what Ada told everybody', 'open', BOB_DM, 'PERMISSION_DENIED'],
    ['a client what Ada told everybody', 'open', CLIENT, 'PERMISSION_DENIED'],
    ['Ada what a client stored', 'client', ADA_DM, 'PERMISSION_DENIED'],
    ['a client its own', 'client', CLIENT, 'allowed'],
    ['the operator anything', 'secret', OPERATOR, 'allowed'],
  ])('%s', async (_what, which, caller, expected) => {
    expect(await change(told[which], caller)).toBe(expected);
    if (expected === 'allowed') return;
    expect(await codeOf(room.memory.forget({ memory_id: told[which] }, caller))).toBe(expected);
    expect(
      (await room.memory.forget({ query: 'zebra', dry_run: true }, caller)).memory_ids,
    ).not.toContain(told[which]);
  });

  it('forgets everything of one person: themselves or the operator, nobody else', async () => {
    const { memory } = await room.memory.store(draft('Bob likes tea'), BOB_DM);
    const bob = derivedId('person', 'bob');
    const forget = (caller: Caller) => room.memory.forget({ entity_id: bob }, caller);
    expect(await codeOf(forget(ADA_DM))).toBe('PERMISSION_DENIED');
    expect(await codeOf(forget(CLIENT))).toBe('PERMISSION_DENIED');
    expect((await forget(OPERATOR)).memory_ids).toEqual([memory.id]);
    await room.memory.store(draft('Bob likes coffee'), BOB_DM);
    expect((await room.memory.forget({ all: true }, BOB_GROUP)).total).toBe(1);
    expect(await codeOf(room.memory.get(told.group, ADA_GROUP))).toBe('allowed');
  });

  it('forgets what a person said in any room, and shows a group no words from elsewhere', async () => {
    const { memory } = room;
    const as = (where: string, alone: boolean) => person('gus', where, alone);
    const says = async (goal: string, caller: Caller) =>
      (await memory.store(draft(goal), caller)).memory.id;
    const dm = await says('Gus owes a goose', as('gus-dm', true));
    const group = await says('Gus sold a goose', as('group', false));
    const other = await says('Gus ate a goose', as('other', false));
    await says('Hal owns a goose', person('hal', 'other', false));
    const contents = (shown: { memories: { content: string }[] }) =>
      shown.memories.map(({ content }) => content.replace(/^\W+/, '')).sort();

    const requests = [{ all: true }, { query: 'goose' }, { entity_id: derivedId('person', 'gus') }];
    for (const request of requests) {
      const alone = await memory.forget({ ...request, dry_run: true }, as('gus-dm', true));
      expect([alone.total, alone.elsewhere, alone.kept]).toEqual([3, 0, 0]);
      expect(contents(alone)).toEqual(['Gus ate a goose', 'Gus owes a goose', 'Gus sold a goose']);
      const before = await memory.forget({ ...request, dry_run: true }, as('group', false));
      expect([before.total, before.elsewhere, contents(before)]).toEqual([
        3,
        2,
        ['Gus sold a goose'],
      ]);
    }
    const short = printIn(room.project.store, 'memory', other);
    const named = await memory.forget({ memory_id: short, dry_run: true }, as('gus-dm', true));
    expect(named.memory_ids).toEqual([other]);
    // Who can neither read nor forget it learns nothing by the same two ids.
    for (const memory_id of [short, other]) {
      expect(await codeOf(memory.forget({ memory_id }, BOB_GROUP))).toBe('NOT_FOUND');
      expect(await codeOf(memory.forget({ memory_id, missing_ok: true }, BOB_GROUP))).toBe(
        'allowed',
      );
    }
    const gone = await memory.forget({ memory_ids: [dm, group, other] }, as('gus-dm', true));
    expect(gone.total).toBe(3);
    expect((await memory.list({}, OPERATOR)).memories.map(({ intent }) => intent.goal)).toContain(
      'Hal owns a goose',
    );
    expect(await codeOf(memory.get(other, OPERATOR))).toBe('NOT_FOUND');
  });

  it('skips what is gone only when that is asked for', async () => {
    const { memory } = room;
    const { id } = (await memory.store(draft('Bob likes cake'), BOB_DM)).memory;
    const memory_ids = [derivedId('never was'), 'mem_00000000', id];
    expect(await codeOf(memory.forget({ memory_ids }, BOB_DM))).toBe('NOT_FOUND');
    expect(await codeOf(memory.get(id, BOB_DM))).toBe('allowed');
    const gone = await memory.forget({ memory_ids, missing_ok: true }, BOB_DM);
    expect([gone.total, gone.memory_ids]).toEqual([1, [id]]);
    expect((await memory.forget({ memory_ids, missing_ok: true }, BOB_DM)).total).toBe(0);
    const denied = memory.forget({ memory_id: told.open, missing_ok: true }, BOB_DM);
    expect(await codeOf(denied)).toBe('PERMISSION_DENIED');
  });

  it('imports as oneself: neither place nor author of the file is believed', async () => {
    const { content } = await room.memory.export({ format: 'jsonl' }, OPERATOR);
    const line = JSON.parse(String(content).split('\n')[0] ?? '');
    const forged = { ...line, id: derivedId('forged'), visibility: 'project' };
    forged.data.agent_id = derivedId('person', 'ada');
    await room.memory.import([forged], BOB_DM);
    const seen = await room.memory.get(derivedId('forged'), BOB_DM);
    expect([seen.visibility, seen.agent_id]).toEqual(['user', room.agentId]);
    expect(await codeOf(room.memory.get(derivedId('forged'), CLIENT))).toBe('NOT_FOUND');
  });
});

describe('identities', () => {
  const register = (input: Record<string, unknown>) =>
    room.memory.identity({ action: 'register', ...input }, { kind: 'agent', sessionId: 's1' });
  const as = (identityId: Uuid): Caller => ({ kind: 'agent', identityId });

  it('are registered once, resumed with the token alone, and remember their sessions', async () => {
    const made = await register({ name: 'builder' });
    expect([made.type, made.parent_id, made.session_history]).toEqual(['main', null, ['s1']]);
    expect(await codeOf(register({ name: 'builder' }))).toBe('DUPLICATE');
    const resume = (resume_token: string, session_id: string) =>
      room.memory.identity(
        { action: 'resume', agent_id: made.agent_id, resume_token, session_id },
        CLIENT,
      );
    expect(await codeOf(resume('rum_wrong', 's2'))).toBe('PERMISSION_DENIED');
    const back = await resume(made.resume_token ?? '', 's2');
    expect([back.session_history, back.resume_token]).toEqual([['s1', 's2'], undefined]);
    const info = await room.memory.identity({ action: 'info', agent_id: made.agent_id }, CLIENT);
    expect(info).toEqual(back);
    const stored = await database.db.execute(`select metadata::text as text from memories
      where type = 'cue_identity'`);
    expect(JSON.stringify(stored)).not.toContain(made.resume_token);
  });

  it('of subagents need a parent that is there', async () => {
    expect(await codeOf(register({ type: 'subagent' }))).toBe('INVALID_INPUT');
    expect(await codeOf(register({ parent: room.agentId }))).toBe('INVALID_INPUT');
    expect(await codeOf(register({ type: 'subagent', parent: derivedId('no') }))).toBe('NOT_FOUND');
  });

  it('take as a subagent who shows the token of the parent, or is the parent', async () => {
    const { agent_id: parent, resume_token } = await register({});
    const under = { type: 'subagent', parent };
    expect(await codeOf(register(under))).toBe('PERMISSION_DENIED');
    expect(await codeOf(register({ ...under, parent_token: 'rum_guessed' }))).toBe(
      'PERMISSION_DENIED',
    );
    expect((await register({ ...under, parent_token: resume_token })).parent_id).toBe(parent);
    const asked = { action: 'register', ...under };
    expect((await room.memory.identity(asked, as(parent))).parent_id).toBe(parent);
  });

  it('count their memories, their sessions and what went well', async () => {
    const { agent_id, resume_token, memory_count, success_rate, session_count } = await register({
      session_id: 'one',
    });
    expect([memory_count, success_rate, session_count]).toEqual([0, null, 1]);
    const caller = as(agent_id);
    await room.memory.store(draft('Went well'), caller);
    await room.memory.store(draft('Went well again'), caller);
    await room.memory.store({ ...draft('Went wrong'), outcome: { success: false } }, caller);
    const resumed = { action: 'resume', agent_id, resume_token };
    for (const session_id of ['two', 'two', 'one']) {
      await room.memory.identity({ ...resumed, session_id }, CLIENT);
    }
    expect(await room.memory.identity({ action: 'info', agent_id }, CLIENT)).toMatchObject({
      ...{ memory_count: 3, success_rate: 0.67, session_count: 2 },
    });
  });

  it('change their own and what their subagents wrote, and list their own first', async () => {
    const { agent_id: main, resume_token: parent_token } = await register({});
    const sub = (await register({ type: 'subagent', parent: main, parent_token })).agent_id;
    const stranger = (await register({})).agent_id;
    const { memory } = await room.memory.store(draft('Subtask'), as(sub));
    expect(memory.agent_id).toBe(sub);
    const change = (caller: Caller) =>
      codeOf(room.memory.updateMemory({ memory_id: memory.id, importance: 0.1 }, caller));
    expect([
      await change(as(sub)),
      await change(as(main)),
      await change(as(stranger)),
      await change(CLIENT),
    ]).toEqual(['allowed', 'allowed', 'PERMISSION_DENIED', 'PERMISSION_DENIED']);
    expect((await room.memory.list({}, as(sub))).total).toBe(1);
    expect((await room.memory.list({}, as(main))).total).toBe(0);
    expect((await room.memory.list({ own: false }, as(main))).total).toBeGreaterThan(1);
    expect(await codeOf(room.memory.store(draft('Ghost'), as(derivedId('ghost'))))).toBe(
      'NOT_FOUND',
    );
  });
});
