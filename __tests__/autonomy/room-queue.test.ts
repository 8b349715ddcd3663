import { expect, it } from 'vitest';
import { createRoomQueue } from '../../src/autonomy/rooms.js';

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it('runs one job per room at a time, in order, and different rooms side by side', async () => {
  const queue = createRoomQueue({ maxConcurrent: 8 });
  const log: string[] = [];
  const first = gate();
  const job =
    (name: string, wait: Promise<void> = Promise.resolve()) =>
    async () => {
      log.push(`start ${name}`);
      await wait;
      log.push(`end ${name}`);
      return { value: name };
    };
  const a1 = queue.run('a', job('a1', first.opened));
  const a2 = queue.run('a', job('a2'));
  const b1 = queue.run('b', job('b1'));
  expect(await b1).toBe('b1');
  expect(log).toEqual(['start a1', 'start b1', 'end b1']);
  first.open();
  expect(await Promise.all([a1, a2])).toEqual(['a1', 'a2']);
  expect(log.slice(3)).toEqual(['end a1', 'start a2', 'end a2']);
  await queue.idle();
  expect(queue.busyRooms()).toBe(0);
});

it('hands the value back at once and keeps the lane until the hold has settled', async () => {
  const queue = createRoomQueue({ maxConcurrent: 8 });
  const held = gate();
  expect(await queue.run('a', async () => ({ value: 'timed out', hold: held.opened }))).toBe(
    'timed out',
  );
  let second = false;
  const next = queue.run('a', async () => {
    second = true;
    return { value: 2 };
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(second).toBe(false);
  held.open();
  expect(await next).toBe(2);
});

it('a job that throws frees its lane', async () => {
  const queue = createRoomQueue({ maxConcurrent: 1 });
  await expect(
    queue.run('a', async () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await queue.run('a', async () => ({ value: 'yes' }))).toBe('yes');
});

it('never runs more rooms at once than it may', async () => {
  const queue = createRoomQueue({ maxConcurrent: 2 });
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, (_, room) =>
      queue.run(`room ${room}`, async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return { value: room };
      }),
    ),
  );
  expect(most).toBe(2);
});
