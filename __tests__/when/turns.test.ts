/** What conversations are shown of `/when`, and when it counts; look-ups in the hands of the test. */
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/records/index.js';
import { DAY_MS } from '../../src/shared/clock.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import { type ConversationTurn, createWhenTurns } from '../../src/when/turns.js';
import type { Match, Recall, RelevantEntry } from '../../src/when/types.js';

const ROOM = derivedId('room', 'turns');
const CALLER: Caller = { kind: 'agent', sessionId: 'morning' };
const id = (name: string): Uuid => derivedId('entry', name);

function recallOf(query: string): Recall {
  const match: Match = {
    ...{ rank: 1, header: query, file: 'a.md', line: query.length, trigger: query },
    ...{ description: '', confidence: 1, content: '' },
  };
  const found = 'exact' as const;
  return {
    results: [{ query, found, confidence: 1, matches: [match], related: [], suggestions: [] }],
  };
}

function entry(name: string): RelevantEntry {
  const scope = { visibility: 'project', entityId: null, roomId: null, authorId: ROOM } as const;
  return {
    ...{ id: id(name), command: `/when ${name}`, header: name, description: '', file: 'a.md' },
    ...{ confidence: 0.5, reasons: [], scope: { ...scope, projectId: ROOM } },
  };
}

function room(relevant: string[] = []) {
  const clock = { ms: 1_000 };
  const offered: unknown[] = [];
  const asked: string[] = [];
  const turns = createWhenTurns({
    clock: { now: () => clock.ms },
    find: async (text, _caller, by) => {
      asked.push(`${by}: ${text}`);
      return text.startsWith('/when ') ? recallOf(text.slice(6)) : null;
    },
    relevant: async (_moment, limit) => relevant.map(entry).slice(0, limit),
    entriesOf: (_file, line) => relevant.filter(({ length }) => length === line).map(id),
    offered: (lines, session) => offered.push({ lines, session }),
  });
  return { turns, clock, offered, asked };
}

function turnOf(text: string): ConversationTurn {
  return { messageId: derivedId('message', text), roomId: ROOM, caller: CALLER, text };
}
const nowhere = async () => [];
const say = (text: string) => ({ roomId: ROOM, words: Promise.resolve(text), caller: CALLER });
const queries = (all: readonly { recall: Recall }[]) =>
  all.flatMap(({ recall }) => recall.results.map(({ query }) => query));

describe('lines that a turn lists', () => {
  it('are four, without those that it shows elsewhere or has been asked for', async () => {
    const { turns } = room(['one', 'three', 'seven', 'eleven', 'fifteen', 'seventeen', 'ninety']);
    await turns.agentSaid(say('/when seven'));
    const { lines } = await turns.knowledge(turnOf('a long question'), async () => [id('one')]);
    expect(lines.map(({ header }) => header)).toEqual(['eleven', 'fifteen', 'seventeen', 'ninety']);
  });

  it('count as offered once their run has ended well, once', async () => {
    const { turns, offered } = room();
    const turn = turnOf('a long question');
    const run = { messageId: turn.messageId, roomId: ROOM };
    turns.shown(turn, [id('one')]);
    turns.ended({ ...run, completed: false });
    expect(offered).toEqual([]);
    for (const _ of [1, 2, 3]) turns.shown(turn, [id('one')]);
    turns.ended({ ...turnOf('another'), completed: true });
    expect(offered).toEqual([]);
    for (const _ of [1, 2]) turns.ended({ ...run, completed: true });
    const session = { roomId: ROOM, sessionId: 'morning' };
    expect(offered).toEqual([{ lines: [id('one')], session }]);
  });

  it('are none beside a command, nor for words about nothing', async () => {
    const { turns, asked } = room(['one']);
    expect((await turns.knowledge(turnOf('/when seven'), nowhere)).lines).toEqual([]);
    expect((await turns.knowledge(turnOf('ok then'), nowhere)).lines).toEqual([]);
    expect(asked).toEqual(['person: /when seven', 'person: ok then']);
  });
});

describe('what the agent asked for in its own text', () => {
  it('waits until a run that has shown it ends well', async () => {
    const { turns, asked } = room();
    expect(turns.isAwaited(ROOM)).toBe(false);
    const said = turns.agentSaid(say('/when seven'));
    expect(turns.isAwaited(ROOM)).toBe(true);
    const turn = turnOf('and?');
    const run = { messageId: turn.messageId, roomId: ROOM };
    expect((await turns.knowledge(turn, nowhere)).commanded).toMatchObject([{ by: 'agent' }]);
    await said;
    // Worked out, but too late for any prompt of that turn.
    turns.ended({ ...run, completed: true });
    expect(turns.isAwaited(ROOM)).toBe(true);
    turns.shown(turn, []);
    turns.ended({ ...run, completed: false });
    expect(queries((await turns.knowledge(turn, nowhere)).commanded)).toEqual(['seven']);
    turns.ended({ ...run, completed: true });
    expect(turns.isAwaited(ROOM)).toBe(false);
    expect(asked.filter((one) => one.startsWith('agent'))).toEqual(['agent: /when seven']);
  });

  it('is the newest three, of one day', async () => {
    const { turns, clock } = room();
    for (const text of ['a', 'b', 'c', 'd']) await turns.agentSaid(say(`/when ${text}`));
    const now = async () => queries((await turns.knowledge(turnOf('and?'), nowhere)).commanded);
    expect(await now()).toEqual(['b', 'c', 'd']);
    clock.ms += DAY_MS + 1;
    expect(await now()).toEqual([]);
  });

  it('comes with the message’s own commands, except those that are to be written', async () => {
    const { turns } = room();
    await turns.agentSaid(say('/when a'));
    const both = await turns.knowledge(turnOf('/when b'), nowhere);
    expect(both.commanded.map(({ by }) => by)).toEqual(['agent', 'message']);
    const written = await turns.knowledge(turnOf('/remember a | b | c'), nowhere);
    expect(queries(written.commanded)).toEqual(['a']);
  });

  it('that cannot be looked up fails where it was said, and in no turn', async () => {
    const { turns } = room();
    const words = Promise.reject(new Error('no database'));
    const said = turns.agentSaid({ roomId: ROOM, words, caller: CALLER });
    expect((await turns.knowledge(turnOf('and?'), nowhere)).commanded).toEqual([]);
    await expect(said).rejects.toThrow('no database');
    expect(turns.isAwaited(ROOM)).toBe(false);
  });
});
