/** Offers in real turns: the host's pipeline, the prompt that the model got, and what is counted. */
import { type Action, type Content, stringToUuid } from '@elizaos/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WorkMemoryService } from '../../../src/memory/index.js';
import type { Offer, ProactiveService, Reaction } from '../../../src/proactive/index.js';
import { DAY_MS, HOUR_MS } from '../../../src/shared/clock.js';
import { createOffersProvider } from '../../../src/surfaces/eliza/index.js';
import { turnMessageOf } from '../../../src/surfaces/eliza/proactive-turn.js';
import { hintsOf } from '../../helpers/hints.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { plan } from '../../helpers/scripted-model.js';
import { FRIDAY_9, type Seat, startTalk, type Talk } from './talk.js';

const OPERATOR = { kind: 'operator' } as const;

/** Work of another plugin that says which file it has worked on. */
const editAction: Action = {
  name: 'EDIT_SOURCE',
  similes: [],
  description: 'edits',
  examples: [],
  validate: async () => true,
  handler: async (_runtime, message) => ({
    success: true,
    text: 'edited',
    data: { file: (message.content.text ?? '').replace('please change ', '').replaceAll(' ', '') },
  }),
};

/** What the agent runs next, which nobody has said; what is broken fails. */
let command = '';
const runAction: Action = {
  name: 'RUN_SHELL_COMMAND',
  similes: [],
  description: 'runs',
  examples: [],
  validate: async () => true,
  handler: async () => {
    const isBroken = command.includes('broken');
    return {
      success: !isBroken,
      text: isBroken ? 'service router not found' : 'done',
      data: { command },
    };
  },
};

let talk: Talk;
let memory: WorkMemoryService;
let service: ProactiveService;
let round = 0;
let ada: Seat;

beforeAll(async () => {
  talk = await startTalk({
    slim: true,
    plugins: [{ name: 'editor', description: 'test', actions: [editAction, runAction] }],
  });
  memory = await memoryOf(talk.runtime);
  service = await offersOf(talk.runtime);
});
afterAll(() => talk.agent.stop());
beforeEach(async () => {
  round += 1;
  // Each test in its own year, with people, files and words of its own.
  talk.clock.ms = FRIDAY_9 + round * 400 * DAY_MS;
  talk.answers('done');
  ada = await talk.alone(`offered-${round}`);
  talk.prompts();
});

/** A name that no other test uses. */
const file = (stem: string) => `src/${stem}${round}.ts`;
/** Work on a file that is known to the whole project. */
async function known(goal: string, path: string, failure?: string): Promise<string> {
  const { memory_id } = await memory.store(
    {
      intent: goal,
      actions: [{ file: path, operation: 'edit' }],
      outcome:
        failure === undefined
          ? { success: true, learning: 'mind the clock' }
          : { success: false, failure_reason: failure },
    },
    OPERATOR,
  );
  talk.clock.ms += HOUR_MS;
  return memory_id;
}
let count = 0;
function messageFrom(seat: Seat, text: string, content: Partial<Content> = {}) {
  count += 1;
  const id = stringToUuid(`offered-${round}-${count}`);
  return { id, ...seat, content: { text, source: 'test', ...content } };
}
/** Says something that the model answers in words; what its prompt held between the fences. */
async function prompt(seat: Seat, text: string, content: Partial<Content> = {}): Promise<string> {
  talk.prompts();
  await talk.say(seat, text, 'REPLY', messageFrom(seat, text, content));
  await service.settled();
  return fenced(talk.prompts().at(-1) ?? '');
}
function fenced(whole: string): string {
  return (
    /# From your own work memory[^\n]*\n[^\n]*\n(`{3,})text\n([\s\S]*?)\n\1/.exec(whole)?.[2] ?? ''
  );
}
async function listed(seat: Seat): Promise<Offer[]> {
  await service.settled();
  const { offers } = await service.list({ roomId: seat.roomId }, OPERATOR);
  return offers;
}
const summary = (offers: Offer[]) => offers.map(({ kind, state }) => `${kind} ${state}`).sort();
const ofKind = (offers: Offer[], kind: Offer['kind']) => offers.filter((one) => one.kind === kind);

describe('a turn', () => {
  it('shows an offer in every call of the model and counts it once', async () => {
    const path = file('clock');
    const id = await known('Fix the clock drift', path);
    talk.answers('');
    const message = messageFrom(ada, `what does ${path} hold?`);
    await talk.say(ada, '', 'REPLY', message);
    const prompts = talk.prompts().map(fenced);
    expect(prompts.length).toBe(2);
    expect(prompts[0]).toContain(`clock${round}.ts has history (1 memory):`);
    expect(prompts[1]).toBe(prompts[0]);
    const [offer, ...others] = ofKind(await listed(ada), 'fileTouch');
    expect(others).toEqual([]);
    expect(offer).toMatchObject({
      state: 'shown',
      shownBy: 'turn',
      sources: [{ memoryId: id }],
      target: { roomId: ada.roomId },
    });
    const { byDay } = await service.stats({
      sinceMs: talk.clock.ms - 1,
      untilMs: talk.clock.ms + 1,
    });
    expect(byDay).toMatchObject([{ turns: 1, shown: 1, pending: 0 }]);
    expect(await prompt(ada, `and ${path} once more?`)).toBe('');
  });

  it('gives the provider the same answer as long as it is asked', async () => {
    const path = file('same');
    await known('Sort the same rows', path);
    const message = messageFrom(ada, `open ${path}`);
    const provider = createOffersProvider(10_000);
    const ask = () => provider.get(talk.runtime, message, { values: {}, data: {}, text: '' });
    const [first, ...later] = [await ask(), await ask(), await ask()];
    expect(first.values).toEqual({ cueOfferCount: 1, cueWarning: false });
    expect(fenced(first.text ?? '')).toContain(`same${round}.ts has history`);
    expect(later).toEqual([first, first]);
    expect(summary(await listed(ada))).toEqual(['fileTouch pending']);
  });

  it('shows in the next one what came after its first answer', async () => {
    const path = file('late');
    await known('Warm the late cache', path);
    const message = messageFrom(ada, 'one moment please');
    const turn = await turnMessageOf(talk.runtime, message);
    if (turn) await service.offersForTurn(turn);
    // Beyond the cooldown of what the start of the session has shown.
    talk.clock.ms += HOUR_MS / 4;
    await talk.runtime.emitEvent('CUE_FILE_TOUCH', {
      runtime: talk.runtime,
      source: 'test',
      roomId: ada.roomId,
      filePath: path,
    } as never);
    await service.settled();
    await talk.say(ada, '', 'REPLY', message);
    const [shown] = talk.prompts().map(fenced);
    expect(shown).not.toContain('late');
    expect(summary(ofKind(await listed(ada), 'fileTouch'))).toEqual(['fileTouch pending']);
    expect(await prompt(ada, 'thanks')).toContain(`late${round}.ts has history`);
  });

  it('whose run breaks has shown nothing, and the offer comes again', async () => {
    const path = file('broken');
    await known('Mend the broken pipe', path);
    const { brain } = talk.agent;
    await expect(
      talk.runtime.messageService?.handleMessage(
        talk.runtime,
        messageFrom(ada, `open ${path}`),
        async () => {
          throw new Error('the line is cut');
        },
      ),
    ).rejects.toThrow('the line is cut');
    brain.calls.length = 0;
    expect(summary(await listed(ada))).toEqual(['fileTouch pending']);
    expect(await prompt(ada, 'are you there?')).toContain(`broken${round}.ts has history`);
    expect(summary(await listed(ada))).toEqual(['fileTouch shown']);
  });

  it('knows a file by its attachment', async () => {
    const path = file('attached');
    await known('Compress the attached log', path);
    const attachments = [{ id: 'a', url: `https://example.org/${path}`, title: path }];
    expect(await prompt(ada, 'have a look', { attachments })).toContain(
      `attached${round}.ts has history`,
    );
  });

  it('of a scheduled run has offers for the creator of the trigger', async () => {
    const path = file('nightly');
    await talk.say(ada, `remember that I fixed the nightly job in ${path}`, 'STORE_WORK_MEMORY');
    talk.clock.ms += HOUR_MS;
    talk.prompts();
    // The run makes its message itself, so that it has the host's time only: twice is enough.
    const run = (creator: Seat, n: number) =>
      talk.agent.autonomy.injectAutonomousInstruction({
        text: `check ${path}`,
        source: 'trigger',
        triggerId: stringToUuid(`trigger-${round}-${n}`),
        triggerRunId: stringToUuid(`run-${round}-${n}`),
        wakeMode: 'inject_now',
        originRoomId: creator.roomId,
        creatorEntityId: creator.entityId,
      });
    await run(ada, 1);
    expect(fenced(talk.prompts().at(-1) ?? '')).toContain(`nightly${round}.ts has history`);
    await run(await talk.alone(`stranger-${round}`), 2);
    expect(talk.prompts().at(-1)).not.toContain('nightly job');
  });
});

describe('a warning', () => {
  it('stays in every turn until it is acknowledged in chat, and its reason is kept', async () => {
    const path = file('cache');
    const id = await known(`Add caching to ${path}`, path, 'race condition with requests');
    const first = await prompt(ada, `add caching to ${path}`);
    expect(first).toBe(
      [
        '[RUM] ⚠️ Warning: Similar action failed before',
        `  • Cue Test tried "Add caching to ${path}" — FAILED`,
        '    Reason: race condition with requests',
        '',
        `  → recall("${id}", depth: "reasoning") for details`,
      ].join('\n'),
    );
    talk.clock.ms += HOUR_MS;
    expect(await prompt(ada, 'hm, let me think')).toContain('race condition with requests');
    const said = await talk.say(
      ada,
      'acknowledge the warning because the cache is per request',
      'ACKNOWLEDGE_WARNING',
    );
    expect(said).toMatch(/^Acknowledged: the warning about ".*caching.*"\. It stays down until/);
    expect(said).toContain('Reason kept: the cache is per request');
    expect(await prompt(ada, `add caching to ${path}`)).not.toContain('Warning');
    const [warning] = ofKind(await listed(ada), 'conflictWarning');
    expect(warning).toMatchObject({
      state: 'acknowledged',
      reason: 'the cache is per request',
      sources: [{ memoryId: id }],
    });
    expect(await talk.say(ada, 'acknowledge the warning', 'ACKNOWLEDGE_WARNING')).toBe(
      'There is no open warning here.',
    );
  });

  it('is acknowledged by the agent itself, and its thought is kept, but not told', async () => {
    const path = file('agent');
    await known(`Split ${path} by tenant`, path, 'hot partitions');
    const { brain } = talk.agent;
    const said: string[] = [];
    const message = messageFrom(ada, `split ${path} by tenant`);
    brain.onLarge = () =>
      plan('', 'ACKNOWLEDGE_WARNING', 'the warning is noted: tenants are equal now');
    await talk.runtime.messageService?.handleMessage(talk.runtime, message, async (content) => {
      said.push(content.text ?? '');
      return [];
    });
    const [warning] = ofKind(await listed(ada), 'conflictWarning');
    expect(warning).toMatchObject({ state: 'acknowledged', reason: 'tenants are equal now' });
    expect(said[0]).toMatch(/^Acknowledged: the warning about /);
  });

  it('is named when several are open', async () => {
    const paths = [file('left'), file('right')];
    for (const path of paths) await known(`Inline ${path}`, path, 'the build got slower');
    for (const path of paths) await prompt(ada, `inline ${path}`);
    const open = await service.openWarnings(ada.roomId, { kind: 'entity', ...ada, private: true });
    expect(open.length).toBe(2);
    const which = await talk.say(ada, 'acknowledge the warning', 'ACKNOWLEDGE_WARNING');
    expect(which.split('\n')[0]).toBe(
      'Several warnings are open. Which one? Name it by its id, or say "acknowledge all".',
    );
    const ids = which.match(/offer_[0-9a-f]{8}/g) ?? [];
    expect(ids.length).toBe(2);
    const one = await talk.say(ada, `acknowledge ${ids[1]}`, 'ACKNOWLEDGE_WARNING');
    expect(one).toMatch(/^Acknowledged: the warning about /);
    expect(
      await talk.say(ada, 'acknowledge the warning of mem_ffffffff', 'ACKNOWLEDGE_WARNING'),
    ).toBe('There is no such offer here, or it is not yours to see.');
    expect(await talk.say(ada, 'acknowledge all', 'ACKNOWLEDGE_WARNING')).toMatch(
      /^Acknowledged: the warning about /,
    );
    expect(summary(ofKind(await listed(ada), 'conflictWarning'))).toEqual([
      'conflictWarning acknowledged',
      'conflictWarning acknowledged',
    ]);
  });
});

describe('an offer', () => {
  it('is dismissed in chat', async () => {
    const path = file('totals');
    await known('Round the totals', path);
    await prompt(ada, `open ${path}`);
    expect(await talk.say(ada, 'dismiss that offer: I only read it', 'DISMISS_OFFER')).toBe(
      `Dismissed: the history of "${path}". Reason kept: I only read it`,
    );
    expect(await talk.say(ada, 'dismiss that offer', 'DISMISS_OFFER')).toBe(
      'There is no open offer here.',
    );
    expect(await listed(ada)).toMatchObject([{ state: 'dismissed', reason: 'I only read it' }]);
  });

  it.each(['before', 'after'])(
    'is used when an answer cites it, stored %s the end of its run',
    async (when) => {
      const path = file('cited');
      const id = await known('Cite the cited source', path);
      await prompt(ada, `open ${path}`);
      const reply = {
        entityId: talk.runtime.agentId,
        agentId: talk.runtime.agentId,
        roomId: ada.roomId,
        content: { text: `As ${id} says, mind the clock.`, actions: ['REPLY'] },
      };
      const store = () => talk.runtime.createMemory({ ...reply }, 'messages');
      if (when === 'before') {
        // As the host's own clients do: in the callback of the run.
        const message = messageFrom(ada, 'what do we know?');
        await talk.runtime.messageService?.handleMessage(talk.runtime, message, async () => {
          await store();
          return [];
        });
      } else {
        await store();
        await talk.say(ada, 'and what else?', 'REPLY');
      }
      await expect
        .poll(async () => (await listed(ada)).map(({ state, usedHow }) => [state, usedHow]))
        .toEqual([['used', 'cited']]);
    },
  );

  it('is made of the file an action has worked on', async () => {
    const path = file('edited');
    await known('Split the edited module', path);
    await prompt(ada, 'hello');
    // Beyond the cooldown of what the start of the session has shown.
    talk.clock.ms += HOUR_MS / 4;
    await talk.say(ada, `please change ${path.replace(/[/.]/g, ' $& ')}`, 'EDIT_SOURCE');
    await service.settled();
    expect(await prompt(ada, 'and now?')).toContain(`edited${round}.ts has history`);
  });
});

describe('a hint', () => {
  it('comes when a command has failed, and its success counts for it', async () => {
    const hints = await hintsOf(talk.runtime);
    const component = `proxy${round}`;
    const value = `make ${component} all`;
    await hints.setHint({ component, key: 'build', value }, OPERATOR);
    const uses = async () =>
      (await hints.getHint({ component, key: 'build' }, OPERATOR)).hint?.use_count;
    command = `npm run build broken ${component}`;
    await talk.say(ada, 'go on with the next step', 'RUN_SHELL_COMMAND');
    await service.settled();
    expect(await prompt(ada, 'what now?')).toContain(`${component}/build: \`${value}\``);
    command = `cd ${component} && ${value}`;
    await talk.say(ada, 'go on with it', 'RUN_SHELL_COMMAND');
    await service.settled();
    expect(await uses()).toBe(1);
    const [offer] = ofKind(await listed(ada), 'hintMatch');
    expect(offer).toMatchObject({ state: 'used', usedHow: 'acted upon' });
  });
});

describe('what one person said alone', () => {
  it('is shown to them there, and to nobody else anywhere', async () => {
    const path = file('secret');
    await talk.say(ada, `remember that I rewrote the vault in ${path}`, 'STORE_WORK_MEMORY');
    talk.clock.ms += HOUR_MS;
    const bob = await talk.alone(`other-${round}`);
    const group = await talk.inGroup(`offered-${round}`, `team-${round}`);
    const groupOfBob = await talk.inGroup(`other-${round}`, `team-${round}`);
    talk.prompts();
    for (const seat of [bob, groupOfBob, group]) {
      const message = messageFrom(seat, `open ${path} and rewrite the vault in it`);
      await talk.say(seat, '', 'REPLY', message);
      await service.settled();
      const prompts = talk.prompts();
      expect(prompts.length).toBeGreaterThan(0);
      for (const whole of prompts) expect(whole).not.toContain('I rewrote the vault');
    }
    expect(await prompt(ada, `open ${path}`)).toContain('I rewrote the vault');
  });

  it('is not brought into another room by an event that names them', async () => {
    const path = file('event');
    await talk.say(ada, `remember that I hid the key in ${path}`, 'STORE_WORK_MEMORY');
    talk.clock.ms += HOUR_MS;
    const bob = await talk.alone(`guest-${round}`);
    const touch = { runtime: talk.runtime, source: 'test', filePath: path };
    const heard: Reaction[] = [];
    const respond = (reaction: Reaction) => heard.push(reaction);
    await talk.runtime.emitEvent('CUE_FILE_TOUCH', {
      ...touch,
      entityId: ada.entityId,
      roomId: bob.roomId,
      respond,
    } as never);
    expect(heard.map(({ text }) => text)).toEqual(['']);
    expect(await prompt(bob, 'hello there')).not.toContain('hid the key');
    await talk.runtime.emitEvent('CUE_FILE_TOUCH', { ...touch, ...ada } as never);
    await service.settled();
    expect(await prompt(ada, 'hello there')).toContain('I hid the key');
  });
});

describe('events of other plugins', () => {
  it('warn at once of a planned action, whoever listens', async () => {
    const path = file('planned');
    await known(`Drop the index of ${path}`, path, 'the report timed out');
    const heard: Reaction[] = [];
    await talk.runtime.emitEvent('CUE_ACTION_PLANNED', {
      runtime: talk.runtime,
      source: 'test',
      action: `drop the index of ${path}`,
      file_path: path,
      respond: (reaction: Reaction) => heard.push(reaction),
    } as never);
    expect(heard.length).toBe(1);
    expect(heard[0]?.warning?.text).toContain('Reason: the report timed out');
  });

  it('break nothing when they are wrong, or when their listener is', async () => {
    const { runtime } = talk;
    const broken = {
      runtime,
      source: 'test',
      filePath: file('x'),
      respond: () => {
        throw new Error('nobody home');
      },
    };
    for (const event of [
      'CUE_FILE_TOUCH',
      'CUE_INTENT_STATED',
      'CUE_TASK_START',
      'CUE_ACTION_PLANNED',
      'RUN_ENDED',
      'ACTION_STARTED',
      'ACTION_COMPLETED',
    ]) {
      await runtime.emitEvent(event, broken as never);
      await runtime.emitEvent(event, {
        runtime,
        source: 'test',
        filePath: 7,
        roomId: 'x',
        content: null,
      } as never);
    }
    await service.settled();
  });
});

describe('CUE_OFFERS_ENABLED=false', () => {
  it('silences everything at once, and true brings it back', async () => {
    const path = file('quiet');
    await known(`Add caching to ${path}`, path, 'race condition again');
    const { runtime } = talk;
    const { total: before } = await service.list({}, OPERATOR);
    runtime.setSetting('CUE_OFFERS_ENABLED', 'false');
    try {
      expect(await prompt(ada, `add caching to ${path}`)).toBe('');
      const heard: Reaction[] = [];
      await runtime.emitEvent('CUE_ACTION_PLANNED', {
        runtime,
        source: 'test',
        action: `add caching to ${path}`,
        respond: (reaction: Reaction) => heard.push(reaction),
      } as never);
      expect(heard).toMatchObject([{ offers: [], warning: null, text: '' }]);
      expect(await talk.say(ada, 'acknowledge the warning', 'ACKNOWLEDGE_WARNING')).toBe(
        'I make no offers at the moment: they are switched off, or still starting.',
      );
      await service.settled();
      expect((await service.list({}, OPERATOR)).total).toBe(before);
    } finally {
      runtime.setSetting('CUE_OFFERS_ENABLED', 'true');
    }
    expect(await prompt(ada, `add caching to ${path}`)).toContain('race condition again');
  });
});
