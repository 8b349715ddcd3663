/**
 * An agent without a language model, or with a model plugin that has no key. The host's pipeline would
 * fail at its first call, and a chat would wait for ever for a reply. So a stand-in takes the calls of a
 * conversation, plans the one action that needs no model, and refuses every other call with the reason.
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
import { modelProvider } from '../../host/index.js';
import { isConfigured } from '../../settings.js';
import { type ActionFamily, framedAction, type Outcome, succeed } from './action-frame.js';
import { callerOf, memoryServiceOf } from './memory-turn.js';
import { chatAnswer } from './when-text.js';
import { hasWhenIndex, whenServiceOf, whenStarted } from './when-turn.js';

export const NO_MODEL =
  'no language model is configured: install a model plugin, for example with "npm install @elizaos/plugin-openai", ' +
  'add it to "plugins" of the character, set its key (OPENAI_API_KEY) and start again; ' +
  'there are plugins for Anthropic, Ollama and others, too';

const ANSWER_WITHOUT_MODEL = 'ANSWER_WITHOUT_MODEL';

/** Settings of which a model plugin needs one, the key first; by the name it registers its models with. */
export const PROVIDER_SETTINGS: Readonly<
  Record<string, readonly [key: string, ...others: string[]]>
> = {
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  'google-genai': ['GOOGLE_GENERATIVE_AI_API_KEY'],
  openrouter: ['OPENROUTER_API_KEY', 'OPENROUTER_BASE_URL'],
};

/** Below every plugin that brings a model, whenever it registers. */
const LAST = -1_000_000;
/** Above a plugin that cannot answer: the host asks nobody but the first. */
const FIRST = 1_000_000;

interface StandIn {
  answer: ReturnType<typeof standInOf>;
  reason: string;
}

const standIns = new WeakMap<IAgentRuntime, StandIn>();

/** Why nothing that needs a language model works, and what to do; `null`: there is one. */
export function missingModel(runtime: IAgentRuntime): string | null {
  const standIn = standIns.get(runtime);
  const answering = runtime.getModel(ModelType.TEXT_LARGE);
  if (standIn !== undefined && answering === standIn.answer) return standIn.reason;
  return answering === undefined ? NO_MODEL : keyMissing(runtime);
}

/** What the plugin that would answer lacks; `null`: nothing that is known here. */
function keyMissing(runtime: IAgentRuntime): string | null {
  const provider = modelProvider(runtime, ModelType.TEXT_LARGE);
  const names = PROVIDER_SETTINGS[provider];
  if (names === undefined || names.some((name) => isConfigured(runtime, name))) return null;
  return (
    `the model plugin "${provider}" has no key: set ${names[0]} in the environment, ` +
    'in a file .env or in "secrets" of the character, and start again'
  );
}

/** Called once all plugins are registered; does nothing where there is a model. */
export function standInForModel(runtime: IAgentRuntime): void {
  const reason = missingModel(runtime);
  if (reason === null) return;
  const answer = standInOf(runtime, reason);
  standIns.set(runtime, { answer, reason });
  runtime.registerAction(answerWithoutModel);
  const priority = reason === NO_MODEL ? LAST : FIRST;
  for (const type of [ModelType.TEXT_LARGE, ModelType.TEXT_SMALL]) {
    if (priority === FIRST || runtime.getModel(type) === undefined) {
      runtime.registerModel(type, answer, 'cue', priority);
    }
  }
  runtime.logger.warn({ src: 'plugin:cue', agentId: runtime.agentId }, reason);
}

/** Answers the prompts with which the host takes a message, known by how their templates begin. */
function standInOf(runtime: IAgentRuntime, reason: string) {
  const templates = runtime.character.templates ?? {};
  const answers: readonly [template: unknown, answer: string][] = [
    [templates.shouldRespondTemplate ?? shouldRespondTemplate, '<action>RESPOND</action>'],
    [
      templates.messageHandlerTemplate ?? messageHandlerTemplate,
      `<actions>${ANSWER_WITHOUT_MODEL}</actions><providers></providers><text>${spoken(reason)}</text>`,
    ],
    [
      templates.multiStepDecisionTemplate ?? multiStepDecisionTemplate,
      '<action></action><providers></providers><isFinish>true</isFinish>',
    ],
    [
      templates.multiStepSummaryTemplate ?? multiStepSummaryTemplate,
      `<text>${spoken(reason)}</text>`,
    ],
  ];
  return async (_runtime: IAgentRuntime, params: Record<string, unknown>): Promise<string> => {
    const prompt = typeof params.prompt === 'string' ? params.prompt : '';
    const found = answers.find(
      // The text of a template up to its first placeholder.
      ([text]) => typeof text === 'string' && prompt.startsWith(text.split('{{', 1)[0] ?? ''),
    );
    if (found === undefined) throw new Error(reason);
    return `<response><thought>${reason}</thought>${found[1]}</response>`;
  };
}

function spoken(reason: string): string {
  return `I cannot answer that: ${reason}.`;
}

interface UnansweredTurn {
  runtime: IAgentRuntime;
  message: Memory;
}

const WITHOUT_MODEL: ActionFamily<UnansweredTurn> = {
  succeeded: 'answeredWithoutModel',
  isPresent: (runtime) => missingModel(runtime) !== null,
  absent: 'There is a language model now: please say that again.',
  turnOf: async (runtime, message) => ({ runtime, message }),
};

const answerWithoutModel = framedAction(
  {
    name: ANSWER_WITHOUT_MODEL,
    similes: [],
    description: 'Says that no language model is configured; /when commands are answered.',
    examples: [],
    notInRuns: true,
    handle: answer,
  },
  WITHOUT_MODEL,
);

async function answer({ runtime, message }: UnansweredTurn): Promise<Outcome> {
  await whenStarted(runtime);
  const found = await commanded(runtime, message);
  if (found !== null) return succeed(found);
  const also = hasWhenIndex(runtime) ? ' Commands of /when I can answer.' : '';
  const reason = missingModel(runtime) ?? NO_MODEL;
  return { ...succeed(`${spoken(reason)}${also}`), silent: !isMeant(message) };
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
export function isMeant(message: Memory): boolean {
  const context = message.content.mentionContext;
  return context === undefined || context.isMention || context.isReply;
}
