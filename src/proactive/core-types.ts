/** What the room does, as its service and every surface call it. */
import type { Caller } from '../memory/index.js';
import type { Uuid } from '../shared/ids.js';
import type { Answered, Clients } from './clients.js';
import type {
  Decision,
  LearnedNumbers,
  Offer,
  OfferEvent,
  OfferFilter,
  OfferStats,
  ProactiveHealth,
  Reaction,
  TurnMessage,
  TurnOffers,
} from './offer-types.js';
import type { SubscribeOptions } from './pushes.js';
import type {
  ActionCompleted,
  ActionPlanned,
  DetectorName,
  Detectors,
  FileTouched,
  IntentStated,
  SessionStarted,
  TaskStarted,
} from './types.js';

export interface Proactive {
  /** Each alone, as the seed tests them; they change nothing. */
  readonly detectors: Detectors;
  /**
   * Hooks. What a happening leads to is stored as offers; those for a conversation wait for its next
   * turn, the others are answered here, which counts as shown. Input is checked; a text stands for the
   * main field.
   * @throws InvalidInputError; never for what a detector does
   */
  onFileTouch(input: FileTouched | string): Promise<Reaction>;
  onIntentStated(input: IntentStated | string): Promise<Reaction>;
  onTaskStart(input: TaskStarted | string): Promise<Reaction>;
  /** Answers with the warning at once, also for a conversation. */
  onActionPlanned(input: ActionPlanned | string): Promise<Reaction>;
  /**
   * What was done, and whether it went well: a success is the use of hints that were offered or given
   * for it and counts for them, a failure may bring some.
   */
  onActionCompleted(input: ActionCompleted): Promise<Reaction>;
  onSessionStart(input: SessionStarted | string): Promise<Reaction>;
  /**
   * Any of them as data: `{ type, … }`, also `CUE_FILE_TOUCH`; fields in camelCase or snake_case.
   * @throws AppError LIMIT_REACHED when too much happens at once, InvalidInputError
   * `speakerId`: whose words these are, where the caller does not say.
   * `mayBegin`: where nobody has told of the start of its session, this is the start of it, too.
   */
  happen(
    input: unknown,
    caller?: Caller,
    options?: { answered?: Answered; speakerId?: Uuid; mayBegin?: boolean },
  ): Promise<Reaction>;

  /**
   * The safe point of a conversation: what this turn shows. Detects what the message touches, states
   * and starts, waits at most `budgetMs` (30 unless set otherwise), and fixes the answer for the message's id. What is not
   * ready comes next turn. Never throws.
   */
  offersForTurn(message: TurnMessage, budgetMs?: number): Promise<TurnOffers>;
  /** The run of a message has ended: what it showed is shown now. `completed` false: it was not. */
  turnEnded(turn: { messageId: Uuid; roomId: Uuid; completed: boolean }): void;
  /** Whether words of a conversation name a file, state an intent or plan an action. */
  concerns(words: { text: string; attachments?: readonly string[]; byAgent?: boolean }): boolean;
  /** What the agent said or did in a conversation: files it names, memories it cites. */
  onAgentActivity(activity: {
    roomId: Uuid;
    caller: Caller;
    sessionId?: string | undefined;
    text: string;
    files: readonly string[];
  }): void;

  /**
   * Somebody was told sources of offers otherwise (GET_HINT): a success within half an hour counts for
   * them as if they had been offered.
   */
  gave(given: { roomId: Uuid; ids: readonly Uuid[] }): void;

  /** What clients of their own (MCP) ask. */
  readonly clients: Clients;
  list(
    filter: OfferFilter,
    caller: Caller,
  ): Promise<{ offers: Offer[]; total: number; nextCursor: string | null }>;
  /** @throws NotFoundError */
  get(id: string, caller: Caller): Promise<Offer>;
  /** Seen and heeded; the same memory unchanged does not warn again. @throws NotFoundError, AppError CONFLICT for an offer that ended otherwise */
  acknowledge(id: string, caller: Caller, reason?: string): Promise<Offer>;
  /** Not wanted; counts as a false alarm. */
  dismiss(id: string, caller: Caller, reason?: string): Promise<Offer>;
  used(id: string, caller: Caller, how?: string): Promise<Offer>;
  /** Open warnings of a conversation, newest first: what ACKNOWLEDGE_WARNING means. */
  openWarnings(roomId: Uuid, caller: Caller): Promise<Offer[]>;
  /** Offers of a conversation that are pending or were shown, newest first. */
  openOffers(roomId: Uuid, caller: Caller): Promise<Offer[]>;

  stats(range?: {
    sinceMs?: number | undefined;
    untilMs?: number | undefined;
  }): Promise<OfferStats & { learned: LearnedNumbers }>;
  /** Forgets what was learned of a kind, or of all: they are offered as if nothing had been said yet. */
  resetLearned(kind?: DetectorName): Promise<{ learned: LearnedNumbers }>;
  health(): ProactiveHealth;
  /** Newest first, at most 200: also happenings that led to nothing, and why. */
  decisions(limit?: number): Decision[];
  /** After the batch window, most urgent first; `deliver` counts what is pushed as shown, `statesOnly` waits for nothing. */
  subscribe(listener: (event: OfferEvent) => void, options?: SubscribeOptions): () => void;
  /** Resolves when everything so far is detected and stored. For tests and the end. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}
