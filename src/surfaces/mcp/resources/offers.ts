/**
 * What waits for the client: all of it (`cue://offers`) and as the seed names it (`rum://…`). Clients
 * read resources for people, previews and caches, so reading one never counts as shown: what was only
 * read here still rides along with the next tool call, and `pending_offers` is how one asks.
 */

import { offersOf, offerText } from '../../../operations/index.js';
import type { Offer } from '../../../proactive/index.js';
import { OFFERS_META } from '../../mcp-client.js';
import type { ResourceSpec } from './types.js';

export const OFFERS_URI = 'cue://offers';
const MEMORY_URI = 'rum://memory_available';
const WARNING_URI = 'rum://conflict_warning';
/** Texts of one reading. */
const SHOWN = 20;

/** The seed's resource that an offer is news of. */
export function newsUri({ kind }: Pick<Offer, 'kind'>): string {
  return kind === 'conflictWarning' ? WARNING_URI : MEMORY_URI;
}

const ofMemory = (offer: Offer) => newsUri(offer) === MEMORY_URI;
const ofConflict = (offer: Offer) => newsUri(offer) === WARNING_URI;

export const offerResources: readonly ResourceSpec[] = [
  waitingOffers(() => true, {
    uri: OFFERS_URI,
    name: 'offers',
    title: 'Pending offers',
    description:
      'What waits for you, and the warnings that nobody has answered. Reading does not count as shown; the tool pending_offers does.',
  }),
  waitingOffers(ofMemory, {
    uri: MEMORY_URI,
    name: 'memory_available',
    title: 'Memory available',
    description: 'Memories, decisions and hints that are offered to you. Subscribe to be told.',
  }),
  waitingOffers(ofConflict, {
    uri: WARNING_URI,
    name: 'conflict_warning',
    title: 'Conflict warning',
    description: 'Warnings that nobody has answered. Subscribe to be told.',
  }),
];

function waitingOffers(
  isPart: (offer: Offer) => boolean,
  told: Pick<ResourceSpec, 'uri' | 'name' | 'title' | 'description'>,
): ResourceSpec {
  return {
    ...told,
    mimeType: 'text/plain',
    changes: true,
    async read(_value, { runtime, session }) {
      const waiting = (await offersOf(runtime).clients.peek(session.caller())).filter(isPart);
      const shown = waiting.slice(0, SHOWN);
      if (shown.length === 0) return { text: 'Nothing waits.' };
      const text = offerText(shown.map((offer) => offer.text).join('\n\n'), shown);
      return { text, _meta: { [OFFERS_META]: shown.map(({ id }) => id) } };
    },
  };
}
