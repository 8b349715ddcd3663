/**
 * The plugin's TEXT_EMBEDDING handler for the host's own memories. It is registered behind every
 * other provider (`HOST_HANDLER_PRIORITY`; the host takes the highest, then the earliest).
 */
import { embedLexical } from './lexical.js';
import type { Embeddings } from './types.js';
import { constantVector } from './vectors.js';

/** Below the 0 that a plugin has when it does not say. */
export const HOST_HANDLER_PRIORITY = -100;

/**
 * Answers null, text and `{ text }`. The start-up probe (nothing, or an empty text) gets a constant
 * unit vector of 384 without any model. With `CUE_EMBEDDINGS=runtime` the chain asks the host, which
 * may ask this handler: it then answers lexically instead of asking the chain for ever.
 */
export function createHostHandler(
  embeddings: () => Pick<Embeddings, 'current' | 'status'>,
): (params: unknown) => Promise<number[]> {
  return async (params) => {
    const text = textOf(params);
    if (text.trim() === '') return Array.from(constantVector());
    const chain = embeddings();
    if (chain.status().setting === 'runtime') return Array.from(embedLexical(text));
    const [vector] = await chain.current().embed([text]);
    return Array.from(vector ?? constantVector());
  };
}

function textOf(params: unknown): string {
  if (typeof params === 'string') return params;
  if (typeof params !== 'object' || params === null || !('text' in params)) return '';
  return typeof params.text === 'string' ? params.text : '';
}
