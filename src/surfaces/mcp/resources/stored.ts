/** What is stored, as resources: hints, memories, offers and `/when` entries. */
import type { IAgentRuntime } from '@elizaos/core';
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import type { MemoryView } from '../../../memory/index.js';
import {
  followedWhen,
  hintsOf,
  knowledgeBlock,
  memoryOf,
  offersOf,
  offerText,
  quoted,
  readable,
  recallText,
  startedWhen,
} from '../../../operations/index.js';
import type { Offer } from '../../../proactive/index.js';
import { AppError, NotFoundError } from '../../../shared/errors.js';
import { addTo } from '../../../shared/multimap.js';
import { safe, safeJson } from '../../../shared/safe-text.js';
import type { ShownEntry } from '../../../when/index.js';
import { OFFERS_META } from '../../mcp-client.js';
import type { McpSession } from '../session.js';

export interface ResourceCall {
  runtime: IAgentRuntime;
  session: McpSession;
}

export interface ResourceText {
  text: string;
  _meta?: Record<string, unknown>;
}

/** What a variable or an argument may be. */
export interface Candidates {
  values: readonly string[];
  /** There are others, which nobody has looked at. */
  isPart?: boolean;
}

export interface ResourceSpec {
  /** `cue://offers`; with a variable at its end (`cue://memory/{id}`) it is a template. */
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: 'text/plain' | 'application/json';
  /** Absent: always. */
  isThere?(runtime: IAgentRuntime): boolean;
  /** Clients may subscribe to it, and are told when it changes. */
  changes?: true;
  /**
   * @param value of the variable, decoded; '' without one
   * @throws AppError NOT_FOUND and what the service throws
   */
  read(value: string, call: ResourceCall): Promise<ResourceText>;
  /** Values of the variable, best first; those that do not fit what was typed are taken out elsewhere. */
  complete?(begun: string, call: ResourceCall): Promise<Candidates>;
}

export const hintsResource: ResourceSpec = {
  uri: 'cue://hints/{component}',
  name: 'hints',
  title: 'Hints of a component',
  description: 'Every hint of a component, wherever it holds; secrets stay hidden.',
  mimeType: 'application/json',
  async read(asked, { runtime, session }) {
    const { payload } = await hintsOf(runtime).export({ component: asked }, session.caller());
    // Under its name as the room has it, however it was asked for.
    const [found] = Object.entries(payload.components);
    if (!found) throw new NotFoundError('component', asked);
    const [component, known] = found;
    return { text: safeJson(JSON.stringify({ component, ...known })) };
  },
  async complete(_begun, { runtime, session }) {
    const { components } = await hintsOf(runtime).listComponents({}, session.caller());
    return { values: components.map(({ name }) => name) };
  },
};

const URI = 'cue://memory/';
const PAGE = 50;
const TITLE = 120;
/** Most of one page of the service. */
const NEWEST = 100;

export const memoryResource: ResourceSpec = {
  uri: `${URI}{id}`,
  name: 'memory',
  title: 'Work memory',
  description: 'One work memory in full. Reading it counts as a recall.',
  mimeType: 'text/plain',
  async read(id, { runtime, session }) {
    const input = { memory_id: id, depth: 'full', include_links: true };
    const { memories } = await memoryOf(runtime).recall(input, session.caller());
    const [memory] = memories;
    if (!memory) throw new NotFoundError('memory', id);
    const { memory_id, created_at, content } = memory;
    return { text: quoted([`[${memory_id}, ${created_at.slice(0, 10)}]\n${readable(content)}`]) };
  },
  /** Among the newest. */
  async complete(begun, call) {
    const { memories, isPart } = await newest(call);
    const ids = memories.map(({ memory_id }) => memory_id);
    const begins = (id: string) => id.startsWith(`mem_${begun.trim().toLowerCase()}`);
    return { values: [...ids.filter(begins), ...ids], isPart };
  },
};

/** The newest memories of the project, a page at a time. @throws AppError INVALID_INPUT: cursor */
export async function listedMemories(
  { runtime, session }: ResourceCall,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor: string | null }> {
  const page = { own: false, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
  const { memories, next_cursor } = await memoryOf(runtime).list(page, session.caller());
  return { resources: memories.map(listed), nextCursor: next_cursor };
}

/** For completion: the newest of the project, and whether there are more. */
export async function newest({
  runtime,
  session,
}: ResourceCall): Promise<{ memories: MemoryView[]; isPart: boolean }> {
  const page = { own: false, limit: NEWEST };
  const { memories, next_cursor } = await memoryOf(runtime).list(page, session.caller());
  return { memories, isPart: next_cursor !== null };
}

function listed({ memory_id, created_at, intent, outcome, importance }: MemoryView): Resource {
  return {
    uri: `${URI}${memory_id}`,
    name: memory_id,
    title: safe(`${outcome.success ? '✓' : '✗'} ${intent.goal}`, TITLE),
    mimeType: memoryResource.mimeType,
    annotations: { audience: ['assistant'], priority: importance, lastModified: created_at },
  };
}

export const OFFERS_URI = 'cue://offers';
const MEMORY_URI = 'rum://memory_available';
const WARNING_URI = 'rum://conflict_warning';
/** Texts of one reading. */
const SHOWN = 20;

/** The seed's resource that an offer is news of. */
export function newsUri({ kind }: Pick<Offer, 'kind'>): string {
  return kind === 'conflictWarning' ? WARNING_URI : MEMORY_URI;
}

export const offerResources: readonly ResourceSpec[] = [
  waitingOffers({
    uri: OFFERS_URI,
    name: 'offers',
    title: 'Pending offers',
    description:
      'What waits for you, and the warnings that nobody has answered. Reading does not count as shown; the tool pending_offers does.',
  }),
  waitingOffers({
    uri: MEMORY_URI,
    name: 'memory_available',
    title: 'Memory available',
    description: 'Memories, decisions and hints that are offered to you. Subscribe to be told.',
  }),
  waitingOffers({
    uri: WARNING_URI,
    name: 'conflict_warning',
    title: 'Conflict warning',
    description: 'Warnings that nobody has answered. Subscribe to be told.',
  }),
];

function waitingOffers(
  told: Pick<ResourceSpec, 'uri' | 'name' | 'title' | 'description'>,
): ResourceSpec {
  const isPart = (offer: Offer) => [OFFERS_URI, newsUri(offer)].includes(told.uri);
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

const COMMAND = /^\/(?:when|how)\s+/;

export const whenResources: readonly ResourceSpec[] = [
  {
    uri: 'cue://when',
    name: 'when',
    title: 'Index of decisions',
    description: 'Every /when line of the project: trigger, header, description.',
    mimeType: 'text/plain',
    isThere: hasIndex,
    async read(_value, { runtime }) {
      const entries = await (await followedWhen(runtime)).entries();
      if (entries.length === 0) return { text: 'The index has no entries.' };
      const groups = new Map<string, ShownEntry[]>();
      for (const entry of entries) addTo(groups, entry.file, entry);
      const parts = [...groups].map(([file, lines]) =>
        [
          `## ${file}`,
          ...lines.map((one) => [one.command, one.header, one.description].join(' | ')),
        ].join('\n'),
      );
      return { text: knowledgeBlock(parts.join('\n\n')) };
    },
  },
  {
    uri: 'cue://when/{trigger}',
    name: 'decision',
    title: 'Decision',
    description: 'The decision or recipe that a trigger of the index leads to.',
    mimeType: 'text/plain',
    isThere: hasIndex,
    async read(trigger, { runtime, session }) {
      const recall = await (await followedWhen(runtime)).recall(trigger, session.caller());
      if (recall.results.some(({ found }) => found !== 'none')) return { text: recallText(recall) };
      const suggestions = recall.results.flatMap((answer) => answer.suggestions);
      throw new AppError('NOT_FOUND', 'nothing in the index is like that', { suggestions });
    },
    async complete(_begun, { runtime }) {
      const entries = await (await followedWhen(runtime)).entries();
      return { values: entries.map(({ command }) => command.replace(COMMAND, '')) };
    },
  },
];

function hasIndex(runtime: IAgentRuntime): boolean {
  try {
    return startedWhen(runtime).configured;
  } catch {
    return false;
  }
}
