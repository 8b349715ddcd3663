/**
 * The words of the module (DESIGN §1, §8; seed `rum-triggers.md`). An event comes in, the router picks
 * detectors, each says in a detection what it found, pipeline and cooldown decide what is said, the
 * composer writes it, and what is shown in the end is an offer with a life (`offers/offer.ts`).
 */
import type { Caller, WorkMemoryData } from '../memory/index.js';
import type { Scope, StoredRecord } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import type { Moment } from './gate/features.js';
import type { HintMomentKind } from './gate/hint-gate.js';

/** Detectors in the order of their priority: warnings > files > intents > hints > when > … */
export const DETECTOR_NAMES = [
  'conflictWarning',
  'fileTouch',
  'intentMatch',
  'hintMatch',
  'whenMatch',
  'patternRecognition',
  'sessionStart',
] as const;
export type DetectorName = (typeof DETECTOR_NAMES)[number];

/** Most tokens (o200k_base) of one offer of each kind; a text stays strictly below. */
export const TOKEN_LIMITS: Readonly<Record<DetectorName, number>> = {
  conflictWarning: 100,
  fileTouch: 60,
  intentMatch: 80,
  hintMatch: 60,
  whenMatch: 60,
  patternRecognition: 80,
  sessionStart: 100,
};
/** Of all offers that are shown together; warnings are never cut, whatever that makes. */
export const COMBINED_LIMIT = 200;

/** Where an offer is shown: a conversation, a client's session, an agent, or anyone who asks. */
export interface OfferTarget {
  roomId?: Uuid | undefined;
  sessionId?: string | undefined;
  /** The agent that acts: an Eliza agent's id, a registered identity, or any name of a client. */
  agentId?: string | undefined;
}

/** Who something happens to, and where. All of it optional: absent, it is an agent of the project. */
export interface EventContext extends OfferTarget {
  /** Another project than the one served is never answered. Absent: the one served. */
  projectId?: string | undefined;
  /** The working folder, absolute, of who says so; absent: not known. */
  cwd?: string | undefined;
  /** Of that folder: the repository, as an address, and the branch that is out. */
  repo?: string | undefined;
  branch?: string | undefined;
  /** What may be read. Absent: what is open to the project (an agent that speaks for nobody). */
  caller?: Caller | undefined;
  /** Whose words these are, also in company where the caller is nobody: theirs to have forgotten. */
  speakerId?: Uuid | undefined;
}

export interface FileTouched extends EventContext {
  filePath: string;
  operation?: 'read' | 'open' | 'edit' | 'create' | 'delete' | undefined;
}
/** Detectors that are asked about one thing that was said share their look at it. */
interface Shared extends EventContext {
  moment?: Moment | undefined;
}
export interface IntentStated extends Shared {
  intent: string;
  /** Files that the intent is about. */
  files?: readonly string[] | undefined;
}
export interface TaskStarted extends Shared {
  task: string;
  /** A task type of work memory; absent: read from the wording. */
  taskType?: string | undefined;
  files?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
}
export interface ActionPlanned extends Shared {
  /** What is about to be done, in words or as a command. */
  action: string;
  filePath?: string | undefined;
}
export interface ActionCompleted extends EventContext {
  /** What was done, in words or as a command. */
  action: string;
  success: boolean;
  /** Why it failed. */
  error?: string | undefined;
  filePath?: string | undefined;
}
export type SessionStarted = EventContext;

/** What can happen, by its name on the wire (`POST /cue/events`, `CUE_FILE_TOUCH` …). */
export type ProactiveEvent =
  | ({ type: 'file_touch' } & FileTouched)
  | ({ type: 'intent_stated' } & IntentStated)
  | ({ type: 'task_start' } & TaskStarted)
  | ({ type: 'action_planned' } & ActionPlanned)
  | ({ type: 'action_completed' } & ActionCompleted)
  | ({ type: 'session_start' } & SessionStarted);
export type ProactiveEventType = ProactiveEvent['type'];
/** What is told of one. */
export type EventInput<Type extends ProactiveEventType> = Omit<
  Extract<ProactiveEvent, { type: Type }>,
  'type'
>;

/** An event as the operator sees it. */
export interface EventSummary {
  /** `message`: what a person wrote; `agent`: what the agent said or did. */
  type: ProactiveEventType | 'message' | 'agent';
  subject: string;
  target: OfferTarget;
}

/** What a detector of another module is asked: words of the moment, and the files in them. */
export interface SlotInput extends EventContext {
  /** '' where files are only touched. */
  text: string;
  files: readonly string[];
  /** What the words are; absent: a message. */
  kind?: HintMomentKind | undefined;
  /** Why it failed. */
  error?: string | undefined;
}

/** A client of its own, known by its connection. */
export type ClientCaller = Extract<Caller, { kind: 'agent' }>;

/** What a detector has noticed, whether or not anything comes of it. */
export interface Cue {
  kind: DetectorName;
  /** What it is about: the path, the intent, the planned action, the pattern's name, the session. */
  subject: string;
  /** 0 to 1: how sure the detector is; 0 when it found nothing. */
  strength: number;
  /** In words, for `why`. */
  evidence: string[];
  timeMs: number;
}

/** What an offer can show: a work memory, or a record of another module (a `/when` entry, a hint). */
export interface Shown {
  id: Uuid;
  /** What asks for it, as printed: `mem_…`, `/when writing mock tests`. */
  memoryId: string;
  /** Another number whenever what is shown of it has changed. */
  revision: number;
  /** 0 to 1, comparable within one detection. */
  score: number;
  /** In words: "file src/auth.ts", "action 0.82 alike". */
  reasons: string[];
  /** Who may read it. */
  scope: Scope;
  /** Who works on one of them after it was shown has acted upon it. */
  files: readonly string[];
}

/** A memory fetched for a cue. */
export interface Candidate extends Shown {
  createdAtMs: number;
  /** Name of who made it. */
  author: string;
  record: StoredRecord<WorkMemoryData>;
}

/** A `/when` entry; `memoryId` is its command, which can be typed as it stands. */
export interface ShownEntry extends Shown {
  /** Title of the section that the command recalls. */
  header: string;
  description: string;
}

/** A hint; `memoryId` is its `component/key`. */
export interface ShownHint extends Shown {
  /** What is run or gone to as it stands; absent: it has to be asked for. */
  value?: string;
}

/** A candidate that is not shown, and why: "dismissed 2 times", "already in the warning". */
export interface Suppressed {
  memoryId: string;
  detector: DetectorName;
  reason: string;
}

export interface UnfinishedWork {
  candidate: Candidate;
  /** What is left to do: the follow-up, else the goal. */
  what: string;
  /** Goal or summary of what it waits for; absent: nothing. */
  blockedBy?: string;
  /** The memory that `blockedBy` quotes; absent where the text is of the candidate itself. */
  blocker?: Candidate;
  /** The last attempt failed, for this reason. */
  failedBecause?: string;
}

/** What there is to say, before it is text: the composer can write it with fewer memories, too. */
export type OfferContent =
  | {
      kind: 'fileTouch';
      /** As it was touched, normalized. */
      file: string;
      /** Readable memories of the file within the age limit, shown or not, and the failed ones. */
      total: number;
      failed: number;
      memories: Candidate[];
    }
  | { kind: 'intentMatch'; intent: string; memories: Candidate[] }
  | { kind: 'conflictWarning'; action: string; memories: Candidate[] }
  | {
      kind: 'patternRecognition';
      /** As `recall("pattern:api_endpoint")` takes it. */
      pattern: string;
      /** For people: "API endpoint addition". */
      title: string;
      occurrences: number;
      /** Each with the learning that is worth showing, if it has one. */
      memories: (Candidate & { learning?: string })[];
    }
  | {
      kind: 'sessionStart';
      lastSession: { atMs: number; author: string; sessionId: string } | null;
      unfinished: UnfinishedWork[];
      learnings: { candidate: Candidate; text: string }[];
    }
  | { kind: 'hintMatch'; subject: string; memories: ShownHint[] }
  | {
      kind: 'whenMatch';
      /** The words of the moment; a path where `isFile`. */
      subject: string;
      isFile: boolean;
      memories: ShownEntry[];
    };

/** The answer of a detector (the seed's call, and what came of it). */
export interface Detection {
  shouldNotify: boolean;
  /** What its text shows, best first. */
  memories: Shown[];
  /** Tokens of `text`: 0 when there is nothing to say, else strictly below the limit of its kind. */
  tokenEstimate: number;
  cue: Cue;
  text: string;
  /** `null` when there is nothing to say. */
  content: OfferContent | null;
  suppressed: Suppressed[];
  /** What made the answer worse than it could be: "the search index is loading …". */
  degraded?: string;
}

export interface Detector<Input extends EventContext> {
  readonly name: DetectorName;
  /** Reads only; changes no state, counts nothing, and may be called as often as one likes. */
  evaluate(input: Input): Promise<Detection>;
  /**
   * Where what it shows is no work memory: the present revisions of those that still are, so that an
   * offer which waits is not shown when it is no longer true. `null`: that cannot be said now.
   */
  revisions?(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, number> | null>;
  /**
   * Something was done and went well: whether this source helped with it, which its module counts then.
   * @throws what its module throws: nothing was counted
   */
  succeeded?(id: Uuid, done: { action: string; caller: Caller }): Promise<boolean>;
}

/** Those that look at work memory. */
export interface Detectors {
  fileTouch: Detector<FileTouched>;
  intentMatch: Detector<IntentStated>;
  conflictWarning: Detector<ActionPlanned>;
  patternRecognition: Detector<TaskStarted>;
  sessionStart: Detector<SessionStarted>;
}

/** Those that look into other modules; absent: nothing of the kind is looked for. */
export interface SlotDetectors {
  hintMatch?: Detector<SlotInput>;
  whenMatch?: Detector<SlotInput>;
}
