/** `/when` entries as offers: the detector alone, and what becomes of what it finds, on real records. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWhenMatch, type SlotDetectors, type WhenPort } from '../../src/proactive/index.js';
import { block, promptBlock } from '../../src/proactive/text/block.js';
import type { Scope } from '../../src/records/index.js';
import { NotFoundError } from '../../src/shared/errors.js';
import { derivedId } from '../../src/shared/ids.js';
import { countTokens } from '../../src/shared/tokens.js';
import type { RelevantEntry } from '../../src/when/index.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { ATTACKS } from '../fixtures/attacks.js';
import { type DetectorRoom, dmWith, edits, OPERATOR, withRoom } from './detector-room.js';
import { ada, long, messageOf, open, type ProactiveRoom, withProactive } from './proactive-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const PROJECT: Scope = {
  projectId: derivedId('when test', 'project'),
  visibility: 'project',
  entityId: null,
  roomId: null,
  authorId: derivedId('when test', 'author'),
};
const TESTING = 'agents/decisions/testing.md';
const TASK = 'Write the mock tests for the parser';
const OFFER =
  '[RUM] Noted for "Write the mock tests for the parser" — write the command to read it:\n' +
  '  • /when writing mock tests (Mock Patching Pattern: patch where used, not defined)';

/** @param about what makes it relevant: words, or a path */
function entry(trigger: string, about: string, more: Partial<RelevantEntry> = {}): Listed {
  return {
    about,
    id: derivedId('when test', trigger),
    command: `/when ${trigger}`,
    header: 'Mock Patching Pattern',
    description: 'patch where used, not defined',
    file: TESTING,
    confidence: 0.9,
    reasons: ['trigger 0.90 alike'],
    scope: PROJECT,
    ...more,
  };
}
type Listed = RelevantEntry & { about: string };
const MOCKS = entry('writing mock tests', 'mock tests');
const FIXTURES = entry('editing shared fixtures', 'tests/conftest.py', {
  header: 'Shared Fixtures',
  description: 'one file for each kind',
  confidence: 0.8,
});

/** The entries of a list whose words or path the moment has. */
function listed(entries: readonly Listed[]): WhenPort {
  return {
    relevant: async ({ text, files }, limit) =>
      entries.filter(({ about }) => text.includes(about) || files.includes(about)).slice(0, limit),
    current: async (ids) => entries.filter(({ id }) => ids.includes(id)),
  };
}

function slotsOf(port: () => WhenPort | null) {
  return (context: DetectorRoom['context']): SlotDetectors => ({
    whenMatch: createWhenMatch(context, port),
  });
}

const withEntries = (
  entries: readonly Listed[],
  work: (room: ProactiveRoom & { entries: Listed[] }) => Promise<void>,
) => {
  const current = [...entries];
  return withProactive(database, (room) => work({ ...room, entries: current }), {
    slots: slotsOf(() => listed(current)),
  });
};

describe('the detector of /when entries', () => {
  const withDetector = (
    entries: readonly Listed[],
    work: (
      evaluate: ReturnType<typeof createWhenMatch>['evaluate'],
      room: DetectorRoom,
    ) => Promise<void>,
  ) =>
    withRoom(database, (room) =>
      work(createWhenMatch(room.context, () => listed(entries)).evaluate, room),
    );

  it('shows the command that answers what is to be done', () =>
    withDetector([MOCKS, FIXTURES], async (evaluate) => {
      const found = await evaluate({ text: TASK, files: [] });
      expect(found).toMatchObject({
        shouldNotify: true,
        text: OFFER,
        tokenEstimate: countTokens(OFFER),
        cue: { kind: 'whenMatch', subject: TASK, strength: 0.9, evidence: ['trigger 0.90 alike'] },
        suppressed: [],
      });
      expect(found.memories.map(({ memoryId }) => memoryId)).toEqual(['/when writing mock tests']);
    }));

  it('shows the entry of a file that is only touched, and not of one that holds the entry', () =>
    withDetector([FIXTURES, entry('naming tests', TESTING)], async (evaluate) => {
      const touched = await evaluate({ text: '', files: ['tests/conftest.py'] });
      expect(touched.text).toBe(
        '[RUM] Noted for tests/conftest.py — write the command to read it:\n' +
          '  • /when editing shared fixtures (Shared Fixtures: one file for each kind)',
      );
      const itself = await evaluate({ text: '', files: [TESTING] });
      expect(itself.shouldNotify).toBe(false);
      expect(itself.suppressed).toEqual([
        {
          memoryId: '/when naming tests',
          detector: 'whenMatch',
          reason: 'its file is the one that is named',
        },
      ]);
      const neither = await evaluate({ text: ' ', files: [] });
      expect(neither.cue.evidence).toEqual(['neither words nor files']);
    }));

  it('keeps to its settings', () => {
    const four = ['one', 'two', 'three', 'four'].map((name, place) =>
      entry(`doing ${name}`, 'tests', { confidence: 0.9 - place / 10 }),
    );
    return withDetector(four, async (evaluate, { set }) => {
      const shown = async () =>
        (await evaluate({ text: TASK, files: [] })).memories.map(({ memoryId }) => memoryId);
      expect(await shown()).toEqual(['/when doing one', '/when doing two']);
      set('whenMatch', { max_results: 3 });
      expect(await shown()).toHaveLength(3);
      set('whenMatch', { confidence_threshold: 0.85 });
      expect(await shown()).toEqual(['/when doing one']);
      set('whenMatch', { enabled: false });
      expect(await shown()).toEqual([]);
    });
  });

  it('says nothing of another project, of what is not for the reader, and of what cannot be typed', () => {
    const hers: Scope = { ...PROJECT, visibility: 'user', entityId: ada.entityId };
    const entries = [
      entry('reading her diary', 'mock', { scope: hers }),
      entry('running `rm`', 'mock', { id: derivedId('when test', 'rm') }),
    ];
    return withDetector(entries, async (evaluate) => {
      const elsewhere = await evaluate({ text: TASK, files: [], projectId: 'another' });
      expect(elsewhere.cue.evidence).toEqual(['another project: another']);
      const own = await evaluate({ text: TASK, files: [], caller: ada });
      expect(own.memories.map(({ memoryId }) => memoryId)).toEqual(['/when reading her diary']);
      const anybody = await evaluate({ text: TASK, files: [] });
      expect(anybody.shouldNotify).toBe(false);
      expect(anybody.suppressed).toEqual([
        {
          memoryId: derivedId('when test', 'rm'),
          detector: 'whenMatch',
          reason: 'its command cannot be printed as it is',
        },
      ]);
    });
  });
});

describe('what the detector of /when entries prints', () => {
  const HEAD = /^\[RUM\] Noted for ".+"(?: — write (?:the|a) command to read it)?:$/;
  const LINE = /^ {2}• \/when [\p{L}\p{N}][^•\n]*$/u;

  it('carries no markup of any attack in its trigger, header, description or in the moment', () =>
    withRoom(database, async ({ context }) => {
      const harmed: [string, string][] = [];
      for (const { name, text, mustNotAppear } of ATTACKS) {
        const entries = [
          { ...MOCKS, id: derivedId('trigger', name), command: `/when ${text}` },
          { ...MOCKS, header: text, description: text },
        ];
        const { evaluate } = createWhenMatch(context, () => listed(entries));
        for (const moment of [TASK, `${text} mock tests`]) {
          const found = await evaluate({ text: moment, files: [] });
          expect(found.memories.map(({ id }) => id)).toContain(MOCKS.id);
          const part = {
            kind: 'whenMatch',
            text: found.text,
            tokens: found.tokenEstimate,
          } as const;
          const whole = promptBlock(block([part]).text).text;
          const bad = mustNotAppear.filter((pattern) => pattern.test(whole)).map(String);
          if (whole.match(/```/g)?.length !== 2) bad.push('a fence');
          const [head = '', ...lines] = found.text.split('\n');
          if (!HEAD.test(head)) bad.push(head);
          bad.push(...lines.filter((line) => !LINE.test(line)));
          if (lines.length !== found.memories.length) bad.push('a line too many');
          harmed.push(...bad.map((what): [string, string] => [name, what]));
        }
      }
      expect(harmed).toEqual([]);
    }));

  it('stays below sixty tokens, with every command whole', () =>
    withRoom(database, async ({ context, set }) => {
      set('whenMatch', { max_results: 4 });
      const words = fc.string({ unit: 'grapheme', maxLength: 400 });
      const trigger = fc
        .array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 8 })
        .map((parts) => parts.join(' '));
      const some = fc.array(fc.tuple(trigger, words, words), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(some, words, async (made, moment) => {
          const entries = made.map(([name, header, description], at) =>
            entry(name, '', { id: derivedId('made', at), header, description }),
          );
          const { evaluate } = createWhenMatch(context, () => listed(entries));
          const text = moment.trim() || 'x';
          const found = await evaluate({ text, files: [] });
          expect(found.tokenEstimate).toBe(countTokens(found.text));
          expect(found.tokenEstimate).toBeLessThan(60);
          const lines = found.text.split('\n').slice(1);
          expect(lines).toHaveLength(found.memories.length);
          for (const [at, { memoryId }] of found.memories.entries()) {
            expect(lines[at]).toSatisfy((line: string) => line.startsWith(`  • ${memoryId}`));
          }
        }),
        { numRuns: 60, seed: 5 },
      );
    }));
});

describe('an offer of a /when entry', () => {
  it('comes with an intent, a task and a touched file, and says where it is from', () =>
    withEntries([MOCKS, FIXTURES], async ({ proactive, clock }) => {
      const stated = await proactive.onIntentStated({ intent: TASK });
      expect(stated).toMatchObject({ text: OFFER, degraded: [] });
      expect(stated.offers[0]).toMatchObject({
        kind: 'whenMatch',
        subject: TASK,
        state: 'shown',
        sources: [{ id: MOCKS.id, memoryId: MOCKS.command, score: 0.9, files: [TESTING] }],
        why: { detector: 'whenMatch', strength: 0.9, evidence: ['trigger 0.90 alike'] },
      });
      const touched = await proactive.onFileTouch('tests/conftest.py');
      expect(touched.offers.map(({ sources }) => sources[0]?.memoryId)).toEqual([FIXTURES.command]);
      clock.nowMs += 600_000;
      const started = await proactive.onTaskStart({ task: TASK });
      expect(started.offers.map(({ kind }) => kind)).toEqual(['whenMatch']);
    }));

  it('stands behind what work memory knows of the same moment', () =>
    withEntries([MOCKS], async ({ proactive, store, clock }) => {
      await store(TASK, edits('tests/parser.py'));
      clock.nowMs += 86_400_000;
      const { offers, text } = await proactive.onIntentStated({
        intent: TASK,
        files: ['tests/parser.py'],
      });
      expect(offers.map(({ kind }) => kind)).toEqual(['fileTouch', 'whenMatch']);
      expect(text.endsWith(OFFER)).toBe(true);
    }));

  it('is not made again within ten minutes, whatever happens then', () =>
    withEntries([MOCKS], async ({ proactive, clock }) => {
      const client = { sessionId: 's1' };
      await proactive.onIntentStated({ intent: TASK, ...client });
      clock.nowMs += 599_000;
      const again = await proactive.onTaskStart({ task: `${TASK} and run them`, ...client });
      expect(again.offers).toEqual([]);
      expect(again.suppressed).toContainEqual({
        memoryId: MOCKS.command,
        detector: 'whenMatch',
        reason: 'offered before: again in 1 s',
      });
      clock.nowMs += 1_000;
      expect((await proactive.onIntentStated({ intent: TASK, ...client })).text).toBe(OFFER);
    }));

  it('waits longer each time it is dismissed, also after a restart', () =>
    withEntries([MOCKS], async (room) => {
      const { proactive, clock, entries } = room;
      for (const waitMs of [0, 8 * 600_000]) {
        clock.nowMs += waitMs;
        const [offer] = (await proactive.onIntentStated({ intent: TASK })).offers;
        await proactive.dismiss(offer?.id ?? '', OPERATOR);
      }
      await proactive.settled();
      const restarted = open(room, { slots: slotsOf(() => listed(entries)) });
      clock.nowMs += 64 * 600_000 - 1_000;
      const early = await restarted.onIntentStated({ intent: TASK });
      expect(early.suppressed.map(({ reason }) => reason)).toEqual([
        'dismissed 2 times: again in 1 s',
      ]);
      clock.nowMs += 1_000;
      const [offer] = (await restarted.onIntentStated({ intent: TASK })).offers;
      expect(offer?.why.feedback).toBe(
        '/when writing mock tests was dismissed 2 times: its cooldown is 64 times as long, at most 7 days',
      );
      await restarted.stop();
    }));

  it('is used when its room says that it was asked for, and counts toward the recall rate of its kind', () =>
    withEntries(
      [MOCKS, entry('writing mock tests for hooks', 'mock tests', { confidence: 0.8 })],
      async ({ proactive, set }) => {
        set('whenMatch', { max_results: 1 });
        const message = messageOf(ada, TASK, 'written');
        const { offers } = await proactive.offersForTurn(message, long);
        expect(offers.map(({ text }) => text)).toEqual([OFFER]);
        const id = offers[0]?.id ?? '';
        proactive.turnEnded({ messageId: message.messageId, roomId: ada.roomId, completed: true });
        // What the words of the agent ask for, only the room of the entries knows.
        const text = `> ${MOCKS.command}\n\nI will not use ${MOCKS.command}`;
        proactive.onAgentActivity({ roomId: ada.roomId, caller: ada, text, files: [] });
        expect((await proactive.get(id, ada)).state).toBe('shown');
        proactive.observer.used({ how: 'recalled', ids: [MOCKS.id], caller: ada });
        expect(await proactive.get(id, ada)).toMatchObject({ state: 'used', usedHow: 'recalled' });
        const { byKind } = await proactive.stats();
        expect(byKind.whenMatch).toMatchObject({ offers: 1, shown: 1, used: 1, recallRate: 1 });
      },
    ));

  it('is not used by the recall of another one that begins alike', () => {
    const hooks = entry('writing mock tests for hooks', 'hooks');
    return withEntries([MOCKS, hooks], async ({ proactive, clock }) => {
      const turn = async (text: string, name: string) => {
        const message = messageOf(ada, text, name);
        const { offers } = await proactive.offersForTurn(message, long);
        const { messageId, roomId } = message;
        proactive.turnEnded({ messageId, roomId, completed: true });
        return offers[0]?.id ?? '';
      };
      const short = await turn(TASK, 'short');
      clock.nowMs += 60_000;
      const whole = await turn('Please test the hooks of the parser', 'whole');
      proactive.observer.used({ how: 'recalled', ids: [hooks.id], caller: ada });
      expect((await proactive.get(whole, ada)).state).toBe('used');
      expect((await proactive.get(short, ada)).state).toBe('shown');
    });
  });

  it('is used by a recall of its section or work on its file, by who was shown it', () =>
    withEntries([MOCKS, FIXTURES], async ({ proactive }) => {
      const caller = { kind: 'agent', sessionId: 's1' } as const;
      const recalled = (await proactive.onIntentStated({ intent: TASK, caller })).offers[0];
      const use = { how: 'recalled', ids: [MOCKS.id] } as const;
      proactive.observer.used({ ...use, caller: { kind: 'agent', sessionId: 's2' } });
      expect((await proactive.get(recalled?.id ?? '', OPERATOR)).state).toBe('shown');
      proactive.observer.used({ ...use, caller });
      expect((await proactive.get(recalled?.id ?? '', OPERATOR)).usedHow).toBe('recalled');

      const touched = { filePath: 'tests/conftest.py', caller };
      const acted = (await proactive.onFileTouch(touched)).offers[0];
      await proactive.onFileTouch(touched);
      expect((await proactive.get(acted?.id ?? '', OPERATOR)).state).toBe('shown');
      await proactive.onFileTouch({ filePath: `/home/ada/shop/${TESTING}`, caller });
      expect((await proactive.get(acted?.id ?? '', OPERATOR)).usedHow).toBe('acted upon');
    }));

  it('is read by nobody who may not read its entry', () => {
    const hers: Scope = { ...PROJECT, visibility: 'user', entityId: ada.entityId };
    return withEntries([{ ...MOCKS, scope: hers }], async ({ proactive }) => {
      const bob = dmWith('bob', 'bob-1') as typeof ada;
      expect((await proactive.offersForTurn(messageOf(bob, TASK, 'bob'), long)).text).toBe('');
      expect((await proactive.onIntentStated({ intent: TASK })).offers).toEqual([]);
      const said = { intent: TASK, caller: { ...OPERATOR } };
      const [offer] = (await proactive.onIntentStated(said)).offers;
      expect((await proactive.get(offer?.id ?? '', ada)).text).toBe(OFFER);
      await expect(proactive.get(offer?.id ?? '', bob)).rejects.toBeInstanceOf(NotFoundError);
    });
  });

  it('that waits is not shown once its entry has changed or is gone', () =>
    withEntries([MOCKS, FIXTURES], async ({ proactive, clock, entries }) => {
      const caller = ada;
      await proactive.onIntentStated({ intent: TASK, caller });
      await proactive.onFileTouch({ filePath: 'tests/conftest.py', caller });
      clock.nowMs += 60_000;
      entries.splice(0, 2, { ...MOCKS, description: 'never patch' });
      const { text } = await proactive.offersForTurn(messageOf(ada, 'go on', 'changed'), long);
      expect(text).toBe('');
      const { offers } = await proactive.list({}, ada);
      expect(offers.map(({ state }) => state)).toEqual(['expired', 'expired']);
    }));

  it('goes when its entry is to be forgotten', () =>
    withEntries([MOCKS], async ({ proactive }) => {
      await proactive.onIntentStated({ intent: TASK });
      await proactive.observer.forgetting([MOCKS.id]);
      expect((await proactive.list({}, OPERATOR)).offers).toEqual([]);
      expect(proactive.decisions()).toEqual([]);
    }));
});

describe('the room of /when entries', () => {
  it('may start later, stop and fail, and nothing else is harmed', () => {
    const room: { current: WhenPort | null | Error } = { current: null };
    const port = () => {
      if (room.current instanceof Error) throw room.current;
      return room.current;
    };
    return withProactive(
      database,
      async ({ proactive, clock }) => {
        const ask = () => proactive.onIntentStated({ intent: TASK, caller: ada });
        expect(await ask()).toMatchObject({ offers: [], degraded: [] });
        room.current = new Error('the index cannot be read');
        const failed = await ask();
        expect(failed).toMatchObject({
          offers: [],
          degraded: ['whenMatch: the index cannot be read'],
        });
        room.current = listed([MOCKS]);
        expect((await ask()).offers).toHaveLength(1);

        const turn = async (name: string) =>
          (await proactive.offersForTurn(messageOf(ada, 'go on', name), long)).offers.length;
        clock.nowMs += 60_000;
        room.current = new Error('the index cannot be read');
        expect(await turn('broken')).toBe(0);
        room.current = null;
        expect(await turn('stopped')).toBe(0);
        room.current = { ...listed([MOCKS]), current: () => new Promise(() => {}) };
        expect(await turn('hanging')).toBe(0);
        room.current = listed([MOCKS]);
        expect(await turn('back')).toBe(1);
      },
      { slots: slotsOf(port) },
    );
  });
});
