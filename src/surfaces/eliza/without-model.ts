/**
 * An agent without a language model. The host's pipeline would throw at its first call, and a chat
 * would wait for ever for a reply. So a stand-in takes the calls of a conversation, plans the one action
 * that needs no model, and refuses every other call with the reason.
 */
import {
  type IAgentRuntime,
  type Memory,
  ModelType,
  messageHandlerTemplate,
  multiStepDecisionTemplate,
  multiStepSummaryTemplate,
  shouldRespondTemplate,
} from '@elizaos/core';
import { type ActionFamily, framedAction, type Outcome } from './action-frame.js';
import { callerOf, memoryServiceOf } from './memory-turn.js';
import { chatAnswer } from './when-text.js';
import { hasWhenIndex, whenServiceOf, whenStarted } from './when-turn.js';

export const ANSWER_WITHOUT_MODEL = 'ANSWER_WITHOUT_MODEL';

export const NO_MODEL =
  'no language model is configured: install a model plugin, for example with "npm install @elizaos/plugin-openai", ' +
  'add it to "plugins" of the character, set its key (OPENAI_API_KEY) and start again; ' +
  'there are plugins for Anthropic, Ollama and others, too';

/** Below every plugin that brings a model, whenever it registers. */
const LAST = -1_000_000;

const standIns = new WeakMap<IAgentRuntime, ReturnType<typeof standInOf>>();

/** Why nothing that needs a language model works, and what to do; `null`: there is one. */
export function missingModel(runtime: IAgentRuntime): string | null {
  const answering = runtime.getModel(ModelType.TEXT_LARGE);
  return answering === undefined || answering === standIns.get(runtime) ? NO_MODEL : null;
}

/** Called once all plugins are registered; does nothing where there is a model. */
export function standInForModel(runtime: IAgentRuntime): void {
  if (missingModel(runtime) === null) return;
  const standIn = standInOf(runtime);
  standIns.set(runtime, standIn);
  runtime.registerAction(answerWithoutModel);
  for (const type of [ModelType.TEXT_LARGE, ModelType.TEXT_SMALL]) {
    if (runtime.getModel(type) === undefined) runtime.registerModel(type, standIn, 'cue', LAST);
  }
  runtime.logger.warn({ src: 'plugin:cue', agentId: runtime.agentId }, NO_MODEL);
}

/** Answers the prompts with which the host takes a message, known by how their templates begin. */
function standInOf(runtime: IAgentRuntime) {
  const templates = runtime.character.templates ?? {};
  const answers: readonly [template: unknown, answer: string][] = [
    [templates.shouldRespondTemplate ?? shouldRespondTemplate, '<action>RESPOND</action>'],
    [
      templates.messageHandlerTemplate ?? messageHandlerTemplate,
      `<actions>${ANSWER_WITHOUT_MODEL}</actions><providers></providers><text>${spoken()}</text>`,
    ],
    [
      templates.multiStepDecisionTemplate ?? multiStepDecisionTemplate,
      '<action></action><providers></providers><isFinish>true</isFinish>',
    ],
    [templates.multiStepSummaryTemplate ?? multiStepSummaryTemplate, `<text>${spoken()}</text>`],
  ];
  return async (_runtime: IAgentRuntime, params: Record<string, unknown>): Promise<string> => {
    const prompt = typeof params.prompt === 'string' ? params.prompt : '';
    const found = answers.find(
      ([template]) => typeof template === 'string' && prompt.startsWith(beginningOf(template)),
    );
    if (found === undefined) throw new Error(NO_MODEL);
    return `<response><thought>${NO_MODEL}</thought>${found[1]}</response>`;
  };
}

/** The text of a template up to its first placeholder. */
function beginningOf(template: string): string {
  return template.split('{{', 1)[0] ?? '';
}

function spoken(): string {
  return `I cannot answer that: ${NO_MODEL}.`;
}

const WITHOUT_MODEL: ActionFamily = {
  succeeded: 'answeredWithoutModel',
  isPresent: (runtime) => missingModel(runtime) !== null,
  absent: 'There is a language model now: please say that again.',
};

const answerWithoutModel = framedAction(
  {
    name: ANSWER_WITHOUT_MODEL,
    similes: [],
    description: 'Says that no language model is configured; /when commands are answered.',
    examples: [],
    notInRuns: true,
  },
  WITHOUT_MODEL,
  (runtime, message) => answer(runtime, message),
);

async function answer(runtime: IAgentRuntime, message: Memory): Promise<Outcome> {
  await whenStarted(runtime);
  const found = await commanded(runtime, message);
  if (found !== null) return { text: found, success: true };
  const also = hasWhenIndex(runtime) ? ' Commands of /when I can answer.' : '';
  return { text: `${spoken()}${also}`, success: true, silent: !isMeant(message) };
}

/** What the `/when` commands of a message give; `null`: it has none. */
async function commanded(runtime: IAgentRuntime, message: Memory): Promise<string | null> {
  const when = whenServiceOf(runtime);
  const memory = memoryServiceOf(runtime);
  if (!when?.configured || !memory) return null;
  const caller = await callerOf(runtime, memory, message);
  const recall = await when.find(message.content.text ?? '', caller, 'person');
  return recall === null ? null : chatAnswer(recall);
}

/** A platform that says whether the agent is meant has other people in the room. */
function isMeant(message: Memory): boolean {
  const context = message.content.mentionContext;
  return context === undefined || context.isMention || context.isReply;
}
