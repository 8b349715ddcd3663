import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { plan } from '../helpers/scripted-model.js';

let agent: Agent;
beforeAll(async () => {
  agent = await boot({ settings: { CUE_TRIGGER_MIN_INTERVAL_MS: '1000' } });
});
afterAll(() => agent.stop());

it('thin path: a one-shot fires by the real TaskService and is removed', async () => {
  agent.brain.onLarge = () => plan('Time to stretch!');
  const chat = await makeChat(agent.runtime, 'thin');
  const at = Date.now() + 1500;
  const made = await agent.triggers.create(
    {
      instructions: 'tell me to stretch',
      schedule: { triggerType: 'once', scheduledAtIso: new Date(at).toISOString() },
      originRoomId: chat.roomId,
      creatorEntityId: chat.entityId,
      deliverTo: { roomId: chat.roomId },
    },
    { requester: { kind: 'operator' }, source: 'operator' },
  );
  expect(made.created).toBe(true);
  if (!('trigger' in made)) return;
  await new Promise((resolve) => setTimeout(resolve, 4000));
  await agent.triggers.settle();
  const { runs } = await agent.triggers.runs(made.trigger.id, { limit: 10 }, { kind: 'operator' });
  console.log(JSON.stringify(runs, null, 1));
  console.log(JSON.stringify(await agent.triggers.health(), null, 1));
  expect(runs).toHaveLength(1);
  expect(runs[0]?.status).toBe('success');
});
