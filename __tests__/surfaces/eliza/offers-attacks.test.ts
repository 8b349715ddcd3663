/** Hostile texts through the real way: stored, offered, and in the prompt that the model got. */
import { type Memory, stringToUuid } from '@elizaos/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WorkMemoryService } from '../../../src/memory/index.js';
import { HOUR_MS } from '../../../src/shared/clock.js';
import { ATTACKS } from '../../fixtures/attacks.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { startTalk, type Talk } from './talk.js';

let talk: Talk;
let memory: WorkMemoryService;

beforeAll(async () => {
  talk = await startTalk({ slim: true });
  memory = await memoryOf(talk.runtime);
  await offersOf(talk.runtime);
});
afterAll(() => talk.agent.stop());

it('are more than thirty', () => {
  expect(ATTACKS.length).toBeGreaterThan(30);
});

/** As many as fit into one turn. */
const TOGETHER = 3;
const groups = Array.from({ length: Math.ceil(ATTACKS.length / TOGETHER) }, (_, group) =>
  ATTACKS.map((attack, index) => ({ ...attack, path: `src/attacked${index}x.ts` })).slice(
    group * TOGETHER,
    (group + 1) * TOGETHER,
  ),
);

it.each(
  groups.map((attacks, group) => ({
    attacks,
    group,
    names: attacks.map((one) => one.name).join(', '),
  })),
)('cannot leave the fence of their offers: $names', async ({ attacks, group }) => {
  for (const { text, path } of attacks) {
    await memory.store(
      {
        intent: text,
        actions: [{ file: path, operation: 'edit' }],
        outcome: { success: false, summary: text, failure_reason: text },
      },
      { kind: 'operator' },
    );
  }
  talk.clock.ms += HOUR_MS;
  const message: Memory = {
    id: stringToUuid(`attack-${group}`),
    ...(await talk.alone(`victim-${group}`)),
    content: { text: `open ${attacks.map(({ path }) => path).join(' and ')}`, source: 'test' },
  };
  talk.prompts();
  talk.answers('done');
  await talk.say({ entityId: message.entityId, roomId: message.roomId }, '', 'REPLY', message);
  const prompt = talk.prompts().at(-1) ?? '';
  const start = prompt.indexOf('# From your own work memory');
  expect(start).toBeGreaterThan(-1);
  const [, fence = '', shown = ''] =
    /^[^\n]*\n[^\n]*\n(`{3,})text\n([\s\S]*?)\n\1(?:\n|$)/.exec(prompt.slice(start)) ?? [];
  // All of it stands between the fences: what is said after them is the host's.
  expect(shown).not.toContain(fence);
  const outside = prompt.replace(shown, () => '');
  for (const { path, text, mustNotAppear } of attacks) {
    expect(shown).toContain(`[RUM] ${path.slice(4)} has history (1 memory, 1 failed):`);
    for (const pattern of mustNotAppear) expect(shown).not.toMatch(pattern);
    expect(outside).not.toContain(text.trim());
  }
  // Our own word stands where we have put it only.
  expect(shown.match(/\[RUM\]/g)).toEqual(shown.match(/^\[RUM\](?= )/gm));
});
