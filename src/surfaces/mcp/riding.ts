/**
 * Offers that ride along in the answer of whatever was called (many clients ignore notifications):
 * each once, and never at the cost of the answer.
 */

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { offersOf, offerText } from '../../operations/index.js';
import type { TurnOffers } from '../../proactive/index.js';
import { isAppError, messageOf } from '../../shared/errors.js';
import { OFFERS_META } from '../offers-meta.js';
import type { ToolCall } from './types.js';

/**
 * What waits for the session, after the answer: as text of its own, in `_meta`, and in the structured
 * result as `cue_offers`, because some clients show the model nothing else where there is one. Nothing
 * for a client that waits no more.
 */
export async function withOffers(result: CallToolResult, call: ToolCall): Promise<CallToolResult> {
  if (call.signal.aborted) return result;
  const { offers, text } = await waiting(call);
  if (offers.length === 0) return result;
  const shown = offerText(text, offers);
  const ids = offers.map(({ id }) => id);
  return {
    ...result,
    content: [...result.content, { type: 'text', text: shown }],
    ...(result.structuredContent === undefined
      ? {}
      : { structuredContent: { ...result.structuredContent, cue_offers: shown } }),
    _meta: { ...result._meta, [OFFERS_META]: ids },
  };
}

async function waiting({ runtime, session, log }: ToolCall): Promise<TurnOffers> {
  try {
    return await offersOf(runtime).clients.take(session.caller());
  } catch (error) {
    // The service starts in the background: until then there are none.
    if (!isAppError(error)) log.warn({ error: messageOf(error) }, 'offers could not ride along');
    return { offers: [], text: '', tokens: 0 };
  }
}
