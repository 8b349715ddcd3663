/** The autonomous rooms on the real runtime. */
import { ChannelType, EventType, ModelType } from '@elizaos/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Agent, boot } from '../helpers/boot.js';
import { plan } from '../helpers/scripted-model.js';

let agent: Agent;
beforeAll(async () => {
  agent = await boot();
});
afterAll(() => agent.stop());

const instruction = (n: number, originRoomId?: string) => ({
  text: `do thing ${n}`,
  source: 'trigger' as const,
  triggerId: `trigger-${n}`,
  triggerRunId: `run-${n}`,
  wakeMode: 'inject_now' as const,
  ...(originRoomId === undefined ? {} : { originRoomId }),
});

it('injects into a SELF room of its own world, by an entity that is not the agent', async () => {
  agent.brain.onLarge = () => plan('did it');
  const run = await agent.autonomy.injectAutonomousInstruction(instruction(1));
  expect(run).toMatchObject({ status: 'success', responded: true, text: 'did it', actions: [] });
  const room = await agent.runtime.getRoom(run.roomId as never);
  expect(room?.type).toBe(ChannelType.SELF);
  expect(room?.worldId).not.toBe(agent.runtime.agentId);
  const message = await agent.runtime.getMemoryById(run.messageId as never);
  expect(message?.content).toMatchObject({ text: 'do thing 1', source: 'trigger' });
  expect(message?.entityId).not.toBe(agent.runtime.agentId);
  const participants = await agent.runtime.getParticipantsForRoom(run.roomId as never);
  expect(participants.toSorted()).toEqual([agent.runtime.agentId, message?.entityId].toSorted());
});

it('ten instructions at once in one room are all answered, none is superseded', async () => {
  agent.brain.onLarge = (prompt) => {
    const asked = [...prompt.matchAll(/do thing (\d+)/g)].at(-1)?.[1];
    return plan(`did ${asked}`);
  };
  const runs = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      agent.autonomy.injectAutonomousInstruction(instruction(100 + n)),
    ),
  );
  expect(runs.map((run) => run.status)).toEqual(new Array(10).fill('success'));
  expect(new Set(runs.map((run) => run.text)).size).toBe(10);
  const room = runs[0]?.roomId as never;
  expect(await agent.runtime.getParticipantsForRoom(room)).toHaveLength(2);
});

it('says what REPLY said when the plan holds NONE as well', async () => {
  agent.brain.onLarge = () => plan('the door is open', 'REPLY,NONE');
  const run = await agent.autonomy.injectAutonomousInstruction(instruction(200));
  expect(run).toMatchObject({ status: 'success', responded: true, text: 'the door is open' });
});

it('leaves nothing behind in the state cache of the host', async () => {
  const before = agent.runtime.stateCache.size;
  await agent.autonomy.injectAutonomousInstruction(instruction(300));
  expect(agent.runtime.stateCache.size).toBe(before);
});

it('tells apart which models runs in two rooms and a chat beside them have asked', async () => {
  const { runtime } = agent;
  let asked = 0;
  const all = new Promise<void>((resolve) => {
    agent.brain.onLarge = async (prompt) => {
      asked += 1;
      if (asked === 3) resolve();
      // Each of them answers while all are under way.
      await all;
      const tokens = prompt.includes('do thing 401')
        ? { tokens: { prompt: 1_200, completion: 40, total: 1_240 } }
        : {};
      await runtime.emitEvent(EventType.MODEL_USED, {
        ...{ runtime, source: 'a test', provider: 'other-name', type: ModelType.TEXT_LARGE },
        ...{ prompt, ...tokens },
      });
      return plan('done');
    };
  });
  const [first, second] = await Promise.all([
    agent.autonomy.injectAutonomousInstruction(instruction(401, crypto.randomUUID())),
    agent.autonomy.injectAutonomousInstruction(instruction(402, crypto.randomUUID())),
    runtime.useModel(ModelType.TEXT_LARGE, { prompt: 'a chat' }),
  ]);
  const calls = { model: 'TEXT_LARGE', provider: 'scripted-model', calls: 1 };
  const large = ({ modelCalls = [] }: typeof first) =>
    modelCalls.filter(({ model }) => model === 'TEXT_LARGE');
  expect(large(first)).toEqual([
    { ...calls, ms: expect.any(Number), tokens: { prompt: 1_200, completion: 40 } },
  ]);
  expect(large(second)).toEqual([{ ...calls, ms: expect.any(Number) }]);
});
