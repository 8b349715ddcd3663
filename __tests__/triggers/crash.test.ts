/**
 * `kill -9` at steps of a dispatch, in real processes on one database directory: nothing is lost and
 * nothing is said twice. Every step, any other time and the many kills are in `__tests__/crash`
 * (`npm run test:crash`). The two hosts go side by side: a round waits longer than it works.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, linesOf, until } from '../helpers/children.js';
import {
  closeStage,
  isIdle,
  openStage,
  restart,
  round,
  runsOf,
  type Stage,
  targetOf,
} from '../helpers/crash-stage.js';

afterAll(cleanUp);

describe.concurrent('an agent on its own database', () => {
  let stage: Stage;

  it.sequential('survives kill -9 once it has claimed a run', async () => {
    stage = await openStage('bare');
    await round(stage, { step: 'claimed', count: 2 });
  });

  it.sequential('survives kill -9 once it has stored the instruction', async () => {
    await round(stage, { step: 'injected', count: 2 });
  });

  it.sequential('holds an answer of which nobody knows whether it was sent, until told to send again', async () => {
    const chat = await stage.agent.call('chat', 'held');
    await stage.agent.call('arm', { step: 'sending' });
    const { trigger } = await stage.agent.call('create', {
      instructions: 'held',
      displayName: 'held',
      schedule: {
        triggerType: 'once',
        inMs: 1_500,
      },
      originRoomId: chat.roomId,
      creatorEntityId: chat.entityId,
      deliverTo: targetOf(chat),
    });
    const sent = () =>
      linesOf(stage.config.outbox).filter((line) => line.includes(chat.roomId)).length;

    await restart(stage);
    await stage.agent.ready;
    const health = await until('the run is over', async () => {
      const now = await stage.agent.call('health');
      return isIdle(now) && now.active + now.resting === stage.rounds.length ? now : null;
    });
    expect(health).toMatchObject({ deliveryUnknown: 1, undelivered: 0 });
    const [run] = await runsOf(stage, trigger.triggerId);
    expect(run).toMatchObject({ status: 'success', open: false, delivery: { state: 'unknown' } });
    await stage.agent.call('heartbeat');
    expect(sent()).toBe(0);

    await stage.agent.kill();
    await restart(stage, { settings: { CUE_DELIVERY_RESEND: 'true' } });
    await stage.agent.ready;
    await until('it is sent again', async () => {
      const now = await stage.agent.call('health');
      return now.deliveryUnknown === 0 && now.undelivered === 0 ? now : null;
    });
    await stage.agent.call('heartbeat');
    expect(sent()).toBe(1);
    await closeStage(stage);
  });
});

describe.concurrent('an agent of an Eliza server', () => {
  let stage: Stage;

  it.sequential('survives kill -9 once it has delivered the answer', async () => {
    stage = await openStage('server');
    await round(stage, { step: 'delivered', count: 2 });
    await closeStage(stage);
  });
});
