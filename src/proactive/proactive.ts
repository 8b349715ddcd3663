/**
 * The module put together: events in, offers out, and what becomes of them (DESIGN §8). Everything
 * that reaches an agent unasked passes here.
 */
import { type Caller, type MemoryChecks, type MemoryObserver, readerOf } from '../memory/index.js';
import { canRead } from '../records/index.js';
import { withTimeout } from '../shared/async.js';
import { type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { AppError, messageOf, wrongField } from '../shared/errors.js';
import type { Ids, Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { RecencyCache } from '../shared/recency-cache.js';
import { type Answered, createClients } from './clients.js';
import { createConcurrencyLimiter } from './concurrency-limiter.js';
import type { ProactiveConfig } from './config.js';
import { createCooldown } from './cooldown.js';
import { createDetectorRunner, type DetectorCounts } from './detector-runner.js';
import { callerOf } from './detectors/detection.js';
import { answererOf, eventContextOf, summaryOf, targetKey, targetOf } from './event-context.js';
import { announcedIn, citedIn, filesHeard, saysSomething } from './heard.js';
import { createImplicitSessionStart } from './implicit-session-start.js';
import { readEvent, readHook } from './input.js';
import { createLearnedStore, feedbackOf, type LearnedNumbers } from './learning.js';
import {
  createOfferPipeline,
  type Decision,
  type Outcome,
  type Reaction,
} from './offer-pipeline.js';
import {
  isFresh,
  isStandingWarning,
  type Offer,
  type OfferChange,
  type StoredOffer,
  toldIn,
  viewOf,
} from './offers/offer.js';
import { createOfferBook } from './offers/offer-book.js';
import type { OfferFilter } from './offers/offer-queries.js';
import {
  createMeasure,
  createTurnCounter,
  type OfferStats,
  type TurnStore,
} from './offers/stats.js';
import { createPushes, type OfferEvent, type SubscribeOptions } from './pushes.js';
import {
  type ConversationEvent,
  callsOf,
  createDetectors,
  type Evaluation,
  route,
  warmUp,
} from './router.js';
import { createRevalidation, createWarningExpiry } from './source-revalidation.js';
import { block, urgency } from './text/block.js';
import {
  createTurns,
  type EndedTurn,
  NO_OFFERS,
  type TurnMessage,
  type TurnOffers,
} from './turns.js';
import {
  DETECTOR_NAMES,
  type DetectorName,
  type Detectors,
  type EventContext,
  type EventInput,
  type EventSummary,
  type ProactiveEvent,
  type ProactiveEventType,
  type SlotDetectors,
} from './types.js';
import { createUses } from './uses.js';

/** How the module is, for the operator. */
export interface ProactiveHealth {
  enabled: boolean;
  detectors: Record<string, DetectorCounts & { enabled: boolean }>;
  /** Open offers held, by state. */
  open: { pending: number; shown: number };
  /** Events dropped because too many came at once. */
  dropped: number;
  subscribers: number;
  /** Why, in words, something is worse than it should be. */
  degraded: string[];
}

/** What the modules tell whose records are sources of offers: of their use, and of their end. */
export interface SourceObserver extends MemoryObserver {
  /** Sources that were forgotten are there again under the same id. */
  returned(ids: readonly Uuid[]): void;
}

export interface ProactiveCoreDeps {
  checks: MemoryChecks;
  clock: Clock;
  ids: Ids;
  log: Log;
  config: () => ProactiveConfig;
  enabled: () => boolean;
  /** Without brackets: `RUM`. */
  prefix: string;
  turnCounts: TurnStore;
  slots: SlotDetectors;
  /** Other processes write to the same database. */
  shared?: boolean;
  /** How long a turn waits, ms; 30 when absent. */
  turnBudgetMs?: number | undefined;
  /** How long a detector may take, ms; 2 s when absent. */
  detectorTimeoutMs?: number | undefined;
  /** From the start until detectors are warmed up, ms; at once when absent. */
  warmUpAfterMs?: number | undefined;
}

const BUDGET_MS = 30;
const STOP_MS = 3 * SECOND_MS;
const STATS_DAYS = 30;
/** Events of a client so near to each other are one turn of it. */
const ONE_TURN_MS = 10 * SECOND_MS;
/** Conversations and clients remembered. */
const MOST_TARGETS = 10_000;
const OFF = 'offers are switched off (CUE_OFFERS_ENABLED)';
const FLOODED = 'too much happens at once: this was not looked into';
const NOTHING: Outcome = { offers: [], standing: [], suppressed: [], degraded: [], failed: [] };
const UNASKED: DetectorCounts = {
  ...{ evaluated: 0, notified: 0, failed: 0, timedOut: 0, resting: false },
  ms: { median: null, p95: null },
};

export type Proactive = Omit<ReturnType<typeof createProactive>, 'observer'>;

export function createProactive(deps: ProactiveCoreDeps) {
  const { checks, clock, ids, log, config, enabled, shared = false } = deps;
  const learned = createLearnedStore({ store: checks.store, agentId: checks.agentId, clock, log });
  const context = { checks, clock, config, prefix: deps.prefix, bar: learned.bar };
  const detectors: Detectors = createDetectors(context);
  const asked = { ...detectors, ...deps.slots };
  const runner = createDetectorRunner({ clock, log, timeoutMs: deps.detectorTimeoutMs });
  const book = createOfferBook({
    store: checks.store,
    clock,
    ids,
    log,
    onChange: (offer, from) => {
      feedback.note(offer);
      pushes.changed(viewOf(offer), from);
    },
    onWritten: learned.note,
    onFound: (offer) => {
      feedback.note(offer);
      const { createdAtMs, ...data } = offer.data;
      cooldown.note({ ...data, sourceIds: toldIn(data), atMs: createdAtMs });
    },
    onRemoved: (gone) => {
      turns.withdraw(gone);
      pushes.withdraw(gone);
    },
  });
  const cooldown = createCooldown(config);
  const feedback = feedbackOf([]);
  const turnCounter = createTurnCounter({ ...deps.turnCounts, clock, log });
  const limiter = createConcurrencyLimiter({ clock, log });
  /** When each client was last heard of: no run delimits its turns. */
  const heard = new RecencyCache<string, number>(MOST_TARGETS);
  /** The session that each conversation was greeted in. */
  const greeted = new RecencyCache<Uuid, string>(MOST_TARGETS);
  const pipeline = createOfferPipeline({
    ...{ checks, clock, ids, config, runner, book, cooldown, feedback, learned },
    prefix: deps.prefix,
  });
  const pushes = createPushes({
    windowMs: () => config().cooldown.batch_window_ms,
    onDelivered: ({ id }) => change(id, 'shown', 'stream'),
    onError: (error) => log.warn({ error: messageOf(error) }, 'an offer could not be pushed'),
  });
  const uses = createUses({
    ...{ book, change, clock, log, detectors: asked },
    isShowing: (id) => turns.isShowing(id),
  });
  const revalidated = createRevalidation({
    ...{ checks, clock, log, detectors: asked },
    changed: (id) => change(id, 'expired', 'its memory has changed'),
  });
  const standing = createWarningExpiry({
    ...{ context, log },
    ended: (id, reason) => change(id, 'expired', reason),
  });
  const turns = createTurns({
    ...{ log, revalidated, remaining: book.remaining, track: limiter.track },
    detect: async (message) => {
      const { text, roomId, caller, sessionId, speakerId } = message;
      const eventContext = eventContextOf({ roomId, caller, sessionId, speakerId });
      const newSession = beginsSession(message);
      const routed = { type: 'message', text, files: filesHeard(message), newSession } as const;
      const { failed } = await reactTo(routed, eventContext, {
        type: 'message',
        subject: text.slice(0, 200),
        target: targetOf(eventContext),
      });
      // What went wrong is tried again with the next message.
      if (newSession && sessionId !== undefined && !failed.includes('sessionStart')) {
        greeted.set(roomId, sessionId);
      }
    },
    open: (roomId) => {
      const nowMs = clock.now();
      return book
        .open({ roomId })
        .filter(({ data }) => isStandingWarning(data) || isFresh(data, nowMs));
    },
    shown: (id) => change(id, 'shown', 'turn'),
    passed: (id) => change(id, 'expired', 'no room'),
    turned: () => turnCounter.count(),
  });
  /** Offers of before the start, with what came of them. Nothing is said before it is known. */
  const loaded = Promise.all([book.load(), learned.load()]).then(() => undefined);
  const implicitStart = createImplicitSessionStart({
    ...{ book, clock, log, loaded, revalidated, track: limiter.track },
    budgetMs: deps.turnBudgetMs,
    size: async () => (await checks.lookUp()).shelf.size,
    async begin(eventContext) {
      const start = { type: 'session_start', ...eventContext } as const;
      const { failed } = await reactTo(start, eventContext, summaryOf(start));
      return !failed.includes('sessionStart');
    },
  });
  const warm = (): void =>
    limiter.track(
      loaded.then(() => (enabled() ? warmUp(detectors, config(), clock.now()) : undefined)),
    );
  let warming: NodeJS.Timeout | undefined;
  if (deps.warmUpAfterMs === undefined) warm();
  else warming = setTimeout(warm, deps.warmUpAfterMs).unref();
  const clients = createClients({
    ...{ book, clock, log, enabled, loaded, revalidated, standing },
    budgetMs: deps.turnBudgetMs,
    react: reactOrRefuse,
    shown: (id, how) => change(id, 'shown', how),
    answer: (to, { offerId, reason }, by) => answer(offerId, to, by, { reason }),
  });

  const tidied = { expired: 0, pruned: 0 };

  /**
   * What has to be done to offers from time to time, done when somebody comes by, so that an agent that
   * sleeps costs nothing: expiring, looking at what other processes did, removing what is old. Never
   * rejects; most of the time there is nothing to do.
   */
  async function tidy(): Promise<void> {
    const nowMs = clock.now();
    const isDue = (what: keyof typeof tidied, everyMs: number) => {
      if (Math.abs(nowMs - tidied[what]) < everyMs) return false;
      tidied[what] = nowMs;
      return true;
    };
    try {
      if (isDue('expired', MINUTE_MS)) {
        if (shared) await Promise.all([book.refresh(), learned.load()]);
        book.expire(nowMs);
      }
      if (isDue('pruned', DAY_MS)) await book.prune(nowMs);
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'old offers could not be tidied');
    }
  }

  async function reactTo(
    event: ProactiveEvent | ConversationEvent,
    eventContext: EventContext,
    summary: EventSummary,
  ): Promise<Outcome> {
    const evaluations: Evaluation[] = route(event, config());
    if (!enabled()) return { ...NOTHING, degraded: [OFF] };
    const outcome = await limiter.pass(summary.type, async () => {
      await loaded;
      // What another process did has to be known before anything is said.
      if (shared) await tidy();
      else limiter.track(tidy());
      return pipeline.react(callsOf(asked, evaluations, eventContext), eventContext, summary);
    });
    if (outcome === null) return { ...NOTHING, degraded: [FLOODED], failed: [...DETECTOR_NAMES] };
    pushes.offered(outcome.offers.map(viewOf));
    return outcome;
  }

  async function react(
    event: ProactiveEvent,
    wanted: Answered = true,
    mayBegin = false,
  ): Promise<Reaction> {
    const { type } = event;
    const eventContext = eventContextOf(event);
    const target = targetOf(eventContext);
    if (enabled() && target.roomId === undefined && beginsTurn(target)) turnCounter.count();
    if (type === 'file_touch') uses.ofFiles(target, [event.filePath]);
    if (type === 'action_completed' && event.success && enabled()) {
      await loaded;
      await uses.ofAction(target, event.action, callerOf(eventContext));
    }
    const outcome = await reactTo(event, eventContext, summaryOf(event));
    if (type === 'session_start') implicitStart.began(eventContext);
    const ready = mayBegin ? await implicitStart.ready(eventContext) : new Set<Uuid>();
    // Who gives a room is answered in its next turn; a plan cannot wait.
    const answers = target.roomId === undefined || type === 'action_planned';
    const answered = answers && (typeof wanted === 'boolean' ? wanted : await wanted());
    // What was forgotten while somebody was waited for is not said.
    const offers = book.remaining([
      ...outcome.offers,
      ...implicitStart.untold(eventContext, ready),
      ...outcome.standing,
    ]);
    const { projectId } = eventContext;
    // A slip in the name of the project must not look like "nothing known".
    const isElsewhere = projectId !== undefined && !checks.isProject(projectId);
    const slip = `"${projectId}" is not the project served here: nothing of it is known`;
    return {
      ...replyOf(offers, eventContext, answered),
      suppressed: outcome.suppressed,
      degraded: [...(isElsewhere ? [slip] : []), ...outcome.degraded],
    };
  }

  /** Only what may be read there. What is in the text counts as shown, where it is `answered` at all. */
  function replyOf(
    offers: readonly StoredOffer[],
    eventContext: EventContext,
    answered: boolean,
  ): Pick<Reaction, 'offers' | 'warning' | 'text' | 'tokens'> {
    const reader = readerOf(callerOf(eventContext));
    const all = offers
      .filter(({ scope }) => canRead(reader, scope))
      .sort((a, b) => urgency(a.data.kind) - urgency(b.data.kind));
    const { text, tokens, shownIndexes } = block(all.map(({ data }) => data));
    const views = all.map((offer, index) => {
      const isShown = answered && shownIndexes.includes(index);
      return viewOf((isShown ? change(offer.id, 'shown', 'answer') : null) ?? offer);
    });
    const warning = views.find(({ kind }) => kind === 'conflictWarning') ?? null;
    return { offers: views, warning, text, tokens };
  }

  /** @throws AppError LIMIT_REACHED */
  async function reactOrRefuse(
    event: ProactiveEvent,
    wanted?: Answered,
    mayBegin?: boolean,
  ): Promise<Reaction> {
    const reaction = await react(event, wanted, mayBegin);
    if (!reaction.degraded.includes(FLOODED)) return reaction;
    throw new AppError('LIMIT_REACHED', `${FLOODED}; try again in a moment`);
  }

  /** A text stands for the main field. @throws InvalidInputError */
  const hook =
    <Type extends ProactiveEventType>(type: Type) =>
    async (input: EventInput<Type> | string): Promise<Reaction> => {
      const { caller, speakerId }: EventContext = typeof input === 'string' ? {} : input;
      return react({ ...readHook(type, input), caller, speakerId });
    };

  function change(id: Uuid, to: OfferChange, how: string): StoredOffer | null {
    return book.change(id, to, { atMs: clock.now(), how })?.offer ?? null;
  }

  async function answer(
    id: string,
    to: OfferChange,
    caller: Caller,
    said: { reason?: string | undefined; how?: string | undefined },
  ): Promise<Offer> {
    await loaded;
    const details = { atMs: clock.now(), ...answererOf(caller), ...said };
    return viewOf((await book.answer(id, to, details, readerOf(caller))).offer);
  }

  /** What is open in a conversation, for whoever may read it; newest first. */
  async function openIn(
    roomId: Uuid,
    caller: Caller,
    fits: (data: StoredOffer['data']) => boolean,
  ): Promise<Offer[]> {
    await loaded;
    const reader = readerOf(caller);
    const open = book.open({ roomId }, reader).filter(({ data }) => fits(data));
    return book.remaining(await standing(open, reader)).map(viewOf);
  }

  function beginsSession({ scheduled, sessionId, roomId }: TurnMessage): boolean {
    return scheduled !== true && sessionId !== undefined && greeted.get(roomId) !== sessionId;
  }

  /** Whether this is the first that is heard of a client for a while. */
  function beginsTurn(target: ReturnType<typeof targetOf>): boolean {
    const key = targetKey(target);
    const nowMs = clock.now();
    const lastMs = heard.get(key);
    heard.set(key, nowMs);
    return lastMs === undefined || Math.abs(nowMs - lastMs) >= ONE_TURN_MS;
  }

  const observer: SourceObserver = {
    used(use) {
      try {
        if (enabled()) uses.ofMemories(use);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'a use could not be noted');
      }
    },
    changed(memoryIds) {
      const offers = book.quoting(memoryIds);
      if (offers.length > 0) limiter.track(standing(offers, { kind: 'agent' }));
    },
    async forgetting(memoryIds, entityId) {
      await loaded;
      feedback.forget(memoryIds);
      if (memoryIds.length > 0) await book.forgetSources(memoryIds);
      if (entityId !== undefined) await book.forgetEntity(entityId);
      pipeline.forgetDecisions(memoryIds, entityId);
    },
    returned: (memoryIds) => book.sourcesReturned(memoryIds),
  };

  return {
    /** Each alone, as the seed tests them; they change nothing. */
    detectors,
    observer,

    /*
     * Hooks. What an event leads to is stored as offers; those for a conversation wait for its next
     * turn, the others are answered here, which counts as shown. Input is checked; a text stands for the
     * main field. They throw InvalidInputError, and nothing for what a detector does.
     */
    onFileTouch: hook('file_touch'),
    onIntentStated: hook('intent_stated'),
    onTaskStart: hook('task_start'),
    /** Answers with the warning at once, also for a conversation. */
    onActionPlanned: hook('action_planned'),
    /**
     * What was done, and whether it went well: a success is the use of hints that were offered or given
     * for it and counts for them, a failure may bring some.
     */
    onActionCompleted: (input: EventInput<'action_completed'>): Promise<Reaction> =>
      hook('action_completed')(input),
    onSessionStart: hook('session_start'),
    /**
     * Any of them as data: `{ type, … }`, also `CUE_FILE_TOUCH`; fields in camelCase or snake_case.
     * @param options.speakerId whose words these are, where the caller does not say
     * @param options.mayBegin where nobody has told of the start of its session, this is the start, too
     * @throws AppError LIMIT_REACHED when too much happens at once, InvalidInputError
     */
    async happen(
      input: unknown,
      caller?: Caller,
      options: { answered?: Answered; speakerId?: Uuid; mayBegin?: boolean } = {},
    ): Promise<Reaction> {
      const { answered, speakerId, mayBegin } = options;
      return reactOrRefuse({ ...readEvent(input), caller, speakerId }, answered, mayBegin);
    },

    /**
     * The safe point of a conversation: what this turn shows. Detects what the message touches, states
     * and starts, waits at most `budgetMs` (30 unless set otherwise), and fixes the answer for the
     * message's id. What is not ready comes next turn. Never throws.
     */
    async offersForTurn(
      message: TurnMessage,
      budgetMs: number = deps.turnBudgetMs ?? BUDGET_MS,
    ): Promise<TurnOffers> {
      if (!enabled()) return NO_OFFERS;
      pushes.flush();
      return turns.offers(message, budgetMs);
    },
    /** The run of a message has ended: what it showed is shown now. `completed` false: it was not. */
    turnEnded: (turn: EndedTurn): void => turns.ended(turn),
    /** Somebody was told sources of offers otherwise (GET_HINT): see `onActionCompleted`. */
    gave: ({ roomId, ids: given }: { roomId: Uuid; ids: readonly Uuid[] }): void =>
      uses.gave({ roomId }, given),
    /** Whether words of a conversation name a file, state an intent or plan an action. */
    concerns(words: { text: string; attachments?: readonly string[]; byAgent?: boolean }): boolean {
      if (filesHeard(words).length > 0) return true;
      return words.byAgent ? announcedIn(words.text) !== '' : saysSomething(words.text);
    },
    /** What the agent said or did in a conversation: files it names, memories it cites. */
    onAgentActivity(activity: {
      roomId: Uuid;
      caller: Caller;
      sessionId?: string | undefined;
      text: string;
      files: readonly string[];
    }): void {
      if (!enabled()) return;
      const { roomId, caller, sessionId, text } = activity;
      uses.ofCitations(roomId, citedIn(text));
      const files = [...new Set([...activity.files, ...filesHeard({ text })])];
      uses.ofFiles({ roomId }, files);
      const announced = announcedIn(text);
      if (files.length === 0 && announced === '') return;
      const eventContext = eventContextOf({ roomId, caller, sessionId });
      const routed = {
        type: 'message',
        text: announced,
        files,
        newSession: false,
        by: 'agent',
      } as const;
      const summary = {
        type: 'agent',
        subject: text.slice(0, 200),
        target: targetOf(eventContext),
      } as const;
      const work = reactTo(routed, eventContext, summary).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'what the agent said could not be looked into');
      });
      limiter.track(work);
    },

    /** What clients of their own (MCP) ask. */
    clients,
    async list(
      filter: OfferFilter,
      caller: Caller,
    ): Promise<{ offers: Offer[]; total: number; nextCursor: string | null }> {
      await loaded;
      pushes.flush();
      const page = await book.list(filter, readerOf(caller));
      const offers = page.offers.map((offer) => {
        const delivers = filter.deliver === true && offer.data.target.roomId === undefined;
        return viewOf((delivers ? change(offer.id, 'shown', 'list') : null) ?? offer);
      });
      return { ...page, offers };
    },
    /** @throws NotFoundError */
    get: async (id: string, caller: Caller): Promise<Offer> => {
      await loaded;
      return viewOf(await book.get(id, readerOf(caller)));
    },
    /**
     * Seen and heeded; the same memory unchanged does not warn again.
     * @throws NotFoundError, AppError CONFLICT for an offer that ended otherwise
     */
    acknowledge: (id: string, caller: Caller, reason?: string): Promise<Offer> =>
      answer(id, 'acknowledged', caller, { reason }),
    /** Not wanted; counts as a false alarm. */
    dismiss: (id: string, caller: Caller, reason?: string): Promise<Offer> =>
      answer(id, 'dismissed', caller, { reason }),
    used: (id: string, caller: Caller, how = 'said so'): Promise<Offer> =>
      answer(id, 'used', caller, { how }),
    /** Open warnings of a conversation, newest first: what ACKNOWLEDGE_WARNING means. */
    openWarnings: (roomId: Uuid, caller: Caller): Promise<Offer[]> =>
      openIn(roomId, caller, ({ kind }) => kind === 'conflictWarning'),
    /** Offers of a conversation that are pending or were shown, newest first. */
    openOffers: (roomId: Uuid, caller: Caller): Promise<Offer[]> =>
      openIn(roomId, caller, () => true),

    /** Of the last 30 days, or the range. @throws InvalidInputError for one that ends before it begins */
    async stats(
      range: { sinceMs?: number | undefined; untilMs?: number | undefined } = {},
    ): Promise<OfferStats & { learned: LearnedNumbers }> {
      await loaded;
      const untilMs = range.untilMs ?? clock.now() + 1;
      const sinceMs = range.sinceMs ?? untilMs - STATS_DAYS * DAY_MS;
      if (sinceMs >= untilMs) {
        throw wrongField('before', 'must be later than since');
      }
      book.expire(clock.now());
      const measured = createMeasure({ sinceMs, untilMs });
      for await (const page of book.since(sinceMs)) {
        for (const { data } of page) measured.add(data);
      }
      return { ...measured.result(await turnCounter.counts()), learned: learned.numbers() };
    },
    /** Forgets what was learned of a kind, or of all: they are offered as if nothing had been said yet. */
    async resetLearned(kind?: DetectorName): Promise<{ learned: LearnedNumbers }> {
      await loaded;
      await learned.reset(kind);
      return { learned: learned.numbers() };
    },
    health(): ProactiveHealth {
      const counts = runner.counts();
      const dropped = limiter.dropped();
      const { state: catalog } = checks.store.catalog.status();
      const settings = config();
      return {
        enabled: enabled(),
        detectors: Object.fromEntries(
          DETECTOR_NAMES.map((name) => [
            name,
            { ...(counts[name] ?? UNASKED), enabled: settings[name].enabled },
          ]),
        ),
        open: book.counts(),
        dropped,
        subscribers: pushes.size(),
        degraded: [
          ...(catalog === 'ready' ? [] : [`the search index is ${catalog}`]),
          ...Object.entries(counts).flatMap(([name, { resting }]) =>
            resting ? [`${name} rests for a minute: it hung several times`] : [],
          ),
          ...(dropped > 0 ? [`${dropped} events were not looked into: too many at once`] : []),
          ...(enabled() ? [] : [OFF]),
          ...book.problems(),
        ],
      };
    },
    /** Newest first, at most 200: also events that led to nothing, and why. */
    decisions: (limit?: number): Decision[] => pipeline.decisions(limit),
    /** After the batch window, most urgent first; `deliver` counts what is pushed as shown, `statesOnly` waits for nothing. */
    subscribe: (listener: (event: OfferEvent) => void, options?: SubscribeOptions): (() => void) =>
      pushes.subscribe(listener, options),
    /** Resolves when everything so far is detected and stored. For tests and the end. */
    async settled(): Promise<void> {
      await loaded;
      await limiter.settled();
      pushes.flush();
      await book.settled();
      await learned.settled();
    },
    async stop(): Promise<void> {
      clearTimeout(warming);
      // A database that hangs must not keep the agent from ending.
      const settled = this.settled().catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'offers were stopped before all was settled');
      });
      await withTimeout(settled, STOP_MS);
      pushes.stop();
      await turnCounter.flush();
      await book.stop();
      await learned.settled();
    },
  };
}
