/** Hooks and offers as tools (seed `rum-triggers.md`): a client says what it does and is told what is known. */

import { z } from 'zod';
import {
  ANSWER_SHAPE,
  clientBlock,
  DETECTOR_NAMES,
  EVENT_SHAPES,
  OFFER_STATES,
  type Offer,
  type ProactiveEventType,
  type ProactiveService,
  WAITING_SHAPE,
} from '../proactive/index.js';
import type { Caller } from '../records/index.js';
import { AppError, type InvalidInputError, wrongField } from '../shared/errors.js';
import { parsed } from '../shared/findings.js';
import { isUuid } from '../shared/ids.js';
import { defined } from '../shared/json.js';
import { safe } from '../shared/safe-text.js';
import {
  defineOperation,
  defineTool,
  type Operation,
  type OperationCall,
  type Tool,
} from './operation.js';
import { flag, instant, pageShape, searchText, storableText, wholeNumber } from './query.js';
import { offersOf } from './services.js';

const SUBJECT = 200;
const ID_DIGITS = 8;

/** Offers as a model reads them: fenced as data, then the ids to answer with. */
export function offerText(text: string, offers: readonly Pick<Offer, 'id' | 'kind'>[]): string {
  const ids = offers.map(({ id, kind }) => `${offerId(id)} (${kind})`);
  const block = clientBlock(text).text;
  return ids.length === 0 ? block : `${block}\n${ids.join(', ')}`;
}

/** As every method takes it. */
export function offerId(id: string): string {
  return `offer_${id.replaceAll('-', '').slice(0, ID_DIGITS)}`;
}

type Shape = Readonly<Record<string, z.ZodType>>;

const offer = z.object({
  id: z.string(),
  kind: z.enum(DETECTOR_NAMES),
  text: z.string(),
  state: z.enum(OFFER_STATES),
});
const reaction = z.object({
  text: z.string(),
  offers: z.array(z.object({ id: z.string(), kind: z.string() })),
  warning: z.object({ id: z.string(), text: z.string() }).nullable(),
});

/** What a model may act on; the rest is for the operator (`GET /cue/offers/:id`). */
function shown({ id, kind, subject, text, tokens, state, requiresAcknowledgment, sources }: Offer) {
  const memories = sources.filter(({ quoted }) => !quoted).map(({ memoryId }) => memoryId);
  return {
    ...{ id, kind, text, tokens, state, requiresAcknowledgment, memories },
    subject: safe(subject, SUBJECT),
  };
}

/** Some fields as clients name them; the service takes both spellings and the other fields, too. */
function wire(shape: Shape, fields: Readonly<Record<string, string>>): z.ZodObject {
  return z.object(
    Object.fromEntries(
      Object.entries(fields).map(([name, hint]) => {
        const type = shape[name] ?? z.unknown();
        const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
        return [snake, hint === '' ? type : type.describe(hint)];
      }),
    ),
  );
}

function enabledOffersOf({ runtime }: OperationCall): ProactiveService {
  const service = offersOf(runtime);
  service.requireEnabled();
  return service;
}

interface Hook extends Pick<Tool, 'name' | 'title' | 'description'> {
  type: keyof typeof EVENT_SHAPES & ProactiveEventType;
  /** Advertised fields, each with a word where its name is not enough. */
  fields: Readonly<Record<string, string>>;
}

function hook({ type, fields, ...told }: Hook): Tool {
  return defineTool({
    ...told,
    group: 'offers',
    isDefault: false,
    givesOffers: true,
    input: wire(EVENT_SHAPES[type], fields),
    output: reaction,
    call: (input, call) => happen(type, input, call),
    text: reactionText,
  });
}

/** Happenings and answers are those of a client; the operator has routes of its own. */
function clientOf({ caller }: OperationCall): Extract<Caller, { kind: 'agent' }> {
  if (caller.kind === 'agent') return caller;
  throw new AppError('PERMISSION_DENIED', 'only a client of MCP has offers of its own');
}

async function happen(
  type: ProactiveEventType,
  input: Record<string, unknown>,
  call: OperationCall,
) {
  const { clients } = enabledOffersOf(call);
  const isThere = () => !call.signal.aborted;
  const came = await clients.happen(type, input, clientOf(call), isThere);
  const { text, tokens, offers, warning, degraded } = came;
  return {
    ...{ text, tokens, degraded },
    offers: offers.map(shown),
    warning: warning && shown(warning),
  };
}

function reactionText({ text, offers, degraded }: Awaited<ReturnType<typeof happen>>): string {
  return [
    text === '' ? 'Nothing to be said about this.' : offerText(text, offers),
    ...degraded.map((reason) => `(${reason})`),
  ].join('\n');
}

/** What the three tools say that stand for all of them where a prompt is to stay small. */
const told = z.object({ text: z.string() });
const words = z.string().optional();
const files = z.array(z.string()).optional();

const brief = defineTool({
  name: 'brief',
  group: 'offers',
  isDefault: true,
  givesOffers: true,
  title: 'What to know now',
  description:
    'Tells what is unfinished and was learned lately; with a task or an intent, what earlier work on it came to. Call it when you begin.',
  input: z.object({ task: words, intent: words.describe('what is to be achieved'), files }),
  output: told,
  async call(input, call) {
    if (input.task !== undefined && input.intent !== undefined) {
      throw misstated('say either the task or the intent');
    }
    if (input.task !== undefined) return happen('task_start', input, call);
    return happen(input.intent === undefined ? 'session_start' : 'intent_stated', input, call);
  },
  text: reactionText,
});

const check = defineTool({
  name: 'check',
  group: 'offers',
  isDefault: true,
  givesOffers: true,
  title: 'Check a file or an action',
  description:
    'Tells the history of a file, warns of what failed before and hints how it is done here. Call it before you change a file or run something risky, and after a command with success.',
  input: z.object({
    file: words,
    action: words.describe('in words or as a command'),
    cwd: words,
    success: z.boolean().optional().describe('when it is done'),
    error: words,
  }),
  output: told,
  async call(input, call) {
    if (input.success !== undefined || input.error !== undefined) {
      return happen('action_completed', input, call);
    }
    if (input.action !== undefined) return happen('action_planned', input, call);
    if (input.file === undefined) throw misstated('name a file or an action');
    return happen('file_touch', input, call);
  },
  text: reactionText,
});

function misstated(message: string): InvalidInputError {
  return wrongField('(body)', message);
}

type Answer = 'acknowledge' | 'dismiss';

function answer(
  told: Pick<Tool, 'name' | 'title' | 'description'> & {
    how: Answer;
    reason: string;
  },
): Tool {
  const { how, reason, ...rest } = told;
  return defineTool({
    ...rest,
    group: 'offers',
    isDefault: false,
    input: wire(ANSWER_SHAPE, { offerId: 'offer_…', reason }),
    output: z.object({ offer }),
    isIdempotent: true,
    call: (input, call) => answered(how, input, call),
    text: answerText,
  });
}

async function answered(how: Answer, input: Record<string, unknown>, call: OperationCall) {
  return { offer: shown(await offersOf(call.runtime).clients[how](input, clientOf(call))) };
}

function answerText({ offer: { id, state } }: Awaited<ReturnType<typeof answered>>): string {
  return state === 'used'
    ? `${offerId(id)} is answered; it still counts as used, since it was recalled or acted upon.`
    : `${offerId(id)} is ${state}.`;
}

const answerInput = z.looseObject({ answer: z.enum(['acknowledge', 'dismiss']) });

const answerOffer = defineTool({
  name: 'answer_offer',
  group: 'offers',
  isDefault: true,
  title: 'Answer an offer',
  description:
    'acknowledge: you heed a ⚠️ warning, or say why you go on despite it; else it stays. dismiss: it was no use, so the like comes less often.',
  input: wire(ANSWER_SHAPE, { offerId: 'offer_…', reason: '' }).extend(answerInput.shape),
  output: z.object({ offer: z.object({ id: z.string(), state: z.string() }) }),
  isIdempotent: true,
  async call({ answer: sent, ...input }, call) {
    return answered(parsed(answerInput, { answer: sent }).answer, input, call);
  },
  text: answerText,
});

const tools: readonly Tool[] = [
  brief,
  check,
  answerOffer,
  hook({
    name: 'on_file_touch',
    type: 'file_touch',
    title: 'File touched',
    description: 'Tells what is remembered of a file. Call it before you read or change one.',
    fields: { filePath: '', operation: '' },
  }),
  hook({
    name: 'on_intent_stated',
    type: 'intent_stated',
    title: 'Intent stated',
    description: 'Recalls similar work. Call it when it is clear what is to be achieved.',
    fields: { intent: '', files: '' },
  }),
  hook({
    name: 'on_task_start',
    type: 'task_start',
    title: 'Task started',
    description: 'Recalls patterns and learnings of such tasks. Call it when you begin one.',
    fields: { task: '', files: '' },
  }),
  hook({
    name: 'on_action_planned',
    type: 'action_planned',
    title: 'Action planned',
    description:
      'Warns of what failed before, and hints how it is done here. Call it before a risky change or command.',
    fields: { action: 'in words or as a command', filePath: '', cwd: '' },
  }),
  hook({
    name: 'on_action_completed',
    type: 'action_completed',
    title: 'Action completed',
    description:
      'Counts what helped, and tells what is known of a failure. Call it after a command or change.',
    fields: { action: 'as it was run', success: '', error: 'of a failure', cwd: '' },
  }),
  hook({
    name: 'on_session_start',
    type: 'session_start',
    title: 'Session started',
    description: 'Tells what is unfinished and was learned lately. Call it once, first of all.',
    fields: {},
  }),
  answer({
    name: 'acknowledge_warning',
    how: 'acknowledge',
    title: 'Acknowledge a warning',
    description:
      'Says that you have heeded a ⚠️ warning, or why you go on despite it; else it stays.',
    reason: 'why you go on',
  }),
  answer({
    name: 'dismiss_offer',
    how: 'dismiss',
    title: 'Dismiss an offer',
    description: 'Says that an offer was no use, so that the like comes less often.',
    reason: 'why not',
  }),
  defineTool({
    name: 'pending_offers',
    group: 'offers',
    isDefault: false,
    givesOffers: true,
    title: 'Pending offers',
    description: 'Shows what waits for you and the warnings that nobody has answered.',
    input: wire(WAITING_SHAPE, { limit: '' }),
    output: z.object({ offers: z.array(offer), total: z.int() }),
    async call(input, call) {
      const { clients } = enabledOffersOf(call);
      const { offers, total } = await clients.waiting(input, clientOf(call));
      return { offers: offers.map(shown), total };
    },
    text: ({ offers }) =>
      offers.length === 0
        ? 'Nothing waits.'
        : offerText(offers.map(({ text }) => text).join('\n\n'), offers),
  }),
];

/** Who is to be shown an offer; `agentId` is taken: with it the host chooses the agent that answers. */
export const forWhom = { sessionId: searchText.optional(), forAgentId: searchText.optional() };

const statsQuery = z.strictObject({ since: instant.optional(), before: instant.optional() });
const listQuery = z.strictObject({
  ...pageShape,
  ...forWhom,
  state: z.enum(OFFER_STATES).optional(),
  kind: z.enum(DETECTOR_NAMES).optional(),
  roomId: z.string().refine(isUuid, 'must be a UUID').optional(),
  deliver: flag.optional(),
});
const resetBody = z.strictObject({ kind: z.enum(DETECTOR_NAMES).optional() });

const list = defineOperation({
  name: 'list_offers',
  description: 'Offers, newest first.',
  reads: true,
  async call({ forAgentId, ...query }, { runtime, caller }) {
    const asked = defined({ ...query, agentId: forAgentId }) as Parameters<
      ProactiveService['list']
    >[0];
    return offersOf(runtime).list(asked, caller);
  },
  rest: { method: 'GET', path: '/offers', query: listQuery },
});

const stats = defineOperation({
  name: 'offer_stats',
  description: 'How good the offers are, by kind, and what was learned of them.',
  reads: true,
  async call(input, { runtime }) {
    const { since, before } = input as z.output<typeof statsQuery>;
    return offersOf(runtime).stats({ sinceMs: since, untilMs: before });
  },
  rest: { method: 'GET', path: '/offers/stats', query: statsQuery },
});

const reset = defineOperation({
  name: 'reset_offers',
  description: 'Forgets what was learned of a kind of offers, or of all.',
  call: async (input, { runtime }) =>
    offersOf(runtime).resetLearned((input as z.output<typeof resetBody>).kind),
  rest: { method: 'POST', path: '/offers/reset', body: resetBody, bodyOptional: true },
});

const health = defineOperation({
  name: 'offer_health',
  description: 'How offering is: detectors, limits, what waits.',
  reads: true,
  call: async (_input, { runtime }) => offersOf(runtime).health(),
  rest: { method: 'GET', path: '/offers/health' },
});

const decisions = defineOperation({
  name: 'list_decisions',
  description: 'What happened last, and why something was offered or was not.',
  reads: true,
  // Kept in memory only, and few: one page is all of them.
  async call({ limit }, { runtime }) {
    const all = offersOf(runtime).decisions();
    return { decisions: all.slice(0, Number(limit)), total: all.length, nextCursor: null };
  },
  rest: {
    ...{ method: 'GET', path: '/offers/decisions' },
    query: z.strictObject({ limit: wholeNumber(1, 200).default(50) }),
  },
});

const get = defineOperation({
  name: 'get_offer',
  description: 'One offer, with why it exists.',
  reads: true,
  async call({ id }, { runtime, caller }) {
    return { offer: await offersOf(runtime).get(String(id), caller) };
  },
  rest: { method: 'GET', path: '/offers/:id' },
});

/** The three ways in which the operator says what an offer was good for. */
const endings = (['acknowledge', 'dismiss', 'used'] as const).map((how) =>
  defineOperation({
    name: `mark_offer_${how === 'used' ? how : `${how.replace(/e$/, '')}ed`}`,
    description: 'Says what an offer was good for.',
    async call({ id, reason }, { runtime, caller }) {
      const said = reason === undefined ? undefined : String(reason);
      return { offer: await offersOf(runtime)[how](String(id), caller, said) };
    },
    rest: {
      ...{ method: 'POST', path: `/offers/:id/${how}`, bodyOptional: true },
      body: z.strictObject({ reason: storableText(500).optional() }),
    },
  }),
);

export const offerOperations: readonly Operation[] = [
  ...tools,
  ...[list, stats, reset, health, decisions, get],
  ...endings,
];
