/** SHOW_EXAMPLES: what a person may say here, for whoever asks what the agent can do. */
import type { IAgentRuntime } from '@elizaos/core';
import { serviceStart } from '../../host/index.js';
import { LANGUAGES } from '../../language/index.js';
import { SECOND_MS } from '../../shared/clock.js';
import { TriggerService } from '../../triggers/index.js';
import { type ActionFamily, framedAction, type Outcome, succeed } from './action-frame.js';
import { isPrintable } from './when-text.js';
import { whenServiceOf, whenStarted } from './when-turn.js';

const SHOWN = 5;
/** Services start in the background, and "help" is often the first message. */
const STARTING_MS = 10 * SECOND_MS;

const HELP: ActionFamily<IAgentRuntime> = {
  succeeded: 'examplesShown',
  isPresent: () => true,
  absent: '',
  turnOf: async (runtime) => runtime,
};

export const showExamplesAction = framedAction(
  {
    name: 'SHOW_EXAMPLES',
    similes: ['HELP', 'SHOW_HELP'],
    description:
      'Shows five things one can say to this agent about reminders, memory and project knowledge, and which languages are read: for "help", "what can you do?", "hilfe", "ayuda" and the like. Nothing else is said beside it.',
    examples: [
      ['help', 'You can say, for example:\n- …'],
      ['what can you do?', 'You can say, for example:\n- …'],
    ],
    notInRuns: true,
    handle: examplesOf,
  },
  HELP,
);

/** Of what works with the settings of this agent; what comes first is shown first. */
async function examplesOf(runtime: IAgentRuntime): Promise<Outcome> {
  const triggers = await serviceStart(runtime, TriggerService, STARTING_MS);
  const hasTriggers = (await triggers?.health())?.enabled === true;
  await whenStarted(runtime);
  const when = whenServiceOf(runtime);
  // A command that really leads to something; absent where no index is.
  const entries = when?.configured ? await when.entries() : [];
  const command = entries.map((one) => one.command).find(isPrintable);
  const examples = [
    ...(hasTriggers
      ? ['in 20 minutes tell me to stretch', 'every weekday at 9 summarize my inbox']
      : []),
    'remember that the login bug was an expired token',
    'what do you remember about the login bug?',
    ...(command === undefined ? [] : [command]),
    'set hint api/test = npm test',
    'how do I test api?',
    'forget what I told you about the login bug',
  ];
  const lines = examples.slice(0, SHOWN).map((one) => `- ${one}`);
  return succeed(['You can say, for example:', ...lines, LANGUAGES].join('\n'));
}
