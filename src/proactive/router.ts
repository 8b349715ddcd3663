/** Which detectors look at what happened, and with what (seed: "Trigger Router"). Pure. */
import { pathsIn } from '../shared/path-mentions.js';
import type { ProactiveConfig } from './config.js';
import type { Moment, MomentKind } from './gate/features.js';
import type { HintMomentKind } from './hint-gate.js';
import type {
  ActionCompleted,
  ActionPlanned,
  FileTouched,
  Happening,
  IntentStated,
  Occasion,
  SessionStarted,
  TaskStarted,
} from './types.js';

/** What a detector of another room is asked: words of the moment, and the files in them. */
export interface SlotInput extends Occasion {
  /** '' where files are only touched. */
  text: string;
  files: readonly string[];
  /** What the words are; absent: a message. */
  kind?: HintMomentKind | undefined;
  /** Why it failed. */
  error?: string | undefined;
}

/** Words of a conversation, with the files that are named or attached. */
export interface MessageHappening extends Occasion {
  type: 'message';
  text: string;
  files: readonly string[];
  /** Whether a session begins with it. */
  newSession: boolean;
  /** The agent itself says that it will do this. */
  by?: 'agent' | undefined;
}

export type Evaluation =
  | { detector: 'conflictWarning'; input: ActionPlanned }
  | { detector: 'fileTouch'; input: FileTouched }
  | { detector: 'intentMatch'; input: IntentStated }
  | { detector: 'hintMatch'; input: SlotInput }
  | { detector: 'whenMatch'; input: SlotInput }
  | { detector: 'patternRecognition'; input: TaskStarted }
  | { detector: 'sessionStart'; input: SessionStarted };

/** Files of one happening whose history is looked up. */
const MAX_FILES = 5;
const MAX_SLOT_CHARS = 2_000;

/**
 * What is to be evaluated, in the order of priority; detectors that are switched off are left out. A file's operation changes nothing: reading is how most work begins.
 */
export function route(
  happening: Happening | MessageHappening,
  config: ProactiveConfig,
): Evaluation[] {
  return evaluationsOf(happening).filter(({ detector }) => config[detector].enabled);
}

function evaluationsOf(happening: Happening | MessageHappening): Evaluation[] {
  const occasion = occasionOf(happening);
  switch (happening.type) {
    case 'file_touch': {
      const files = [happening.filePath];
      return [...touches(files, occasion, happening.operation), ...slots('', files, occasion)];
    }
    case 'intent_stated': {
      const files = filesOf(happening.files, happening.intent);
      const moment = momentOf(happening.type, happening.intent, files);
      return [
        ...conflict(moment, occasion),
        ...touches(files, occasion),
        ...intent(moment, occasion),
        ...slots(happening.intent, files, occasion, 'stated'),
        ...pattern(moment, occasion),
      ];
    }
    case 'task_start': {
      const files = filesOf(happening.files, happening.task);
      const { task, taskType, tags } = happening;
      const moment = { ...momentOf(happening.type, task, files), ...given({ taskType, tags }) };
      return [
        ...conflict(moment, occasion),
        ...touches(files, occasion),
        ...intent(moment, occasion),
        ...slots(task, files, occasion, 'stated'),
        ...pattern(moment, occasion),
      ];
    }
    case 'action_planned': {
      const { action, filePath } = happening;
      const files = filePath === undefined ? filesOf([], action) : [filePath];
      const moment = momentOf(happening.type, action, files);
      return [
        ...conflict(moment, occasion),
        ...touches(files, occasion),
        ...intent(moment, occasion),
        ...slots(action, files, occasion, 'planned'),
        ...pattern(moment, occasion),
      ];
    }
    case 'action_completed':
      return ofFailure(happening, occasion);
    case 'session_start':
      return [{ detector: 'sessionStart', input: occasion }];
    case 'message':
      return ofMessage(happening, occasion);
  }
}

function ofMessage(message: MessageHappening, occasion: Occasion): Evaluation[] {
  const { text, files, newSession, by } = message;
  const moment = momentOf(by ?? 'message', text, files);
  // What the agent says is its answer: only what it is about to do wrong is worth a word.
  const asked = by === undefined;
  const evaluations: Evaluation[] = [
    ...conflict(moment, occasion),
    ...touches(files, occasion),
    ...(asked ? intent(moment, occasion) : []),
    ...slots(text, files, occasion, asked ? 'message' : 'stated'),
    ...(asked ? pattern(moment, occasion) : []),
  ];
  if (newSession) evaluations.push({ detector: 'sessionStart', input: occasion });
  return evaluations;
}

function momentOf(kind: MomentKind, text: string, files: readonly string[]): Moment {
  return { kind, text: text.trim(), files: [...new Set(files)] };
}

function conflict(moment: Moment, occasion: Occasion): Evaluation[] {
  if (moment.text === '') return [];
  return [{ detector: 'conflictWarning', input: { ...occasion, action: moment.text, moment } }];
}

function intent(moment: Moment, occasion: Occasion): Evaluation[] {
  if (moment.text === '') return [];
  return [{ detector: 'intentMatch', input: { ...occasion, intent: moment.text, moment } }];
}

function pattern(moment: Moment, occasion: Occasion): Evaluation[] {
  if (moment.text === '') return [];
  return [{ detector: 'patternRecognition', input: { ...occasion, task: moment.text, moment } }];
}

function touches(
  files: readonly string[],
  occasion: Occasion,
  operation?: FileTouched['operation'],
): Evaluation[] {
  return [...new Set(files)].slice(0, MAX_FILES).map((filePath) => ({
    detector: 'fileTouch',
    input: given({ ...occasion, filePath, operation }),
  }));
}

/** What went well is no reason to speak. */
function ofFailure(
  { action, error = '', success, filePath }: ActionCompleted,
  occasion: Occasion,
): Evaluation[] {
  if (success) return [];
  const files = filePath === undefined ? filesOf([], `${action}\n${error}`) : [filePath];
  const input: SlotInput = {
    ...occasion,
    text: action.slice(0, MAX_SLOT_CHARS),
    error: error.slice(0, MAX_SLOT_CHARS),
    files: files.slice(0, MAX_FILES),
    kind: 'failed',
  };
  return [{ detector: 'hintMatch', input }];
}

function slots(
  words: string,
  files: readonly string[],
  occasion: Occasion,
  kind: HintMomentKind = 'message',
): Evaluation[] {
  const text = words.trim().slice(0, MAX_SLOT_CHARS);
  if (text === '' && files.length === 0) return [];
  const input = { ...occasion, text, files: [...new Set(files)].slice(0, MAX_FILES), kind };
  const when: Evaluation = { detector: 'whenMatch', input };
  return text === '' ? [when] : [{ detector: 'hintMatch', input }, when];
}

function filesOf(files: readonly string[] | undefined, text: string): string[] {
  return [...new Set([...(files ?? []), ...pathsIn(text)])];
}

function occasionOf(occasion: Occasion): Occasion {
  const { agentId, projectId, sessionId, roomId, cwd, repo, branch, caller } = occasion;
  return given({ agentId, projectId, sessionId, roomId, cwd, repo, branch, caller });
}

/** Without the fields that are not there. */
function given<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only fields that are optional can be left out.
  return Object.fromEntries(entries) as Fields;
}
