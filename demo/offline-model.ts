/**
 * A model provider with no model in it: fixed rules instead, so that the demo and a first start
 * work with no key and no network. It knows which call it is by the text of the host's templates
 * (ELIZA_GUIDE §4). It belongs to the demo; the plugin does not contain it.
 */
import { type IAgentRuntime, ModelType, type Plugin } from '@elizaos/core';
import type { parseScheduleText } from '../src/index.js';
import { answerToInstruction, type ChosenAction, chooseAction, POLITE } from './intent.js';
import { answerToWork, warningIn } from './offer-intent.js';
import { knownIn, readTurn } from './prompt.js';
import { answerFromIndex } from './when-intent.js';

export const OFFLINE_MODEL = 'cue-offline-model';
const DIMENSION = 384;
/** Any model plugin that somebody adds to the character answers instead of this one. */
const PRIORITY = -100;

const MAIN_CALL = 'Generate dialog and actions for the character';
const REPLY_CALL = '# Task: Generate dialog for the character';
const SHOULD_RESPOND_CALL = 'Decide on behalf of';
const REFLECTION_CALL = '# Task: Generate Agent Reflection';
const TITLE_CALL = 'generate a short, descriptive title for this chat';
/** In which a template says what it is for. */
const TASK_CHARACTERS = 300;
const LOOP_THOUGHT = 'This is a quiet moment of your own';

export interface OfflineModelOptions {
  parse: typeof parseScheduleText;
  /** Zone in which a schedule in chat is read; the actions of the plugin read it again, exactly. */
  timezone?: string;
}

export function offlineModel(options: OfflineModelOptions): Plugin {
  const answer = (runtime: IAgentRuntime, prompt: string) =>
    answerPrompt(prompt, { ...options, agentName: runtime.character.name });
  return {
    name: OFFLINE_MODEL,
    description: 'Fixed rules in the place of a language model',
    priority: PRIORITY,
    models: {
      [ModelType.TEXT_LARGE]: async (runtime, params) => answer(runtime, params.prompt),
      [ModelType.TEXT_SMALL]: async (runtime, params) => answer(runtime, params.prompt),
      [ModelType.TEXT_EMBEDDING]: async (_runtime, params) => embed(textOf(params)),
    },
  };
}

/** Only its embeddings, beside a provider that has none (Anthropic). */
export function offlineEmbeddings(): Plugin {
  return {
    name: `${OFFLINE_MODEL}-embeddings`,
    description: 'Word hashes in the place of an embedding model',
    priority: PRIORITY,
    models: { [ModelType.TEXT_EMBEDDING]: async (_runtime, params) => embed(textOf(params)) },
  };
}

/** The answer to any prompt of the host or the plugin; never throws. */
export function answerPrompt(
  prompt: string,
  options: OfflineModelOptions & { agentName: string },
): string {
  // What follows quotes files and messages, which may contain anything.
  const task = prompt.trimStart().slice(0, TASK_CHARACTERS);
  if (task.includes(SHOULD_RESPOND_CALL)) {
    return response({ name: options.agentName, reasoning: 'offline', action: 'RESPOND' });
  }
  if (task.includes(REFLECTION_CALL)) {
    return response({ thought: 'All is well.', facts: 'none', relationships: 'none' });
  }
  if (task.includes(TITLE_CALL)) return 'Reminders with Cue';
  const isMain = task.includes(MAIN_CALL);
  if (!isMain && !task.includes(REPLY_CALL)) {
    // Somebody asks to have something extracted: the offline model reads nothing into a text.
    return response({ kind: 'none' });
  }
  const turn = readTurn(prompt, options.agentName);
  if (turn.text.startsWith(LOOP_THOUGHT)) return plan('IGNORE', '');
  const scheduled = answerToInstruction(turn.text);
  if (scheduled !== null) return plan('REPLY', scheduled);
  const said = (text: string) =>
    answerToWork(text.trim().replace(POLITE, ''), warningIn(prompt), knownIn(prompt)) ??
    smallTalk(text, answerFromIndex(knownIn(prompt)));
  if (!isMain) return plan('REPLY', said(turn.text));
  const action = chooseAction(turn, {
    parse: options.parse,
    nowMs: Date.now(),
    timezone: options.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  return action === 'REPLY' ? plan(action, said(turn.text)) : plan(action, '');
}

function smallTalk(text: string, known: string | null): string {
  if (/\b(?:thanks|thank you|thx|cheers)\b/i.test(text)) return 'You are welcome!';
  if (known !== null) return known;
  const hello = /^(?:hi|hello|hey|good (?:morning|afternoon|evening))\b/i.test(text)
    ? 'Hello! '
    : '';
  return (
    `${hello}I am the small offline model: no key is configured, so I only understand English, and single dates in ` +
    'German, French, Spanish, Portuguese, Italian and Dutch. "help" lists what to say. Try "in 20 seconds tell me to ' +
    'stretch", "remember that the login bug was an expired token" or "what do you remember about the login bug?".'
  );
}

function plan(action: ChosenAction | 'IGNORE', text: string): string {
  // Elsewhere the action speaks for itself: a text beside it would be dropped by the host.
  return response({ thought: `Offline rule: ${action}`, actions: action, providers: '', text });
}

function response(fields: Record<string, string>): string {
  const lines = Object.entries(fields).map(
    ([name, value]) => `<${name}>${escapeXml(value)}</${name}>`,
  );
  return `<response>${lines.join('')}</response>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The host probes with an empty text, and core allows `null` and a plain string. */
function textOf(params: unknown): string {
  if (typeof params === 'string') return params;
  if (typeof params === 'object' && params !== null && 'text' in params) {
    return typeof params.text === 'string' ? params.text : '';
  }
  return '';
}

/** Hashed words, unit length, never zero: texts that share words are near each other. */
export function embed(text: string): number[] {
  const vector = new Array<number>(DIMENSION).fill(0);
  vector[0] = 0.1;
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2_166_136_261;
    for (const char of word) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0;
    const at = 1 + (hash % (DIMENSION - 1));
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
