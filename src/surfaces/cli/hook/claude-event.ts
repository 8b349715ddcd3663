/**
 * What Claude Code tells its hooks, as happenings of the shared memory. Its side is described in
 * https://code.claude.com/docs/en/hooks (read in October 2026), sections by event: "SessionStart input",
 * "UserPromptSubmit input" (`prompt`), "PreToolUse input" (`tool_name`, `tool_input`; `file_path` is
 * absolute), "PostToolUse input" (after success only; `tool_response`), "PostToolUseFailure input"
 * (`error`, `is_interrupt`). All have `session_id`, `cwd` and `hook_event_name` ("Common input fields").
 */

import { existsSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { isObject } from '../../../shared/json.js';

/** Each of them takes `hookSpecificOutput.additionalContext` ("Add context for Claude"). */
export const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Tools by what their use means to memory; the installer has its matchers from here. */
export const FILE_TOOLS = ['Read', 'Edit', 'Write', 'MultiEdit', 'NotebookEdit'] as const;
/** On Windows the second takes the place of the first ("PowerShell"). */
export const SHELL_TOOLS = ['Bash', 'PowerShell'] as const;

/** The body of `POST /cue/events`, without the place. */
export interface HookHappening {
  type: 'session_start' | 'intent_stated' | 'file_touch' | 'action_planned' | 'action_completed';
  [field: string]: string | boolean;
}

export interface HookCall {
  event: HookEvent;
  happening: HookHappening;
  sessionId?: string;
  /** Where Claude works at the moment, absolute; it may leave the folder the session began in. */
  cwd?: string;
}

/** As `POST /cue/events` takes them (`INPUT_LIMITS`): what is longer is cut, not refused. */
const MAX_TEXT_BYTES = 8_192;
const MAX_ID_CHARS = 200;
const MAX_FOLDER_CHARS = 4_096;
/** A pasted text stands between two such lines ("UserPromptSubmit input"). */
const PASTE_MARK = /^<\/?pasted_content\b[^>\n]*>\r?\n?/gm;

/** @returns why there is nothing to be told, in words, where it is no call */
export function readHookCall(input: unknown): HookCall | string {
  if (!isObject(input)) return 'the input is no JSON object';
  const event = HOOK_EVENTS.find((name) => name === input.hook_event_name);
  if (event === undefined) return `nothing is made of ${shownName(input.hook_event_name)}`;
  const happening = happeningOf(event, input);
  if (typeof happening === 'string') return happening;
  const sessionId = textIn(input, 'session_id')?.trim().slice(0, MAX_ID_CHARS);
  const cwd = textIn(input, 'cwd');
  const isFolder = cwd !== null && cwd.length <= MAX_FOLDER_CHARS && isAbsolute(cwd);
  return {
    event,
    happening,
    ...(sessionId ? { sessionId } : {}),
    ...(isFolder ? { cwd } : {}),
  };
}

function happeningOf(event: HookEvent, input: Record<string, unknown>): HookHappening | string {
  if (event === 'SessionStart') return { type: 'session_start' };
  if (event === 'UserPromptSubmit') {
    const intent = clipped((textIn(input, 'prompt') ?? '').replace(PASTE_MARK, ''));
    return intent === '' ? 'the prompt is empty' : { type: 'intent_stated', intent };
  }
  const { tool_name: tool, tool_input: given, tool_response: came } = input;
  const fields = isObject(given) ? given : {};
  if (!isOneOf(SHELL_TOOLS, tool)) {
    return event === 'PreToolUse'
      ? fileTouch(tool, fields)
      : `nothing is made of the end of ${shownName(tool)}`;
  }
  const action = clipped(textIn(fields, 'command') ?? '');
  if (action === '') return `${tool} has no command`;
  if (event === 'PreToolUse') return { type: 'action_planned', action };
  // What went well may have been a hint, and what failed may have one.
  if (event === 'PostToolUseFailure') {
    if (input.is_interrupt === true) return 'the command was interrupted';
    const error = clippedMiddle(textIn(input, 'error') ?? '');
    return { type: 'action_completed', action, success: false, ...(error && { error }) };
  }
  // It has only begun, or was stopped: neither is a success.
  const answer = isObject(came) ? came : {};
  const isOver = fields.run_in_background !== true && answer.backgroundTaskId === undefined;
  if (!isOver || answer.interrupted === true) return 'the command has not ended by itself';
  return { type: 'action_completed', action, success: true };
}

function fileTouch(tool: unknown, fields: Record<string, unknown>): HookHappening | string {
  if (!isOneOf(FILE_TOOLS, tool)) return `nothing is made of the tool ${shownName(tool)}`;
  const filePath = textIn(fields, tool === 'NotebookEdit' ? 'notebook_path' : 'file_path')?.trim();
  if (!filePath) return `${tool} has no path`;
  const change = tool === 'Write' && !existsSync(filePath) ? 'create' : 'edit';
  return { type: 'file_touch', filePath, operation: tool === 'Read' ? 'read' : change };
}

/**
 * A file as memories name it: from the root of the project, with slashes, since two checkouts have it at
 * different places. One outside stays as it is.
 * @param path absolute, as `root` is
 */
export function pathFrom(root: string, path: string): string {
  const inside = relative(root, path);
  const isOutside = inside === '' || /^\.\.(?:[\\/]|$)/.test(inside) || isAbsolute(inside);
  return isOutside ? path : inside.replaceAll('\\', '/');
}

function isOneOf<Name extends string>(names: readonly Name[], name: unknown): name is Name {
  return names.some((one) => one === name);
}

function textIn(fields: Record<string, unknown>, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

function clipped(text: string): string {
  return firstBytes(text.trim(), MAX_TEXT_BYTES).trim();
}

const GAP = '\n…\n';

/** Of an error the first line says the exit code, and the last ones why. */
function clippedMiddle(text: string): string {
  const whole = text.trim();
  if (Buffer.byteLength(whole) <= MAX_TEXT_BYTES) return whole;
  const half = Math.floor((MAX_TEXT_BYTES - Buffer.byteLength(GAP)) / 2);
  const bytes = Buffer.from(whole);
  // A character that the cut has halved is left out.
  const end = bytes
    .subarray(-half)
    .toString('utf8')
    .replace(/^\ufffd+/, '');
  return `${firstBytes(whole, half)}${GAP}${end}`.trim();
}

function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
}

function shownName(name: unknown): string {
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : 'an input without a name';
}
