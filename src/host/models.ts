/** The language and embedding models that plugins of the host bring. */
import { type IAgentRuntime, ModelType } from '@elizaos/core';
import { AppError } from '../shared/errors.js';

/** The plugin that answers this kind of call: the first of the host's list, as `useModel` picks it. */
export function modelProvider(runtime: IAgentRuntime, type: string): string {
  const models: unknown = 'models' in runtime ? runtime.models : undefined;
  const handlers: unknown = models instanceof Map ? models.get(type) : undefined;
  const [first] = Array.isArray(handlers) ? handlers : [];
  const provider: unknown = first?.provider;
  return typeof provider === 'string' ? provider : 'unknown';
}

/** @throws AppError UNAVAILABLE for an answer without text */
export async function askSmallModel(runtime: IAgentRuntime, prompt: string): Promise<string> {
  const answer: unknown = await runtime.useModel(ModelType.TEXT_SMALL, { prompt });
  if (typeof answer === 'string') return answer;
  throw new AppError('UNAVAILABLE', 'the model answered without text');
}
