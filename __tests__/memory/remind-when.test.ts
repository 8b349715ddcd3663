/** Phrases that say when a memory matters again: what they are, whom they lead to it, and when they go. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, remindWhenType } from '../../src/memory/index.js';
import { InvalidInputError } from '../../src/shared/errors.js';
import { derivedId } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };
const ANNA: Caller = {
  ...{ kind: 'entity', entityId: derivedId('person', 'anna'), private: true },
  roomId: derivedId('room', 'anna'),
};
const BEN: Caller = {
  ...{ kind: 'entity', entityId: derivedId('person', 'ben'), private: true },
  roomId: derivedId('room', 'ben'),
};
const EVERYBODY = { kind: 'operator' } as const;

let database: OpenRecordDatabase;
let room: MemoryRoom;
beforeAll(async () => {
  database = await openRecordDatabase();
  room = await openRoom(database, 'remind when');
  for (const goal of ['Paint the fence', 'Sort the photographs', 'Order printer paper']) {
    await room.memory.store(draft(goal), OPERATOR);
  }
});
afterAll(async () => {
  await room.stop();
  await database.close();
});

async function found(query: string, caller: Caller = OPERATOR): Promise<string[]> {
  const { memories } = await room.memory.recall({ query }, caller);
  return memories.map(({ memory_id }) => memory_id);
}

const phrases = async () =>
  (await room.project.store.list(remindWhenType, EVERYBODY, { limit: 100 })).records.map(
    ({ data }) => data.phrase,
  );

describe('phrases of remind_when', () => {
  it('lead to a memory that shares no word with the question', async () => {
    const { memory_id } = await room.memory.store(
      draft('Round totals per line', { remind_when: ['the invoice is one cent off'] }),
      OPERATOR,
    );
    expect((await found('why is this invoice one cent too high?'))[0]).toBe(memory_id);
  });

  it('are made NFKC, lose doubles, and are told as they are stored', async () => {
    const { memory } = await room.memory.store(
      draft('Rename the ligature', { remind_when: ['  the \ufb01le  menu ', 'The file menu'] }),
      OPERATOR,
    );
    expect(memory.remind_when).toEqual(['The file menu']);
  });

  it.each([
    [['a', 'b', 'c', 'd', 'e', 'f'], 'must have at most 5 phrases'],
    [['x'.repeat(201)], 'must be at most 200 characters'],
    [['\u200b'], 'must not be empty'],
    [[7], 'must be text'],
    [42, 'must be a text or a list of texts'],
  ])('are refused when they are %j', async (remind_when, message) => {
    const error: unknown = await room.memory
      .store(draft('Refused', { remind_when }), OPERATOR)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as InvalidInputError).findings.map((finding) => finding.message)).toEqual([
      message,
    ]);
  });

  it('are replaced by a change, and emptied by null', async () => {
    const { memory_id } = await room.memory.store(
      draft('Choose a font', { remind_when: ['letters look blurred'] }),
      OPERATOR,
    );
    await room.memory.updateMemory({ memory_id, remind_when: ['text seems fuzzy'] }, OPERATOR);
    expect(await found('everything seems fuzzy')).toEqual([memory_id]);
    expect(await found('why are letters blurred?')).toEqual([]);
    await room.memory.updateMemory({ memory_id, remind_when: null }, OPERATOR);
    expect(await found('everything seems fuzzy')).toEqual([]);
    // The same phrase again has the id of one that was removed.
    await room.memory.updateMemory({ memory_id, remind_when: ['text seems fuzzy'] }, OPERATOR);
    expect(await found('everything seems fuzzy')).toEqual([memory_id]);
  });

  it('are seen only by those who see the memory', async () => {
    const { memory_id } = await room.memory.store(
      draft('Buy a ring', { remind_when: ['an anniversary is coming up'] }),
      ANNA,
    );
    expect(await found('when is the anniversary?', ANNA)).toEqual([memory_id]);
    expect(await found('when is the anniversary?', BEN)).toEqual([]);
  });

  it('go when the memory is forgotten', async () => {
    const { memory_id } = await room.memory.store(
      draft('Cancel the gym', { remind_when: ['a fee was debited'] }),
      OPERATOR,
    );
    expect(await phrases()).toContain('a fee was debited');
    await room.memory.forget({ memory_id }, OPERATOR);
    expect(await phrases()).not.toContain('a fee was debited');
    expect(await found('which fee was debited?')).toEqual([]);
  });

  it('are kept by an export and found after an import', async () => {
    await room.memory.store(
      draft('Descale the kettle', { remind_when: ['the tea tastes odd'] }),
      OPERATOR,
    );
    const exported = await room.memory.export({}, OPERATOR);
    const other = await openRoom(database, 'remind when, imported');
    try {
      await other.memory.import(exported, OPERATOR);
      const { memories } = await other.memory.recall({ query: 'my tea tastes odd' }, OPERATOR);
      expect(memories.map(({ content }) => content)).toEqual([
        expect.stringContaining('Descale the kettle'),
      ]);
      const twice = await other.memory.import(exported, OPERATOR);
      expect(twice.imported).toBe(0);
    } finally {
      await other.stop();
    }
  });

  it('are found again by an agent that starts anew', async () => {
    const again = await openRoom(database, 'remind when');
    try {
      const { memories } = await again.memory.recall({ query: 'my tea tastes odd' }, OPERATOR);
      expect(memories).toHaveLength(1);
    } finally {
      await again.stop();
    }
  });
});
