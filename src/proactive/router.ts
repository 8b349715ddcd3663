/** Which detectors look at what happened, and with what (seed: "Trigger Router"). */
import type { ProactiveConfig } from './config.js';
import type { DetectorCall } from './detector-runner.js';
import { createConflictWarning } from './detectors/conflict-warning.js';
import type { DetectorContext } from './detectors/detection.js';
import { createFileTouch } from './detectors/file-touch.js';
import { createIntentMatch } from './detectors/intent-match.js';
import { createPatternRecognition } from './detectors/pattern-recognition.js';
import { createPropose } from './detectors/proposals.js';
import { createSessionStart } from './detectors/session-start.js';
import { filesIn, type Moment, momentOf } from './gate/features.js';
import type { HintMomentKind } from './gate/hint-gate.js';
import { compose } from './text/composer.js';
import type {
  ActionPlanned,
  Detector,
  Detectors,
  EventContext,
  FileTouched,
  IntentStated,
  ProactiveEvent,
  SessionStarted,
  SlotDetectors,
  SlotInput,
  TaskStarted,
} from './types.js';

/** Words of a conversation, with the files that are named or attached. */
export interface ConversationEvent {
  type: 'message';
  text: string;
  files: readonly string[];
  /** Whether a session begins with it. */
  newSession: boolean;
  /** The agent itself says that it will do this. */
  by?: 'agent' | undefined;
}

/** Who it happens to, and where, is added when the detector is called. */
export type Evaluation =
  | { detector: 'conflictWarning'; input: ActionPlanned }
  | { detector: 'fileTouch'; input: FileTouched }
  | { detector: 'intentMatch'; input: IntentStated }
  | { detector: 'hintMatch' | 'whenMatch'; input: SlotInput }
  | { detector: 'patternRecognition'; input: TaskStarted }
  | { detector: 'sessionStart'; input: SessionStarted };

/** Files of one event whose history is looked up. */
const MAX_FILES = 5;
const MAX_SLOT_CHARS = 2_000;
const MAX_SUBJECT_CHARS = 200;

/**
 * What is to be evaluated, in the order of priority; detectors that are switched off are left out. A
 * file's operation changes nothing: reading is how most work begins.
 */
export function route(
  event: ProactiveEvent | ConversationEvent,
  config: ProactiveConfig,
): Evaluation[] {
  return evaluationsOf(event).filter(({ detector }) => config[detector].enabled);
}

function evaluationsOf(event: ProactiveEvent | ConversationEvent): Evaluation[] {
  switch (event.type) {
    case 'file_touch': {
      const { filePath, operation } = event;
      return [...touches([filePath], operation), ...slots('', [filePath])];
    }
    case 'intent_stated': {
      const { type, intent, files } = event;
      return ofMoment(momentOf(type, intent, filesIn(intent, files)), 'stated');
    }
    case 'task_start': {
      const { type, task, files, taskType, tags } = event;
      return ofMoment(momentOf(type, task, filesIn(task, files), { taskType, tags }), 'stated');
    }
    case 'action_planned': {
      const { type, action, filePath } = event;
      const files = filePath === undefined ? filesIn(action) : [filePath];
      return ofMoment(momentOf(type, action, files), 'planned');
    }
    case 'action_completed': {
      const { action, error = '', success, filePath } = event;
      // What went well is no reason to speak.
      if (success) return [];
      const files = filePath === undefined ? filesIn(`${action}\n${error}`) : [filePath];
      const input: SlotInput = {
        text: action.slice(0, MAX_SLOT_CHARS),
        error: error.slice(0, MAX_SLOT_CHARS),
        files: files.slice(0, MAX_FILES),
        kind: 'failed',
      };
      return [{ detector: 'hintMatch', input }];
    }
    case 'session_start':
      return [{ detector: 'sessionStart', input: {} }];
    case 'message': {
      const { text, files, newSession, by } = event;
      const all = ofMoment(momentOf(by ?? 'message', text, files), by ? 'stated' : 'message');
      return newSession ? [...all, { detector: 'sessionStart', input: {} }] : all;
    }
  }
}

function ofMoment(moment: Moment, words: HintMomentKind): Evaluation[] {
  const { text, files } = moment;
  if (text === '') return [...touches(files), ...slots(text, files, words)];
  return [
    { detector: 'conflictWarning', input: { action: text, moment } },
    ...touches(files),
    { detector: 'intentMatch', input: { intent: text, moment } },
    ...slots(text, files, words),
    { detector: 'patternRecognition', input: { task: text, moment } },
  ];
}

function touches(files: readonly string[], operation?: FileTouched['operation']): Evaluation[] {
  return [...new Set(files)].slice(0, MAX_FILES).map((filePath) => ({
    detector: 'fileTouch',
    input: { filePath, operation },
  }));
}

function slots(
  words: string,
  files: readonly string[],
  kind: HintMomentKind = 'message',
): Evaluation[] {
  const text = words.trim().slice(0, MAX_SLOT_CHARS);
  if (text === '' && files.length === 0) return [];
  const input = { text, files: [...new Set(files)].slice(0, MAX_FILES), kind };
  const when: Evaluation = { detector: 'whenMatch', input };
  return text === '' ? [when] : [{ detector: 'hintMatch', input }, when];
}

/** Those that look at work memory; the three that the gate decides share their look at a moment. */
export function createDetectors(context: DetectorContext): Detectors {
  const propose = createPropose(context);
  return {
    fileTouch: createFileTouch(context),
    intentMatch: createIntentMatch(context, propose),
    conflictWarning: createConflictWarning(context, propose),
    patternRecognition: createPatternRecognition(context, propose),
    sessionStart: createSessionStart(context),
  };
}

export function callsOf(
  detectors: Detectors & SlotDetectors,
  evaluations: readonly Evaluation[],
  eventContext: EventContext,
): DetectorCall[] {
  return evaluations.flatMap(({ detector: name, input }) => {
    // Each evaluation holds the input of its detector.
    const detector = detectors[name] as Detector<EventContext> | undefined;
    if (!detector) return [];
    const said = Object.values(input).flat();
    const subject = said.find((value) => typeof value === 'string' && value !== '') ?? '';
    return {
      detector: name,
      subject: subject.slice(0, MAX_SUBJECT_CHARS),
      run: () => detector.evaluate({ ...eventContext, ...input }),
    };
  });
}

/**
 * Code that has never run takes several times as long, and the first message of a person must not
 * come too late for that. Asks every detector of work memory once; nothing comes of it.
 */
export async function warmUp(
  detectors: Detectors,
  config: ProactiveConfig,
  nowMs: number,
): Promise<void> {
  const text = 'Please add caching to src/warm-up.ts and fix the failing build';
  const message = { type: 'message', text, files: ['src/warm-up.ts'], newSession: true } as const;
  await Promise.allSettled(callsOf(detectors, route(message, config), {}).map(({ run }) => run()));
  // The tokenizer reads its table at its first text, which takes longest of all.
  compose({ kind: 'intentMatch', intent: 'warm', memories: [] }, { nowMs, prefix: 'RUM' });
}
