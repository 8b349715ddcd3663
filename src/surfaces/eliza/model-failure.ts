/**
 * A model provider that refuses the key or cannot be reached. The host then gives a chat no answer at all:
 * the call throws, or its stream ends without a word. So the chat is told which provider failed and what to
 * do, once, and the log has the cause.
 */
import {
  type HandlerCallback,
  type IAgentRuntime,
  type IMessageService,
  type Memory,
  ModelType,
} from '@elizaos/core';
import { modelProvider } from '../../host/index.js';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../shared/clock.js';
import { messageOf } from '../../shared/errors.js';
import { isAutonomous } from './turn.js';
import { isMeant, PROVIDER_SETTINGS } from './without-model.js';

/** One who comes back later is told again. */
const AGAIN_AFTER_MS = HOUR_MS;
/** A model that answered a moment ago is not asked again whether it does. */
const WELL_MS = 5 * MINUTE_MS;
/** Errors that are wrapped deeper are not known here. */
const DEEPEST = 6;

const UNREACHABLE =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR|ConnectionRefused|FailedToOpenSocket|cannot connect|fetch failed|unable to connect/i;
const REFUSED = /\b40[13]\b|unauthori[sz]ed|invalid.{0,20}api.?key|incorrect api.?key/i;

type TextModel = typeof ModelType.TEXT_LARGE | typeof ModelType.TEXT_SMALL;

interface Failure {
  /** The same failure is told once. */
  kind: string;
  text: string;
}

/** Listens to every turn of the agent from now on; called when the host has its message service. */
export function tellModelFailures(runtime: IAgentRuntime, clock: Clock): void {
  const inner = runtime.messageService;
  if (inner === null) return;
  const told = new Map<string, { kind: string; atMs: number }>();
  let wellMs = Number.NEGATIVE_INFINITY;

  /** A stream that breaks tells its reader nothing: a small call tells the reason. `null`: the model answers. */
  async function probed(type: TextModel): Promise<unknown> {
    if (clock.now() - wellMs < WELL_MS) return null;
    try {
      await runtime.useModel(type, { prompt: 'Say: ok', stream: false });
      wellMs = clock.now();
      return null;
    } catch (error) {
      return error;
    }
  }

  /** @param cause absent: nothing was thrown, and nothing was said either */
  async function explain(
    message: Memory,
    callback: HandlerCallback | undefined,
    type: TextModel,
    cause?: unknown,
  ): Promise<void> {
    if (callback === undefined || isAutonomous(runtime, message) || !isMeant(message)) return;
    const error = cause ?? (await probed(type));
    const failure = failureOf(runtime, type, error);
    if (failure === null) return;
    const before = told.get(message.roomId);
    const nowMs = clock.now();
    if (before?.kind === failure.kind && nowMs - before.atMs < AGAIN_AFTER_MS) return;
    told.set(message.roomId, { kind: failure.kind, atMs: nowMs });
    runtime.logger.error(
      { src: 'plugin:cue', agentId: runtime.agentId, error: messageOf(error) },
      failure.text,
    );
    await callback({ text: `I cannot answer that: ${failure.text}.` });
  }

  const handleMessage: IMessageService['handleMessage'] = async (host, message, say, options) => {
    let isAnswered = false;
    let isIgnored = false;
    const heard: HandlerCallback | undefined =
      say &&
      ((content) => {
        isAnswered ||= (content.text ?? '').trim() !== '';
        isIgnored ||= content.actions?.includes('IGNORE') === true;
        return say(content);
      });
    try {
      const result = await inner.handleMessage(host, message, heard, options);
      if (isAnswered || result.responseContent) told.delete(message.roomId);
      else if (result.didRespond) await explain(message, say, ModelType.TEXT_LARGE);
      // The small model decides whether to answer; without its word the host takes it for a no.
      else if (isIgnored) await explain(message, say, ModelType.TEXT_SMALL);
      return result;
    } catch (error) {
      await explain(message, say, ModelType.TEXT_LARGE, error);
      throw error;
    }
  };
  runtime.messageService = Object.create(inner, { handleMessage: { value: handleMessage } });
}

/** `null`: it is not the provider that failed. */
function failureOf(runtime: IAgentRuntime, type: TextModel, error: unknown): Failure | null {
  const provider = modelProvider(runtime, type);
  const [key, ...others] = PROVIDER_SETTINGS[provider] ?? [];
  const named = `the model provider "${provider}"`;
  const status =
    chainOf(error)
      .flatMap((one) => [one.statusCode, one.status])
      .find((value) => typeof value === 'number') ?? null;
  const words = chainOf(error)
    .map((one) => `${one.code ?? ''} ${messageOf(one)}`)
    .join(' ');
  if (status === 401 || status === 403 || (status === null && REFUSED.test(words))) {
    return {
      kind: `${provider} refused`,
      text:
        `${named} refuses the key: set the right ${key ?? 'key'} in the environment, ` +
        'in a file .env or in "secrets" of the character, and start again',
    };
  }
  if (status === 402 || status === 429) {
    return {
      kind: `${provider} limited`,
      text: `${named} takes no more calls now (status ${status}): look at the credit and the limits of its account`,
    };
  }
  if (status !== null && status >= 400) {
    return {
      kind: `${provider} ${status}`,
      text: `${named} failed (status ${status}): the log of the server has its message`,
    };
  }
  if (!UNREACHABLE.test(words)) return null;
  const address = others.length === 0 ? '' : ` and whether ${others.join(', ')} is right`;
  return {
    kind: `${provider} unreachable`,
    text: `${named} cannot be reached: look whether it runs, whether this machine has a network${address}`,
  };
}

interface Thrown {
  message?: string;
  code?: unknown;
  status?: unknown;
  statusCode?: unknown;
  lastError?: unknown;
  cause?: unknown;
}

/** The error and what is inside of it, the outermost first. */
function chainOf(error: unknown): Thrown[] {
  const chain: Thrown[] = [];
  let next: unknown = error;
  while (typeof next === 'object' && next !== null && chain.length < DEEPEST) {
    const one: Thrown = next;
    chain.push(one);
    next = one.lastError ?? one.cause;
  }
  return chain;
}
