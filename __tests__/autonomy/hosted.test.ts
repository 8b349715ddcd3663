/** A host that has an AUTONOMY service of its own: ours stands back and uses it (DESIGN §5). */
import { Service } from '@elizaos/core';
import { expect, it } from 'vitest';
import { boot } from '../helpers/boot.js';
import { takeTime } from '../helpers/time.js';
import { created, onceAt, runsOf } from '../helpers/triggers.js';

it('runs go through the service of the host', async () => {
  const taken: string[] = [];
  class HostAutonomy extends Service {
    static override serviceType = 'AUTONOMY';
    override capabilityDescription = 'the host itself';
    static override async start(runtime: never) {
      return new HostAutonomy(runtime);
    }
    override async stop() {}
    async injectAutonomousInstruction(payload: { text: string }) {
      taken.push(payload.text);
      return {
        status: 'success',
        messageId: 'm',
        roomId: 'r',
        responded: true,
        text: 'by the host',
        actions: [],
      };
    }
  }
  const agent = await boot({
    name: 'Hosted',
    plugins: [{ name: 'host-autonomy', description: 'test', services: [HostAutonomy] }],
  });
  const time = takeTime(agent, Date.parse('2026-03-02T08:00:00Z'));
  const trigger = await created(agent, {
    instructions: 'leave it to the host',
    schedule: onceAt(time.now() + 60_000),
  });
  await time.advance(60_000);
  expect((await runsOf(agent, trigger.id))[0]).toMatchObject({
    status: 'success',
    answer: 'by the host',
  });
  expect(taken[0]).toContain('leave it to the host');
  time.release();
  await agent.stop();
});
