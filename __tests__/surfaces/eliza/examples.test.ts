/** "help": five things to say that work with the settings of this agent. */
import { expect, it } from 'vitest';
import { knowledgeFolder } from '../../helpers/when.js';
import { FRIDAY_9, startTalk } from './talk.js';

async function help(settings: Record<string, string>): Promise<string[]> {
  const talk = await startTalk({ slim: true, settings });
  try {
    const ada = await talk.alone('ada');
    return (await talk.say(ada, 'help', 'SHOW_EXAMPLES')).split('\n');
  } finally {
    await talk.agent.stop();
  }
}

it('shows reminders, memory and hints to whoever asks for help, and the languages that are read', async () => {
  const lines = await help({});
  expect(lines.slice(1, -1)).toEqual([
    '- in 20 minutes tell me to stretch',
    '- every weekday at 9 summarize my inbox',
    '- remember that the login bug was an expired token',
    '- what do you remember about the login bug?',
    '- set hint api/test = npm test',
  ]);
  expect(lines.at(-1)).toContain('German, French, Spanish');
});

it('shows no reminder while triggers are off, and a command of the index where there is one', async () => {
  const knowledge = knowledgeFolder();
  try {
    const lines = await help({ ...knowledge.settings, CUE_TRIGGERS_ENABLED: 'false' });
    expect(lines).toHaveLength(7);
    expect(lines.join('\n')).not.toMatch(/stretch|inbox/);
    expect(lines[3]).toMatch(/^- \/when \S/);
  } finally {
    knowledge.remove();
  }
});

it('an answer of a run waits for the announcement of what it comes from', async () => {
  const talk = await startTalk({ slim: true });
  try {
    const heard: string[] = [];
    const { runtime } = talk;
    runtime.registerSendHandler('test', async (_runtime, _target, content) => {
      heard.push(`run: ${content.text}`);
    });
    const ada = await talk.alone('ada');
    // The platform is slow to take what the agent says, and meanwhile it comes due.
    const said = talk.say(ada, 'in 1 second tell me to stretch', 'CREATE_TRIGGER', {}, async () => {
      talk.clock.ms = FRIDAY_9 + 2_000;
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      heard.push('announced');
    });
    await said;
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(2);
    expect(heard).toEqual(['announced', 'run: done']);
  } finally {
    await talk.agent.stop();
  }
});
