/** CUE_DETECT on the real host: turns are looked at where no event tells of them, and never twice. */
import { EventType } from '@elizaos/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WorkMemoryService } from '../../../src/memory/index.js';
import type { ProactiveService } from '../../../src/proactive/index.js';
import { DAY_MS, HOUR_MS } from '../../../src/shared/clock.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { FRIDAY_9, type Seat, startTalk, type Talk } from './talk.js';

const OPERATOR = { kind: 'operator' } as const;

let talk: Talk;
let memory: WorkMemoryService;
let service: ProactiveService;
let seat: Seat;
let round = 0;

async function start(): Promise<void> {
  talk = await startTalk({ slim: true });
  memory = await memoryOf(talk.runtime);
  service = await offersOf(talk.runtime);
}
beforeEach(async () => {
  round += 1;
  talk.clock.ms = FRIDAY_9 + round * 400 * DAY_MS;
  talk.answers('');
  seat = await talk.alone(`detected-${round}`);
  await talk.say(seat, 'hello', 'REPLY');
  await service.settled();
});

/** Work on a file that failed. */
async function known(path: string): Promise<void> {
  await memory.store(
    {
      intent: `Shrink the tables of ${path}`,
      actions: [{ file: path, operation: 'edit' }],
      outcome: { success: false, failure_reason: 'the compiler ran out of memory' },
    },
    OPERATOR,
  );
  talk.clock.ms += HOUR_MS / 4;
}

async function offeredAbout(path: string): Promise<string[]> {
  await service.settled();
  const { offers } = await service.list({ roomId: seat.roomId }, OPERATOR);
  return offers.filter(({ text }) => text.includes(path)).map(({ kind }) => kind);
}

/** A turn whose answer is stored as the server stores it. */
async function turn(text: string, answer = ''): Promise<void> {
  const { runtime } = talk;
  talk.answers(answer);
  await talk.say(seat, text, 'REPLY', { createdAt: Date.now() - 1 }, async (content) => {
    await runtime.createMemory({ ...seat, entityId: runtime.agentId, content }, 'messages');
  });
}

const detections = () => service.decisions().length;

/** Names of the evaluators that ran, as the host logs them. */
function watchEvaluators(): string[] {
  const ran: string[] = [];
  for (const evaluator of talk.runtime.evaluators) {
    const { handler, name } = evaluator;
    evaluator.handler = (...given) => {
      ran.push(name);
      return handler(...given);
    };
  }
  return ran;
}

describe('a host that emits no events and asks no provider', () => {
  let ran: string[];
  beforeAll(async () => {
    await start();
    const { runtime } = talk;
    const offers = runtime.providers.findIndex(({ name }) => name === 'CUE_OFFERS');
    runtime.providers.splice(offers, 1);
    for (const event of [EventType.RUN_STARTED, EventType.RUN_ENDED, EventType.ACTION_STARTED]) {
      runtime.events[event] = [];
    }
    ran = watchEvaluators();
  });
  afterAll(() => talk.agent.stop());
  beforeEach(() => {
    ran.length = 0;
  });

  it('offers what a file named in the message is known for', async () => {
    await known('src/lexer.ts');
    await turn('what does src/lexer.ts hold?');
    expect(ran).toContain('CUE_DETECT');
    expect(await offeredAbout('lexer.ts')).toHaveLength(1);
  });

  it('warns of what failed on the file that the agent is about to change', async () => {
    await known('src/parser.ts');
    await turn('ok', 'I will edit src/parser.ts now.');
    expect(ran).toContain('CUE_DETECT');
    expect(await offeredAbout('parser.ts')).toContain('conflictWarning');
  });

  it('is left alone by small talk', async () => {
    await turn('good morning', 'Good morning!');
    expect(ran).toEqual([]);
  });
});

describe('a host that emits events', () => {
  beforeAll(start);
  afterAll(() => talk.agent.stop());

  it('is told of message and answer once', async () => {
    await known('src/linker.ts');
    const before = detections();
    await turn('please look at src/linker.ts', 'I will edit src/linker.ts now.');
    expect((await offeredAbout('linker.ts')).sort()).toEqual(['conflictWarning', 'fileTouch']);
    expect(detections() - before).toBe(2);
  });
});
