/** The autonomous rooms on the real runtime. */
import { ChannelType } from '@elizaos/core';
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
