/**
 * What is worth keeping of a finished run, without a model: the request is the goal, the actions
 * and their results are what was done. Chat, greetings and our own look-ups leave nothing. Pure.
 */
import type { MemoryDraftInput, TaskType } from './schema.js';

export interface FinishedAction {
  /** Name of the Eliza action. */
  name: string;
  success: boolean;
  text?: string | undefined;
  error?: string | undefined;
  /** What the action returned; files and commands in it are kept. */
  data?: Record<string, unknown> | undefined;
  /** `false`: it looked something up or arranged something, which is kept elsewhere or nowhere. */
  isWork?: boolean | undefined;
}

export interface FinishedRun {
  /** The message that started the run; one message is one memory. */
  messageId: string;
  /** What was asked. */
  text: string;
  actions: readonly FinishedAction[];
  /** What the agent answered. */
  answer?: string | undefined;
  /** Why it chose so, as the host's plan says. */
  thought?: string | undefined;
}

export interface Captured {
  draft: MemoryDraftInput;
  /** Equal for the same work done again. */
  content: string;
}

/** The host's own actions that talk, stay silent or arrange the conversation; they carry no flag. */
const HOST_TALK = new Set(
  [
    'REPLY',
    'NONE',
    'IGNORE',
    'STOP',
    'CONTINUE',
    'FOLLOW_ROOM',
    'UNFOLLOW_ROOM',
    'MUTE_ROOM',
    'UNMUTE_ROOM',
    'CHOOSE_OPTION',
  ].map(plain),
);

const GREETING =
  /^(?:hi|hello|hey|hallo|yo|good (?:morning|afternoon|evening|night)|thanks?(?: you)?|thx|ok(?:ay)?|cool|great|nice|bye|see you|how are you)\b[\s\w,]{0,20}[!.?]*$/i;

const GOAL_CHARS = 500;
const TEXT_CHARS = 1_000;
const MAX_ACTIONS = 20;
/** Of each text of a run; far more than is kept of it. */
const READ_CHARS = 20_000;
/** Where actions say in their data what they worked on. */
const FILE_FIELDS = ['file', 'filePath', 'file_path', 'path'];
const COMMAND_FIELDS = ['command'];

/** First match wins; the words are those that people begin such a request with. */
const TASK_WORDS: readonly [RegExp, TaskType][] = [
  [/\b(?:vulnerab|cve-|xss|csrf|sql injection|security)/i, 'security_fix'],
  [/\b(?:fix|bug|broken|crash|repair|regression)/i, 'bug_fix'],
  [/\b(?:refactor|clean ?up|rename|extract|simplif)/i, 'refactor'],
  [/\b(?:(?:write|add|extend)\b.*\btests?\b|coverage)/i, 'test_write'],
  [/\b(?:document|readme|changelog|docs?\b)/i, 'documentation'],
  [
    /\b(?:upgrade|bump|(?:update|install)\b.*\b(?:dependenc|package|version))/i,
    'dependency_update',
  ],
  [/\b(?:optimi[sz]e|speed ?up|faster|performance|slow)/i, 'optimization'],
  [/\b(?:configure|config|settings?|set ?up|environment variable)/i, 'configuration'],
  [/\b(?:investigate|debug|find out|why|analy[sz]e|look into)\b/i, 'investigation'],
  [/\b(?:add|implement|build|create|support)\b/i, 'feature_add'],
];

/**
 * The texts of a run that a capture may use, bounded but not yet shortened: secrets are looked for
 * in these, and a secret cut in half would not be recognized.
 */
export function essenceOf(run: FinishedRun): Omit<FinishedRun, 'messageId'> {
  const cut = (text: string) => text.slice(0, READ_CHARS);
  return {
    text: cut(run.text),
    ...(run.answer === undefined ? {} : { answer: cut(run.answer) }),
    ...(run.thought === undefined ? {} : { thought: cut(run.thought) }),
    actions: run.actions.map(({ name, success, text, error, data = {}, isWork }) => ({
      name,
      success,
      ...(isWork === undefined ? {} : { isWork }),
      ...(text === undefined ? {} : { text: cut(text) }),
      ...(error === undefined ? {} : { error: cut(error) }),
      data: Object.fromEntries(
        [...FILE_FIELDS, ...COMMAND_FIELDS].flatMap((key) => {
          const value = data[key];
          return typeof value === 'string' ? [[key, cut(value)]] : [];
        }),
      ),
    })),
  };
}

/** `null`: nothing that a later turn could use. */
export function captureDraft(run: FinishedRun): Captured | null {
  const work = run.actions
    .filter(({ name, isWork }) => isWork !== false && !HOST_TALK.has(plain(name)))
    .slice(0, MAX_ACTIONS);
  const asked = shortened(run.text, GOAL_CHARS);
  if (work.length === 0 || asked === '' || GREETING.test(asked)) return null;
  const failed = work.find(({ success }) => !success);
  const said = failed ? (failed.error ?? failed.text) : work.findLast(({ text }) => text)?.text;
  const summary = shortened(said ?? run.answer ?? '', TEXT_CHARS);
  const names = work.map(({ name }) => name);
  const draft: MemoryDraftInput = {
    intent: { goal: asked, task_type: taskTypeOf(asked) },
    ...(run.thought ? { reasoning: { approach_chosen: shortened(run.thought, TEXT_CHARS) } } : {}),
    actions: work.map(actionOf),
    outcome: {
      success: failed === undefined,
      summary: summary || `${failed ? 'Failed' : 'Did'}: ${names.join(', ')}`,
      ...(failed ? { failure_reason: summary || `${failed.name} failed` } : {}),
    },
  };
  const content = [asked.toLowerCase(), names.join(','), failed ? 'failed' : 'done'].join('|');
  return { draft, content };
}

/** The kind of work a request asks for, by its words. */
export function taskTypeOf(text: string): TaskType {
  return TASK_WORDS.find(([words]) => words.test(text))?.[1] ?? 'other';
}

function actionOf(action: FinishedAction): NonNullable<MemoryDraftInput['actions']>[number] {
  const data = action.data ?? {};
  const file = textOf(data, FILE_FIELDS);
  const command = textOf(data, COMMAND_FIELDS);
  const said = shortened(action.text ?? '', TEXT_CHARS);
  const error = shortened(action.error ?? '', TEXT_CHARS);
  return {
    type: command ? 'command_run' : file ? fileTypeOf(action.name) : 'external_query',
    details: {
      ...(command ? { command } : {}),
      ...(file ? { file_path: file } : {}),
      ...(command || file ? {} : { query: action.name }),
    },
    result: {
      success: action.success,
      ...(said ? { output_summary: said } : {}),
      ...(error ? { error } : {}),
    },
  };
}

function fileTypeOf(name: string): 'file_read' | 'file_create' | 'file_delete' | 'file_edit' {
  if (/delete|remove/i.test(name)) return 'file_delete';
  if (/create|new/i.test(name)) return 'file_create';
  return /read|open|show|view|list/i.test(name) ? 'file_read' : 'file_edit';
}

/** A path that cannot be one of ours must not lose the whole capture. */
function textOf(data: Record<string, unknown>, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = data[key];
    if (
      typeof value === 'string' &&
      value.trim() !== '' &&
      !/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(value)
    )
      return shortened(value, TEXT_CHARS);
  }
  return null;
}

function shortened(text: string, chars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= chars) return line;
  return `${line.slice(0, chars - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The host reads names without case and underscores. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
