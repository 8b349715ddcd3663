/** What is due is claimed by our own timer; the host's tick is the net below it. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { createDueTimer } from '../../src/triggers/due-timer.js';
import { type Agent, boot } from '../helpers/boot.js';
import { created, onceAt, statusesOf } from '../helpers/triggers.js';

let agent: Agent | null = null;
afterEach(async () => {
  await agent?.stop();
  agent = null;
});

/** Until it holds; fails by the test's own time limit. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(10);
}

it('a trigger runs although the tick of the host never comes, and so does the next one', async () => {
  agent = await boot({ slim: true, name: 'Punctual' });
  const { runtime } = agent;
  const host = runtime.getService('task') as unknown as { timer: NodeJS.Timeout };
  clearInterval(host.timer);
  await agent.triggers.recovered();
  const soon = Date.now() + 2_000;
  const [first, second] = [
    await created(agent, { instructions: 'first', schedule: onceAt(soon + 300) }),
    await created(agent, { instructions: 'second', schedule: onceAt(soon) }),
  ];
  for (const { id } of [second, first]) {
    await until(async () => agent !== null && (await statusesOf(agent, id))[0] === 'success');
  }
  expect(await statusesOf(agent, first.id)).toEqual(['success']);
});

it('fires once for each instant that has come, the soonest first', async () => {
  const timer = createDueTimer({ now: Date.now });
  const fired: number[] = [];
  const start = Date.now();
  const soonest = start + 2_000;
  timer.at(start + 60_000);
  timer.at(soonest);
  timer.at(start + 30_000);
  let next = 0;
  timer.start(() => {
    fired.push(Date.now());
    if (fired.length > 1) return;
    next = Date.now() + 2_000;
    timer.at(next);
  });
  await until(() => fired.length === 2);
  timer.stop();
  expect(fired[0]).toBeGreaterThanOrEqual(soonest);
  expect(fired[1]).toBeGreaterThanOrEqual(next);
});

it('is on time for an instant that is hours away', () => {
  vi.useFakeTimers();
  try {
    const due = Date.now() + 3 * 3_600_000 + 7;
    let firedAt = 0;
    const timer = createDueTimer({ now: Date.now });
    timer.start(() => {
      firedAt = Date.now();
    });
    timer.at(due);
    vi.advanceTimersByTime(4 * 3_600_000);
    timer.stop();
    expect(firedAt).toBe(due);
  } finally {
    vi.useRealTimers();
  }
});

it('asks a clock that stands still a few times and not in a loop', async () => {
  let asked = 0;
  const now = () => {
    asked += 1;
    return 1_000;
  };
  const timer = createDueTimer({ now });
  timer.start(() => expect.unreachable());
  timer.at(1_003);
  await delay(400);
  timer.stop();
  expect(asked).toBeLessThan(40);
});

it('does nothing any more once it is stopped, and leaves what is due already to the tick', async () => {
  const timer = createDueTimer({ now: Date.now });
  timer.start(() => expect.unreachable());
  timer.at(Date.now() - 1);
  timer.at(Date.now() + 20);
  timer.stop();
  timer.at(Date.now() + 20);
  await delay(80);
});
