/**
 * What happens in the host, told to the proactive room: events that any plugin may emit
 * (`CUE_FILE_TOUCH` …), the end of a turn, and what the agent itself says and does. A handler that
 * throws aborts the host's own emitter (ELIZA_GUIDE §4), so none of these does.
 */
import { EventType, type IAgentRuntime } from '@elizaos/core';
import type { Caller } from '../../memory/index.js';
import type { ProactiveService } from '../../proactive/index.js';
import { HOUR_MS } from '../../shared/clock.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { isAgentItself, type Person, personIn } from '../people.js';
import { warn } from './action-frame.js';
import { memoryServiceOf } from './memory-turn.js';
import {
  agentWords,
  expectMessage,
  isFirstTelling,
  isOwn,
  objectOf,
  proactiveServiceOf,
  textOf,
  workEnded,
  workingFor,
} from './proactive-turn.js';
import { hasWhenIndex, whenServiceOf } from './when-turn.js';

type Fields = Record<string, unknown>;
export type EventHandlers = Record<string, ((payload: unknown) => Promise<void>)[]>;

/** Events that other plugins emit; `runtime.emitEvent(name, { …fields, respond? })`. */
export const CUE_EVENTS = [
  'CUE_FILE_TOUCH',
  'CUE_INTENT_STATED',
  'CUE_TASK_START',
  'CUE_ACTION_PLANNED',
  'CUE_ACTION_COMPLETED',
  'CUE_SESSION_START',
] as const;

/** What an event may say, by the names that plugins use; everything else of a payload is the host's. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  filePath: ['filePath', 'file_path', 'file', 'path'],
  operation: ['operation'],
  intent: ['intent'],
  files: ['files'],
  task: ['task'],
  taskType: ['taskType', 'task_type'],
  tags: ['tags'],
  action: ['action', 'command'],
  success: ['success'],
  error: ['error'],
  cwd: ['cwd'],
  repo: ['repo'],
  branch: ['branch'],
  agentId: ['agentId', 'agent_id'],
  projectId: ['projectId', 'project_id'],
  sessionId: ['sessionId', 'session_id'],
  roomId: ['roomId', 'room_id'],
};

const MAX_PATH = 1_024;
/** Characters; four bytes each are still within what a happening may have. */
const MAX_COMMAND = 2_000;
const MAX_ERROR = 1_000;
const MAX_FILES = 20;

/** @param ownActions names of this plugin's actions: talking about memories is no work */
export function eventsOf(ownActions: ReadonlySet<string>): EventHandlers {
  const activity = (files: (content: Fields) => string[], text: (content: Fields) => string) =>
    handler(async (runtime, service, payload) => {
      const content = objectOf(payload.content);
      const roomId = payload.roomId;
      if (!service.enabled() || !isUuid(roomId) || isOwn(content, ownActions)) return;
      tell(runtime, service, roomId, text(content), files(content));
    });
  return {
    ...Object.fromEntries(CUE_EVENTS.map((name) => [name, [handler(happening(name))]])),
    [EventType.RUN_STARTED]: [handler(runStarted)],
    [EventType.RUN_ENDED]: [handler((...run) => runEnded(ownActions, ...run))],
    [EventType.ACTION_STARTED]: [
      activity(
        () => [],
        (content) => textOf(content.thought),
      ),
    ],
    [EventType.ACTION_COMPLETED]: [
      activity(filesOf, () => ''),
      handler((...done) => actionCompleted(ownActions, ...done)),
    ],
  };
}

type Handle = (runtime: IAgentRuntime, service: ProactiveService, payload: Fields) => Promise<void>;

function handler(handle: Handle): (payload: unknown) => Promise<void> {
  return async (payload) => {
    const fields = objectOf(payload);
    const runtime = fields.runtime as IAgentRuntime | undefined;
    try {
      if (runtime === undefined) return;
      const service = proactiveServiceOf(runtime);
      if (service) await handle(runtime, service, fields);
    } catch (error) {
      if (runtime) warn(runtime, error, 'an event could not be looked into');
    }
  };
}

/** Only a planned action is waited for: its warning is worth nothing afterwards. */
function happening(name: (typeof CUE_EVENTS)[number]): Handle {
  return async (runtime, service, payload) => {
    const input = happeningOf(name, payload);
    const person = await personOf(runtime, payload.entityId, input.roomId);
    const answer = [payload.respond, payload.callback].find((one) => typeof one === 'function');
    const how = { answered: answer !== undefined, speakerId: person?.speakerId };
    const reaction = service.happen(input, person?.caller, how);
    if (typeof answer === 'function') await answer(await reaction);
    else if (name === 'CUE_ACTION_PLANNED') await reaction;
    else inBackground(runtime, reaction, 'an event could not be looked into');
  };
}

function happeningOf(name: string, payload: Fields): Fields {
  const said = Object.entries(FIELDS).flatMap(([field, names]) => {
    const value = names.map((one) => payload[one]).find((one) => one !== undefined && one !== null);
    return value === undefined ? [] : [[field, value] as const];
  });
  return { type: name, ...Object.fromEntries(said) };
}

/** `null`: nobody is named, or somebody who is not in the room. */
async function personOf(
  runtime: IAgentRuntime,
  entityId: unknown,
  roomId: unknown,
): Promise<Person | null> {
  const memory = memoryServiceOf(runtime);
  if (!memory || !isUuid(entityId) || !isUuid(roomId)) return null;
  return isAgentItself(runtime, entityId) ? null : personIn(runtime, memory, entityId, roomId);
}

async function runStarted(
  runtime: IAgentRuntime,
  service: ProactiveService,
  { messageId, roomId, entityId }: Fields,
): Promise<void> {
  if (!service.enabled() && !hasWhenIndex(runtime)) return;
  if (!isUuid(messageId) || !isUuid(roomId) || !isUuid(entityId)) return;
  expectMessage(runtime, { messageId, roomId, entityId });
}

/** A turn whose run broke has perhaps reached no model, so that its offers come again. */
async function runEnded(
  ownActions: ReadonlySet<string>,
  runtime: IAgentRuntime,
  service: ProactiveService,
  payload: Fields,
): Promise<void> {
  const { messageId, roomId, status, error, startTime, endTime } = payload;
  if (!isUuid(messageId) || !isUuid(roomId)) return;
  const completed = status === 'completed' && error === undefined;
  service.turnEnded({ messageId, roomId, completed });
  const when = hasWhenIndex(runtime) ? whenServiceOf(runtime) : null;
  when?.turns.ended({ messageId, roomId, completed });
  const caller = workingFor(runtime, roomId);
  if (typeof startTime !== 'number') return;
  const before = workEnded(runtime, roomId, typeof endTime === 'number' ? endTime : startTime);
  if (!completed || !(service.enabled() || when)) return;
  // The answer of a scheduled run is stored after its end, and read with the next one.
  const sinceMs = Math.max(Math.min(before ?? startTime, startTime), startTime - HOUR_MS);
  // Reading it must not hold the turn up.
  const answers = agentWords(runtime, roomId, sinceMs, ownActions);
  const unread = 'the answer of the agent could not be looked into';
  if (service.enabled()) {
    const told = answers.then((texts) => {
      const untold = texts.filter((text) => isFirstTelling(runtime, messageId, text));
      tell(runtime, service, roomId, untold.join('\n'), [], caller);
    });
    inBackground(runtime, told, unread);
  }
  // What it asks for in its own text is answered first thing in its next turn in that room.
  if (when) {
    const words = answers.then((texts) => texts.join('\n'));
    inBackground(runtime, when.turns.agentSaid({ roomId, words, caller }), unread);
  }
}

/** A command that went well may be a hint that helped; one that failed may need another. */
async function actionCompleted(
  ownActions: ReadonlySet<string>,
  runtime: IAgentRuntime,
  service: ProactiveService,
  payload: Fields,
): Promise<void> {
  const content = objectOf(payload.content);
  const { roomId } = payload;
  if (!service.enabled() || !isUuid(roomId) || isOwn(content, ownActions)) return;
  const result = objectOf(content.actionResult);
  const success = result.success !== false && content.actionStatus !== 'failed';
  // `RUN_TESTS` → run tests.
  const [name] = Array.isArray(content.actions) ? content.actions : [];
  const command = textOf(objectOf(result.data).command).trim();
  const named = textOf(name).replaceAll('_', ' ').toLowerCase().trim();
  const action = command || (success ? '' : named);
  if (action === '') return;
  const caller = workingFor(runtime, roomId);
  const { sessionId } = caller;
  const why = result.error instanceof Error ? result.error.message : textOf(result.error);
  const error = success ? '' : (why || textOf(result.text)).slice(0, MAX_ERROR);
  const reaction = service.onActionCompleted({
    ...{ action: action.slice(0, MAX_COMMAND), success, roomId, caller, sessionId },
    ...(error.trim() === '' ? {} : { error }),
  });
  inBackground(runtime, reaction, 'what an action did could not be looked into');
}

function tell(
  runtime: IAgentRuntime,
  service: ProactiveService,
  roomId: Uuid,
  text: string,
  files: string[],
  caller: Caller = workingFor(runtime, roomId),
): void {
  if (text === '' && files.length === 0) return;
  service.onAgentActivity({ roomId, caller, sessionId: caller.sessionId, text, files });
}

/** The files that an action says it has worked on, in the fields actions commonly use for them. */
function filesOf(content: Fields): string[] {
  const data = objectOf(objectOf(content.actionResult).data);
  const named = [data.file, data.filePath, data.file_path, data.path];
  const listed = Array.isArray(data.files) ? data.files : [];
  const paths = [...named, ...listed].filter(
    (path): path is string => typeof path === 'string' && path !== '' && path.length <= MAX_PATH,
  );
  return [...new Set(paths)].slice(0, MAX_FILES);
}

function inBackground(runtime: IAgentRuntime, work: Promise<unknown>, message: string): void {
  work.catch((error: unknown) => warn(runtime, error, message));
}
