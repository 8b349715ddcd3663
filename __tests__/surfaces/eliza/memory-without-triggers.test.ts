/** Work memory while triggers are switched off: a question that is open is answered all the same. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WorkMemoryService } from '../../../src/memory/index.js';
import { memoryOf } from '../../helpers/memory.js';
import { startTalk, type Talk } from './talk.js';

const OPERATOR = { kind: 'operator' } as const;

let talk: Talk;
let memory: WorkMemoryService;

beforeAll(async () => {
  talk = await startTalk({ slim: true, settings: { CUE_TRIGGERS_ENABLED: 'false' } });
  memory = await memoryOf(talk.runtime);
});
afterAll(() => talk.agent.stop());

it('the planner learns of the question, and a yes forgets', async () => {
  const ada = await talk.alone('ada');
  const reply = await talk.say(ada, 'remember that I like otters', 'STORE_WORK_MEMORY');
  const id = /mem_[0-9a-f]{8}/.exec(reply)?.[0] ?? '';
  const question =
    '# Open question\nThe user has an open question from you. Forget one memory? A yes or no goes to FORGET_WORK_MEMORY.';
  talk.prompts();
  expect(await talk.say(ada, 'forget about otters', 'FORGET_WORK_MEMORY')).toContain('Shall I?');
  expect(talk.prompts().join('\n')).not.toContain(question);
  expect(await talk.say(ada, 'yes', 'FORGET_WORK_MEMORY')).toBe('Forgotten: one memory.');
  expect(talk.prompts().join('\n')).toContain(question);
  await expect(memory.get(id, OPERATOR)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await talk.say(ada, 'hello', 'REPLY');
  expect(talk.prompts().join('\n')).not.toContain('# Open question');
});
