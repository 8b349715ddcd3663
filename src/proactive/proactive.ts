/**
 * The room put together: happenings in, offers out, and what becomes of them (DESIGN §8). Everything
 * that reaches an agent unasked passes here.
 */
import { type Caller, type MemoryChecks, readerOf } from '../memory/index.js';
import type { CatalogState } from '../records/index.js';
import { canRead } from '../records/index.js';
import { withTimeout } from '../shared/async.js';
import { type Clock, DAY_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { AppError, InvalidInputError, messageOf } from '../shared/errors.js';
import type { Ids, Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { callsOf, createDetectors, type SlotDetectors, warmUp } from './asking.js';
import { type Answered, createClients } from './clients.js';
import type { ProactiveConfig } from './config.js';
import { createCooldown } from './cooldown.js';
import type { Proactive } from './core-types.js';
import { createDecisions } from './decisions.js';
import { callerOf } from './detectors/context.js';
import { feedbackOf } from './feedback.js';
import { announcedIn, citedIn, filesHeard, saysSomething } from './heard.js';
import { readHappening } from './input.js';
import { createLanes } from './lanes.js';
import { createLateStarts } from './late-starts.js';
import { createBegun, createClientTurns, isFresh } from './moments.js';
import { createSourceObserver, type SourceObserver } from './observer.js';
import {
  elsewhere,
  nameOf,
  occasionIn,
  occasionOf,
  sessionsOf,
  summaryOf,
  targetOf,
  told,
} from './occasions.js';
import type {
  HappeningSummary,
  Offer,
  ProactiveHealth,
  Reaction,
  TurnMessage,
} from './offer-types.js';
import type { LearnedStore } from './offers/learned-store.js';
import { createLearnedStore } from './offers/learned-store.js';
import { createOfferBook } from './offers/offer-book.js';
import type { OfferBook } from './offers/offer-book-types.js';
import { factOf } from './offers/offer-fact.js';
import { isStandingWarning, type OfferChange } from './offers/offer-life.js';
import { type StoredOffer, viewOf } from './offers/offer-record.js';
import { createMeasure } from './offers/stats.js';
import { createTurnCounter, type TurnStore } from './offers/turn-counter.js';
import { createUses } from './offers/uses.js';
import { createPushes } from './pushes.js';
import { createReactor, type Outcome } from './reactions.js';
import { type Evaluation, type MessageHappening, route } from './router.js';
import type { DetectorRunner } from './run-detectors.js';
import { createDetectorRunner } from './run-detectors.js';
import { createStillStanding, createStillTrue } from './still-holds.js';
import { createSuccesses } from './successes.js';
import { block, urgency } from './text/block.js';
import { createTurns } from './turns.js';
import type { Happening, Occasion } from './types.js';
import { DETECTOR_NAMES, type DetectorName } from './types.js';

/**
 * Only what may be read there. What is in the text counts as shown, where it is read at all.
 * @param shown marks an offer, `null`: nobody reads the answer
 */
function replyOf(
  { offers, standing }: Pick<Outcome, 'offers' | 'standing'>,
  { caller }: Occasion,
  shown: ((id: Uuid) => StoredOffer | null) | null,
): Pick<Reaction, 'offers' | 'warning' | 'text' | 'tokens'> {
  const reader = caller ? readerOf(caller) : ({ kind: 'agent' } as const);
  const all = [...offers, ...standing]
    .filter(({ scope }) => canRead(reader, scope))
    .sort((a, b) => urgency(a.data.kind) - urgency(b.data.kind));
  const { text, tokens, shownIndexes } = block(all.map(({ data }) => data));
  const views = all.map((offer, index) =>
    viewOf((shownIndexes.includes(index) ? shown?.(offer.id) : null) ?? offer),
  );
  return {
    offers: views,
    warning: views.find(({ kind }) => kind === 'conflictWarning') ?? null,
    text,
    tokens,
  };
}

/**
 * What has to be done to offers from time to time, done when somebody comes by, so that an agent that
 * sleeps costs nothing: expiring, looking at what other processes did, removing what is old.
 */
interface Keeper {
  /** Never rejects; most of the time there is nothing to do. */
  look(): Promise<void>;
}

function createKeeper(deps: {
  book: Pick<OfferBook, 'expire' | 'refresh' | 'prune'>;
  learned: Pick<LearnedStore, 'load'>;
  clock: Clock;
  log: Log;
  /** Other processes write to the same database. */
  shared: boolean;
}): Keeper {
  const { book, learned, clock, log, shared } = deps;
  const last = { expire: 0, prune: 0 };
  const isDue = (what: keyof typeof last, everyMs: number, nowMs: number) => {
    if (Math.abs(nowMs - last[what]) < everyMs) return false;
    last[what] = nowMs;
    return true;
  };
  return {
    async look() {
      const nowMs = clock.now();
      try {
        if (isDue('expire', MINUTE_MS, nowMs)) {
          if (shared) await Promise.all([book.refresh(), learned.load()]);
          book.expire(nowMs);
        }
        if (isDue('prune', DAY_MS, nowMs)) await book.prune(nowMs);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'old offers could not be tidied');
      }
    },
  };
}

/** How the room is, for the operator. Pure. */
const UNASKED = {
  evaluated: 0,
  notified: 0,
  failed: 0,
  timedOut: 0,
  resting: false,
  ms: { median: null, p95: null },
} as const;

interface HealthFacts extends Pick<ProactiveHealth, 'enabled' | 'open' | 'dropped'> {
  config: ProactiveConfig;
  counts: ReturnType<DetectorRunner['counts']>;
  catalog: CatalogState['state'];
  subscribers: number;
  /** What is worse than it should be elsewhere, in words. */
  problems: readonly string[];
}

function healthOf(facts: HealthFacts): ProactiveHealth {
  const { enabled, open, dropped, counts, catalog, subscribers, problems } = facts;
  const settings: Record<DetectorName, { enabled: boolean }> = facts.config;
  return {
    enabled,
    detectors: Object.fromEntries(
      DETECTOR_NAMES.map((name) => [
        name,
        { ...(counts[name] ?? UNASKED), enabled: settings[name].enabled },
      ]),
    ),
    open,
    dropped,
    subscribers,
    degraded: [
      ...(catalog === 'ready' ? [] : [`the search index is ${catalog}`]),
      ...Object.entries(counts).flatMap(([name, { resting }]) =>
        resting ? [`${name} rests for a minute: it hung several times`] : [],
      ),
      ...(dropped > 0 ? [`${dropped} happenings were not looked into: too many at once`] : []),
      ...problems,
    ],
  };
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
const OFF = 'offers are switched off (CUE_OFFERS_ENABLED)';
const FLOODED = 'too much happens at once: this was not looked into';
const NOTHING: Outcome = { offers: [], standing: [], suppressed: [], degraded: [], failed: [] };

export function createProactive(deps: ProactiveCoreDeps): Proactive & { observer: SourceObserver } {
  const { checks, clock, ids, log, config, enabled } = deps;
  const learned = createLearnedStore({ store: checks.store, agentId: checks.agentId, clock, log });
  const context = { checks, clock, config, prefix: deps.prefix, bar: learned.bar };
  const detectors = createDetectors(context);
  const asked = { ...detectors, ...deps.slots };
  const runner = createDetectorRunner({ clock, log, timeoutMs: deps.detectorTimeoutMs });
  const book = createOfferBook({
    store: checks.store,
    clock,
    ids,
    log,
    onChange: (offer, from) => {
      feedback.note(factOf(offer));
      pushes.changed(viewOf(offer), from);
    },
    onWritten: learned.note,
    onFound: (offer) => {
      const fact = factOf(offer);
      feedback.note(fact);
      cooldown.note({ ...fact, atMs: fact.createdAtMs });
    },
    onRemoved: (gone) => {
      turns.withdraw(gone);
      pushes.withdraw(gone);
    },
  });
  const cooldown = createCooldown(config);
  const feedback = feedbackOf([]);
  const decisions = createDecisions();
  const turnCounter = createTurnCounter({ ...deps.turnCounts, clock, log });
  const lanes = createLanes({ clock, log });
  const clientTurns = createClientTurns(clock);
  const begun = createBegun();
  const reactor = createReactor({
    checks,
    clock,
    ids,
    config,
    prefix: deps.prefix,
    runner,
    book,
    cooldown,
    feedback,
    learned,
    decisions,
  });
  const pushes = createPushes({
    windowMs: () => config().cooldown.batch_window_ms,
    onDelivered: ({ id }) => change(id, 'shown', 'stream'),
    onError: (error) => log.warn({ error: messageOf(error) }, 'an offer could not be pushed'),
  });
  const uses = createUses({ book, change, isShowing: (id) => turns.isShowing(id) });
  const successes = createSuccesses({
    ...{ book, change, clock, log, detectors: asked },
    isShowing: (id) => turns.isShowing(id),
  });
  const stillTrue = createStillTrue({
    checks,
    clock,
    log,
    detectors: asked,
    changed: (id) => change(id, 'expired', 'its memory has changed'),
  });
  const stillStanding = createStillStanding({
    context,
    log,
    ended: (id, reason) => change(id, 'expired', reason),
  });
  const turns = createTurns({
    log,
    detect: async (message) => {
      const occasion = occasionOf(message);
      const begins = beginsSession(message);
      const { failed } = await reactTo(routeMessage(message, begins), occasion, {
        type: 'message',
        subject: message.text.slice(0, 200),
        target: targetOf(occasion),
      });
      // What went wrong is tried again with the next message.
      if (begins && !failed.includes('sessionStart')) begun.note(message);
    },
    open: (roomId) => {
      const nowMs = clock.now();
      return book
        .open({ roomId })
        .filter(({ data }) => isStandingWarning(data) || isFresh(data, nowMs));
    },
    stillTrue,
    remaining: (offers) => book.remaining(offers),
    view: viewOf,
    shown: (id) => change(id, 'shown', 'turn'),
    passed: (id) => change(id, 'expired', 'no room'),
    turned: () => turnCounter.count(),
  });
  /** Offers of before the start, with what came of them. Nothing is said before it is known. */
  const loaded = Promise.all([book.load(), learned.load()]).then(() => undefined);
  const lateStarts = createLateStarts({
    ...{ book, clock, log, loaded, stillTrue, track: lanes.track },
    budgetMs: deps.turnBudgetMs,
    size: async () => (await checks.lookUp()).shelf.size,
    async begin(occasion) {
      const start = { type: 'session_start', ...occasion } as const;
      const { failed } = await reactTo(route(start, config()), occasion, summaryOf(start));
      return !failed.includes('sessionStart');
    },
  });
  const warm = (): void =>
    lanes.track(
      loaded.then(() => (enabled() ? warmUp(detectors, config(), clock.now()) : undefined)),
    );
  let warming: NodeJS.Timeout | undefined;
  if (deps.warmUpAfterMs === undefined) warm();
  else warming = setTimeout(warm, deps.warmUpAfterMs).unref();
  const keeper = createKeeper({ book, learned, clock, log, shared: deps.shared ?? false });
  const clients = createClients({
    ...{ book, clock, log, enabled, loaded, stillTrue, stillStanding },
    budgetMs: deps.turnBudgetMs,
    react: reactOrRefuse,
    shown: (id, how) => change(id, 'shown', how),
    answer: (to, { offerId, reason }, by) => answer(offerId, to, by, { reason }),
  });

  async function reactTo(
    evaluations: readonly Evaluation[],
    occasion: Occasion,
    happening: HappeningSummary,
  ): Promise<Outcome> {
    if (!enabled()) return { ...NOTHING, degraded: [OFF] };
    const outcome = await lanes.pass(happening.type, async () => {
      await loaded;
      // What another process did has to be known before anything is said.
      if (deps.shared === true) await keeper.look();
      else lanes.track(keeper.look());
      return reactor.react(callsOf(asked, evaluations, occasion), occasion, happening);
    });
    if (outcome === null) {
      return { ...NOTHING, degraded: [FLOODED], failed: [...DETECTOR_NAMES] };
    }
    pushes.offered(outcome.offers.map(viewOf));
    return outcome;
  }

  async function react(
    happening: Happening,
    wanted: Answered = true,
    mayBegin = false,
  ): Promise<Reaction> {
    const { type } = happening;
    const occasion = occasionIn(happening);
    const target = targetOf(occasion);
    if (enabled() && target.roomId === undefined && clientTurns.begins(target)) turnCounter.count();
    if (happening.type === 'file_touch') uses.ofFiles(target, [happening.filePath]);
    if (type === 'action_completed' && happening.success && enabled()) {
      await loaded;
      await successes.ofAction(target, happening.action, callerOf(occasion));
    }
    const outcome = await reactTo(route(happening, config()), occasion, summaryOf(happening));
    if (type === 'session_start') lateStarts.began(occasion);
    const ready = mayBegin ? await lateStarts.ready(occasion) : new Set<Uuid>();
    // Who gives a room is answered in its next turn; a plan cannot wait.
    const answers = target.roomId === undefined || type === 'action_planned';
    const answered = answers && (typeof wanted === 'boolean' ? wanted : await wanted());
    // What was forgotten while somebody was waited for is not said.
    const offers = book.remaining([...outcome.offers, ...lateStarts.untold(occasion, ready)]);
    const standing = book.remaining(outcome.standing);
    const shown = answered ? (id: Uuid) => change(id, 'shown', 'answer') : null;
    const reply = replyOf({ offers, standing }, occasion, shown);
    const degraded = [...elsewhere(occasion, checks), ...outcome.degraded];
    return { ...reply, suppressed: outcome.suppressed, degraded };
  }

  /** @throws AppError LIMIT_REACHED */
  async function reactOrRefuse(
    happening: Happening,
    wanted?: Answered,
    mayBegin?: boolean,
  ): Promise<Reaction> {
    const reaction = await react(happening, wanted, mayBegin);
    if (!reaction.degraded.includes(FLOODED)) return reaction;
    throw new AppError('LIMIT_REACHED', `${FLOODED}; try again in a moment`);
  }

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
    const whose = { by: nameOf(caller), sessions: sessionsOf(caller) };
    const details = { atMs: clock.now(), ...whose, ...said };
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
    return book.remaining(await stillStanding(open, reader)).map(viewOf);
  }

  function beginsSession({ scheduled, sessionId, roomId }: TurnMessage): boolean {
    return scheduled !== true && sessionId !== undefined && !begun.has({ roomId, sessionId });
  }

  function routeMessage(message: TurnMessage, newSession: boolean): Evaluation[] {
    const { text } = message;
    return route({ type: 'message', text, files: filesHeard(message), newSession }, config());
  }

  return {
    detectors,
    onFileTouch: async (input) => react(told(input, 'file_touch', 'filePath')),
    onIntentStated: async (input) => react(told(input, 'intent_stated', 'intent')),
    onTaskStart: async (input) => react(told(input, 'task_start', 'task')),
    onActionPlanned: async (input) => react(told(input, 'action_planned', 'action')),
    onActionCompleted: async (input) => react(told(input, 'action_completed', 'action')),
    onSessionStart: async (input) => react(told(input, 'session_start', 'sessionId')),
    async happen(input, caller, { answered, speakerId, mayBegin } = {}) {
      return reactOrRefuse({ ...readHappening(input), caller, speakerId }, answered, mayBegin);
    },

    async offersForTurn(message, budgetMs = deps.turnBudgetMs ?? BUDGET_MS) {
      if (!enabled()) return { offers: [], text: '', tokens: 0 };
      pushes.flush();
      return turns.offers(message, budgetMs);
    },
    turnEnded: (turn) => turns.ended(turn),
    gave: ({ roomId, ids }) => successes.gave({ roomId }, ids),
    concerns({ text, attachments, byAgent = false }) {
      if (filesHeard({ text, attachments }).length > 0) return true;
      return byAgent ? announcedIn(text) !== '' : saysSomething(text);
    },
    onAgentActivity({ roomId, caller, sessionId, text, files }) {
      if (!enabled()) return;
      uses.ofCitations(roomId, citedIn(text));
      const named = [...new Set([...files, ...filesHeard({ text })])];
      uses.ofFiles({ roomId }, named);
      const announced = announcedIn(text);
      if (named.length === 0 && announced === '') return;
      const routed: MessageHappening = {
        ...{ type: 'message', text: announced, files: named, newSession: false, by: 'agent' },
      };
      const occasion = occasionOf({ roomId, caller, sessionId });
      const work = reactTo(route(routed, config()), occasion, {
        type: 'agent',
        subject: text.slice(0, 200),
        target: targetOf(occasion),
      }).then(
        () => undefined,
        (error: unknown) => {
          log.warn({ error: messageOf(error) }, 'what the agent said could not be looked into');
        },
      );
      lanes.track(work);
    },

    clients,
    async list(filter, caller) {
      await loaded;
      pushes.flush();
      const page = await book.list(filter, readerOf(caller));
      const offers = page.offers.map((offer) => {
        const delivers = filter.deliver === true && offer.data.target.roomId === undefined;
        return viewOf((delivers ? change(offer.id, 'shown', 'list') : null) ?? offer);
      });
      return { offers, total: page.total, nextCursor: page.nextCursor };
    },
    get: async (id, caller) => {
      await loaded;
      return viewOf(await book.get(id, readerOf(caller)));
    },
    acknowledge: (id, caller, reason) => answer(id, 'acknowledged', caller, { reason }),
    dismiss: (id, caller, reason) => answer(id, 'dismissed', caller, { reason }),
    used: (id, caller, how) => answer(id, 'used', caller, { how: how ?? 'said so' }),
    openWarnings: (roomId, caller) =>
      openIn(roomId, caller, ({ kind }) => kind === 'conflictWarning'),
    openOffers: (roomId, caller) => openIn(roomId, caller, () => true),

    async stats(range = {}) {
      await loaded;
      const untilMs = range.untilMs ?? clock.now() + 1;
      const sinceMs = range.sinceMs ?? untilMs - STATS_DAYS * DAY_MS;
      if (sinceMs >= untilMs) {
        throw new InvalidInputError([{ field: 'before', message: 'must be later than since' }]);
      }
      book.expire(clock.now());
      const measured = createMeasure({ sinceMs, untilMs });
      for await (const page of book.since(sinceMs)) {
        for (const { data } of page) measured.add(data);
      }
      return { ...measured.result(await turnCounter.counts()), learned: learned.numbers() };
    },
    async resetLearned(kind) {
      await loaded;
      await learned.reset(kind);
      return { learned: learned.numbers() };
    },
    health: () =>
      healthOf({
        enabled: enabled(),
        config: config(),
        counts: runner.counts(),
        catalog: checks.store.catalog.status().state,
        open: book.counts(),
        dropped: lanes.dropped(),
        subscribers: pushes.size(),
        problems: [...(enabled() ? [] : [OFF]), ...book.problems()],
      }),
    decisions: (limit) => decisions.list(limit),
    subscribe: (listener, options) => pushes.subscribe(listener, options),
    observer: createSourceObserver({
      ...{ book, feedback, decisions, uses, loaded, enabled, log },
      changed: (offers) => lanes.track(stillStanding(offers, { kind: 'agent' })),
    }),
    async settled() {
      await loaded;
      await turns.settled();
      await lanes.settled();
      pushes.flush();
      await book.settled();
      await learned.settled();
    },
    async stop() {
      clearTimeout(warming);
      // A database that hangs must not keep the agent from ending.
      const settled = this.settled().catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'offers were stopped before all was settled');
      });
      await withTimeout(settled, STOP_MS);
      pushes.stop();
      await turnCounter.stop();
      await book.stop();
      await learned.settled();
    },
  };
}
