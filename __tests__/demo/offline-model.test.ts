import { readFileSync } from 'node:fs';
import { composePromptFromState, parseKeyValueXml, type State } from '@elizaos/core';
import { describe, expect, it } from 'vitest';
import { type ChatTurn, chooseAction, saidNow } from '../../demo/intent.js';
import { answerPrompt, embed } from '../../demo/offline-model.js';
import { readTurn } from '../../demo/prompt.js';
import { parseScheduleText } from '../../src/index.js';
import { turnText } from '../../src/triggers/plan.js';
import type { TriggerConfig, TriggerRun } from '../../src/triggers/schema.js';

const NOW_MS = Date.parse('2026-03-04T10:00:00Z');
const options = { parse: parseScheduleText, nowMs: NOW_MS, timezone: 'UTC' };
const asked = (action: string): Pick<ChatTurn, 'lastAnswer'> => ({
  lastAnswer: { text: 'That is every 10 seconds. Shall I?', action },
});

describe('the action for a line of chat', () => {
  it.each([
    ['in 8 seconds tell me to stretch', 'CREATE_TRIGGER'],
    ['every 10 seconds tell me to drink water', 'CREATE_TRIGGER'],
    ['Please remind me to call Ana tomorrow at 9 am', 'CREATE_TRIGGER'],
    ['can you remind me in 5 minutes to check the oven?', 'CREATE_TRIGGER'],
    ['every weekday at 9 am summarize my inbox', 'CREATE_TRIGGER'],
    ['remind me at 9 to eat', 'CREATE_TRIGGER'],
    ['delete the old logs every Friday at 5pm', 'CREATE_TRIGGER'],
    ['remind me tomorrow at 10 am to cancel the subscription', 'CREATE_TRIGGER'],
    ['every Monday at 9 am tell me to list my reminders', 'CREATE_TRIGGER'],
    ['set an alarm for 7am tomorrow', 'CREATE_TRIGGER'],
    ['remind me to breathe', 'CREATE_TRIGGER'],
    ['list my reminders', 'LIST_TRIGGERS'],
    ['what are my reminders?', 'LIST_TRIGGERS'],
    ['which triggers do I have', 'LIST_TRIGGERS'],
    ['what is paused?', 'LIST_TRIGGERS'],
    ['what failed?', 'LIST_TRIGGERS'],
    ['show me everything that is scheduled', 'LIST_TRIGGERS'],
    ['pause the water reminder', 'UPDATE_TRIGGER'],
    ['please resume the water reminder', 'UPDATE_TRIGGER'],
    ['snooze stretch for 10 minutes', 'UPDATE_TRIGGER'],
    ['skip the next one', 'UPDATE_TRIGGER'],
    ['rename the water reminder to hydrate', 'UPDATE_TRIGGER'],
    ['move the water reminder to every 2 hours', 'UPDATE_TRIGGER'],
    ['change it to 10 am', 'UPDATE_TRIGGER'],
    ['move morning mail to 10 am', 'UPDATE_TRIGGER'],
    ['delete the water reminder', 'DELETE_TRIGGER'],
    ['cancel my 9 am reminder', 'DELETE_TRIGGER'],
    ['stop reminding me to drink water', 'DELETE_TRIGGER'],
    ['run the inbox summary now', 'RUN_TRIGGER'],
    ['why did the water reminder not fire?', 'EXPLAIN_TRIGGER'],
    ["why didn't you remind me to stretch?", 'EXPLAIN_TRIGGER'],
    ['my time zone is Europe/Vienna', 'SET_TIME_ZONE'],
    ['set my timezone to America/New_York', 'SET_TIME_ZONE'],
    ['hello', 'REPLY'],
    ['thanks!', 'REPLY'],
    ['what is the capital of Austria?', 'REPLY'],
    ['the server restarts every 5 minutes, why?', 'REPLY'],
    ['we close at 6pm on Saturdays', 'REPLY'],
    ['my flight is tomorrow at 9', 'REPLY'],
    ['see you tomorrow at 9', 'REPLY'],
    ['I want to wake up at 6 am tomorrow', 'CREATE_TRIGGER'],
    ['put meeting with Pawel tomorrow ten am', 'CREATE_TRIGGER'],
    ['yes', 'REPLY'],
    ['remember that the login bug came from an expired token #auth', 'STORE_WORK_MEMORY'],
    ['please remember that the server restarts every 5 minutes', 'STORE_WORK_MEMORY'],
    ['remember that the time zone bug of the parser is fixed', 'STORE_WORK_MEMORY'],
    ['remember: deploys run now on Mondays', 'STORE_WORK_MEMORY'],
    ['remember the kettle is descaled', 'STORE_WORK_MEMORY'],
    ['note: log rotation was switched off in March', 'STORE_WORK_MEMORY'],
    ["don't forget that staging is in Frankfurt", 'STORE_WORK_MEMORY'],
    ['store {"intent":"x","outcome":{"success":true}}', 'STORE_WORK_MEMORY'],
    ['store {broken', 'STORE_WORK_MEMORY'],
    ['what do you remember about the login bug?', 'RECALL_WORK_MEMORY'],
    ['what do you remember about my reminders?', 'RECALL_WORK_MEMORY'],
    ['do you remember anything about jwt', 'RECALL_WORK_MEMORY'],
    ['what did we learn about caching?', 'RECALL_WORK_MEMORY'],
    ['recall("file:auth.ts", depth: "reasoning")', 'RECALL_WORK_MEMORY'],
    ['recall the deploy last week', 'RECALL_WORK_MEMORY'],
    ['recall session:last', 'RECALL_WORK_MEMORY'],
    ['show me mem_1f2e3d4c', 'RECALL_WORK_MEMORY'],
    ['search your memory for pnpm', 'RECALL_WORK_MEMORY'],
    ['mem_1f2e3d4c was caused by mem_5a6b7c8d', 'LINK_WORK_MEMORIES'],
    ['mem_1f2e3d4c was caused by mem_1f2e3d4c', 'LINK_WORK_MEMORIES'],
    ['link mem_1f2e3d4c and mem_5a6b7c8d', 'LINK_WORK_MEMORIES'],
    ['forget what I told you about the login bug', 'FORGET_WORK_MEMORY'],
    ['forget what I told you about the water reminder', 'FORGET_WORK_MEMORY'],
    ['forget mem_1f2e3d4c', 'FORGET_WORK_MEMORY'],
    ['forget mem_1f2e3d4c and mem_5a6b7c8d', 'FORGET_WORK_MEMORY'],
    ['forget everything you know about me', 'FORGET_WORK_MEMORY'],
    ['delete my notes about pnpm', 'FORGET_WORK_MEMORY'],
    ['delete all my memories', 'FORGET_WORK_MEMORY'],
    ['synthesize wisdom about #auth', 'SYNTHESIZE_WISDOM'],
    ['what have we learned about auth?', 'SYNTHESIZE_WISDOM'],
    ['summarize our lessons about deploys', 'SYNTHESIZE_WISDOM'],
    ['remember to call Ana tomorrow at 9 am', 'CREATE_TRIGGER'],
    ['remember to call Ana', 'CREATE_TRIGGER'],
    ["don't forget to remind me in 5 minutes to stretch", 'CREATE_TRIGGER'],
    ['delete my notes every Friday at 5pm', 'CREATE_TRIGGER'],
    ['every Monday at 9 am tell me to recall file:auth.ts', 'CREATE_TRIGGER'],
    ['remind me tomorrow at 9 am to note the mileage', 'CREATE_TRIGGER'],
    ['summarize my inbox every weekday at 9 am', 'CREATE_TRIGGER'],
    ['forget the water reminder', 'DELETE_TRIGGER'],
    ['forget about the water reminder', 'DELETE_TRIGGER'],
    ['delete the reminder', 'DELETE_TRIGGER'],
    ['delete all my reminders', 'DELETE_TRIGGER'],
    ['forget it', 'DELETE_TRIGGER'],
    ['remember that my time zone is Europe/Vienna', 'SET_TIME_ZONE'],
  ])('%s → %s', (text, action) => {
    expect(chooseAction({ text }, options)).toBe(action);
  });

  it.each([
    ['yes', 'CREATE_TRIGGER'],
    ['no, rather not', 'CREATE_TRIGGER'],
    ['tomorrow in the morning', 'CREATE_TRIGGER'],
    ['the second one', 'DELETE_TRIGGER'],
    ['the one about water', 'UPDATE_TRIGGER'],
  ])('%s answers a question of %s', (text, action) => {
    expect(chooseAction({ text, ...asked(action) }, options)).toBe(action);
  });

  it('moves what is called by its name, whatever question is open', () => {
    const text = 'move the check of the build to 8:15';
    expect(chooseAction({ text, ...asked('CREATE_TRIGGER') }, options)).toBe('UPDATE_TRIGGER');
  });

  const forgets = {
    text: 'That forgets one memory for good:\n- ✓ I like emus\nShall I? Say yes or no.',
    action: 'FORGET_WORK_MEMORY',
  };
  it.each([
    ['yes', 'FORGET_WORK_MEMORY'],
    ['ok', 'FORGET_WORK_MEMORY'],
    ['No, keep it.', 'FORGET_WORK_MEMORY'],
    ['never mind', 'FORGET_WORK_MEMORY'],
    ['forget it', 'FORGET_WORK_MEMORY'],
    ['in 8 seconds tell me to stretch', 'CREATE_TRIGGER'],
    ['delete the reminder', 'DELETE_TRIGGER'],
    ['remember that I like otters', 'STORE_WORK_MEMORY'],
    ['hello', 'REPLY'],
  ])('%s → %s after it was asked whether to forget', (text, action) => {
    expect(chooseAction({ text, lastAnswer: forgets }, options)).toBe(action);
    const later = { lastAnswer: { text: 'Hello!' }, openQuestion: 'FORGET_WORK_MEMORY' };
    expect(chooseAction({ text, ...later }, options)).toBe(action);
  });

  it.each([
    ['STORE_WORK_MEMORY', 'What shall I remember? Say it in one message: "remember that …".'],
    ['RECALL_WORK_MEMORY', 'What shall I look for? Name a topic, a file, or a time.'],
    ['FORGET_WORK_MEMORY', 'What shall I forget? Name a topic or an id.'],
  ])('a topic answers the question of %s', (action, text) => {
    const lastAnswer = { text, action };
    expect(chooseAction({ text: 'the login bug', lastAnswer }, options)).toBe(action);
    expect(chooseAction({ text: 'list my reminders', lastAnswer }, options)).toBe('LIST_TRIGGERS');
    expect(chooseAction({ text: 'thanks', lastAnswer }, options)).toBe('REPLY');
  });

  it('no question is what a memory asks that was recalled', () => {
    const lastAnswer = {
      text: '- ✓ why did it fail? [mem_1f2e3d4c]',
      action: 'RECALL_WORK_MEMORY',
    };
    expect(chooseAction({ text: 'fine by me', lastAnswer }, options)).toBe('REPLY');
  });

  it('is a new one when a question is left unanswered', () => {
    const turn = { text: 'list my reminders', ...asked('CREATE_TRIGGER') };
    expect(chooseAction(turn, options)).toBe('LIST_TRIGGERS');
  });

  it.each([
    ['yes', 'DELETE_TRIGGER'],
    ['tomorrow', 'DELETE_TRIGGER'],
    ['hello', 'REPLY'],
    ['what is the capital of Austria?', 'REPLY'],
    ['list my reminders', 'LIST_TRIGGERS'],
  ])('%s → %s while a question is open that was not our last word', (text, action) => {
    const lastAnswer = { text: 'There are 3 triggers.', action: 'LIST_TRIGGERS' };
    const turn = { text, lastAnswer, openQuestion: 'DELETE_TRIGGER' };
    expect(chooseAction(turn, options)).toBe(action);
  });

  it('is not taken from a question that was not about triggers', () => {
    const turn = { text: 'yes', lastAnswer: { text: 'Do you like tea?', action: 'REPLY' } };
    expect(chooseAction(turn, options)).toBe('REPLY');
  });
});

describe('what is said when the time has come', () => {
  it.each([
    ['remind me to stretch', 'Reminder: stretch.'],
    ['please remind me about the oven.', 'Reminder: the oven.'],
    ['tell me to drink water', 'Time to drink water!'],
    ['tell me that my alarm is going off', 'My alarm is going off.'],
    ['say "good morning"', 'Good morning.'],
    [
      'summarize my inbox',
      'It is time: summarize my inbox. (The small offline model can remind you of this, but not do it.)',
    ],
  ])('%s → %s', (instructions, answer) => {
    expect(saidNow(instructions)).toBe(answer);
  });
});

describe("prompts in the host's own words", () => {
  const trigger = (displayName: string, instructions: string) =>
    ({ displayName, instructions }) as TriggerConfig;
  const run = (reason?: string) => (reason === undefined ? {} : { reason }) as TriggerRun;

  it('answers the instruction of a trigger, with what is special about the run', () => {
    const text = turnText([
      { trigger: trigger('call "Ana"', 'remind me to call Ana'), run: run('was due 09:00') },
    ]);
    expect(planOf(text)).toMatchObject({
      actions: ['REPLY'],
      text: 'Reminder: call Ana. (was due 09:00)',
    });
  });

  it('answers several instructions of one cycle, a line each', () => {
    const text = turnText([
      { trigger: trigger('stretch', 'tell me to stretch'), run: run() },
      { trigger: trigger('a: b', 'remind me to call Ana'), run: run('was due 09:00') },
    ]);
    expect(planOf(text).text).toBe('Time to stretch!\nReminder: call Ana. (was due 09:00)');
  });

  it('plans an action without a text of its own', () => {
    expect(planOf('in 8 seconds tell me to stretch')).toMatchObject({
      actions: ['CREATE_TRIGGER'],
      text: '',
    });
  });

  it('keeps a reply in one piece that contains markup', () => {
    const text = turnText([{ trigger: trigger('x', 'say a <b> & </text> c'), run: run() }]);
    expect(planOf(text).text).toBe('A <b> & </text> c.');
  });

  it('is quiet in a thought of the autonomy loop', () => {
    expect(planOf('This is a quiet moment of your own: nobody has asked.').actions).toEqual([
      'IGNORE',
    ]);
  });

  it('says in small talk that it is the offline model', () => {
    expect(planOf('hello').text).toContain('offline model');
    expect(planOf('hello').text).toContain('what do you remember about');
    expect(planOf('erinnere mich an die Milch').text).toContain('I only understand English');
    expect(planOf('нагадай мені завтра').text).toContain('German, French, Spanish');
  });

  it.each(['help', 'What can I say?', 'what can you do?', 'Hilfe!', 'ayuda', 'was kannst du?'])(
    'shows examples for "%s"',
    (text) => expect(planOf(text).actions).toEqual(['SHOW_EXAMPLES']),
  );

  it('decides to respond, reflects without facts, and extracts nothing', () => {
    const answer = (prompt: string) =>
      parseKeyValueXml(answerPrompt(prompt, { parse: parseScheduleText, agentName: 'Cue' }));
    expect(answer('<task>Decide on behalf of Cue whether they should respond')).toMatchObject({
      action: 'RESPOND',
    });
    expect(answer('# Task: Generate Agent Reflection, Extract Facts')).toMatchObject({
      facts: 'none',
      relationships: 'none',
    });
    expect(answer('Fill in the form.')).toEqual({ kind: 'none' });
  });

  it('finds the last answer of the agent and its action in the conversation', () => {
    const id = '878a3e8a-b18a-0193-bfd5-2c9a56dd64ee';
    const prompt = [
      '# Conversation Messages',
      `10:00 (just now) [${id}] User: every 10 seconds tell me: drink`,
      `10:00 (just now) [${id}] Cue: That is every 10 seconds.`,
      'Shall I?',
      "(Cue's internal thought: Offline rule)",
      " (Cue's actions: CREATE_TRIGGER)",
      `10:00 (just now) [${id}] User: yes`,
      '',
      '# Received Message',
      'User: yes: do',
      '',
      '# Focus your response',
    ].join('\n');
    expect(readTurn(prompt, 'Cue')).toEqual({
      text: 'yes: do',
      lastAnswer: { text: 'That is every 10 seconds.\nShall I?', action: 'CREATE_TRIGGER' },
    });
  });

  it("finds the open question in the words of the plugin's provider", () => {
    const prompt =
      '# Open question\nThe user has an open question from you. Today or tomorrow? The answer goes to CREATE_TRIGGER.\n\n' +
      '# Received Message\nUser: tomorrow\n\n# Focus your response';
    expect(readTurn(prompt, 'Cue')).toEqual({ text: 'tomorrow', openQuestion: 'CREATE_TRIGGER' });
  });

  function planOf(text: string): Record<string, unknown> {
    const state: State = {
      values: {
        agentName: 'Cue',
        providers: `# Received Message\nUser: ${text}\n\n# Focus your response`,
      },
      data: {},
      text: '',
    };
    const prompt = composePromptFromState({
      state,
      template:
        '<task>Generate dialog and actions for the character {{agentName}}.</task>\n{{providers}}\nx',
    });
    const answer = answerPrompt(prompt, { parse: parseScheduleText, agentName: 'Cue' });
    return parseKeyValueXml(answer) ?? {};
  }
});

describe('the offline embedding', () => {
  it('has the length the host knows, is never zero, and is the same for the same words', () => {
    expect(embed('')).toHaveLength(384);
    expect(Math.hypot(...embed(''))).toBeCloseTo(1);
    expect(embed('Drink water')).toEqual(embed('drink, water!'));
    expect(embed('drink water')).not.toEqual(embed('call Ana'));
  });
});

describe('docs/start.md', () => {
  const page = readFileSync(new URL('../../docs/start.md', import.meta.url), 'utf8');
  const examples = page.split('and say for example:')[1]?.split('When the time comes')[0] ?? '';

  it('names only what the offline model understands', () => {
    const chosen = [...examples.matchAll(/^- (.+)$/gm)].map(([, text = '']) =>
      chooseAction({ text }, options),
    );
    expect(chosen).toEqual([
      'SHOW_EXAMPLES',
      'CREATE_TRIGGER',
      'CREATE_TRIGGER',
      'LIST_TRIGGERS',
      'UPDATE_TRIGGER',
      'STORE_WORK_MEMORY',
      'RECALL_WORK_MEMORY',
      'RECALL_WORK_MEMORY',
      'FORGET_WORK_MEMORY',
    ]);
  });
});

describe('the character', () => {
  it('names the package and the host plugin it needs', () => {
    const read = (path: string) =>
      JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
    expect(read('characters/cue.json').plugins).toEqual([
      '@elizaos/plugin-bootstrap',
      read('package.json').name,
    ]);
  });
});
