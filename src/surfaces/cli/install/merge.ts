/** The last look at what is to be written: nothing but what is ours may be another than before. Pure. */
import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  modify,
  type ParseError,
  parse,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { AppError, isAppError } from '../../../shared/errors.js';
import { isObject } from '../../../shared/json.js';
import { FILE_TOOLS, SHELL_TOOLS } from '../hook/claude-event.js';
import { badInput } from '../io.js';
import {
  addedTo,
  type ClientName,
  type Invocation,
  isOurAddress,
  isOurs,
  isWrapped,
  type Json,
  serverEntry,
} from './clients.js';

/** Under which a client knows us. */
export const SERVER_NAME = 'cue';

export interface OurEdit {
  /** Does nothing where it is done already. */
  edit: (text: string) => string;
  /** A document without what is ours. */
  rest: (document: unknown) => unknown;
  /** How the file is called in an error. */
  shown: string;
}

/** The text with the edit in it. @throws AppError INVALID_INPUT where that would touch anything else */
export function editedOnlyOurs(text: string, { edit, rest, shown }: OurEdit): string {
  try {
    const out = edit(text);
    if (out === text) return out;
    const isUnharmed =
      isDeepStrictEqual(rest(valueAt(out, [])), rest(valueAt(text, []))) &&
      isDeepStrictEqual(commentsIn(out), commentsIn(text));
    // What has got into a comment would be done again.
    if (isUnharmed && edit(out) === out) return out;
  } catch (error) {
    if (isAppError(error)) throw error;
  }
  const message = `${shown} was left as it is: it is written in a way that cannot be changed safely, so change it by hand`;
  throw badInput(message, { path: shown });
}

/** All but our server; no servers and none of them are the same. */
export function withoutOurServer(document: unknown): unknown {
  if (!isObject(document)) return document;
  const { mcpServers, ...rest } = document;
  const { [SERVER_NAME]: _, ...others } = isObject(mcpServers) ? mcpServers : {};
  return { ...rest, mcpServers: others };
}

/** All but our hooks; no event, no groups of it and none of them are the same. */
export function withoutOurHooks(document: unknown): unknown {
  if (!isObject(document)) return document;
  const { hooks, ...rest } = document;
  const events = Object.entries(isObject(hooks) ? hooks : {})
    .map(([event, groups]) => [event, Array.isArray(groups) ? groups.flatMap(restOfGroup) : groups])
    .filter(([, groups]) => !Array.isArray(groups) || groups.length > 0);
  return { ...rest, hooks: Object.fromEntries(events) };
}

function restOfGroup(group: unknown): unknown[] {
  const handlers = handlersOf(group);
  const left = handlers.filter((handler) => !isOurs(handler, 'hook'));
  if (left.length === handlers.length || !isObject(group)) return [group];
  return left.length === 0 ? [] : [{ ...group, hooks: left }];
}

/** Of an entry of an event. */
export function handlersOf(group: unknown): unknown[] {
  const hooks = isObject(group) ? group.hooks : undefined;
  return Array.isArray(hooks) ? hooks : [];
}

const SERVER_PATH = ['mcpServers', SERVER_NAME];
const EMPTY = '{}\n';
/** A hook that is not done by then is given up; it gives up itself long before. */
const HOOK_TIMEOUT_S = 5;

/**
 * Events and their matchers (https://code.claude.com/docs/en/hooks, "Matcher patterns": names of tools
 * with a bar between them; without one, each time).
 */
const HOOKS: readonly { event: string; matcher?: string }[] = [
  { event: 'SessionStart' },
  { event: 'UserPromptSubmit' },
  { event: 'PreToolUse', matcher: [...FILE_TOOLS, ...SHELL_TOOLS].join('|') },
  { event: 'PostToolUse', matcher: SHELL_TOOLS.join('|') },
  { event: 'PostToolUseFailure', matcher: SHELL_TOOLS.join('|') },
];

/**
 * The text with our server in it; other keys of an entry of ours, like its environment, stay, as do words
 * behind our own. One that people have made to reach us in their own way stays as it is (`keepsServer`).
 * @param text `null` or blank: there is no file yet
 * @param shown how the file is called in an error
 * @throws AppError INVALID_INPUT where the text is no JSON of the right shape, or cannot be changed without
 * changing more, CONFLICT where another server has our name
 */
export function withServer(
  text: string | null,
  client: ClientName,
  server: Invocation,
  shown: string,
): string {
  const edit = (before: string): string => {
    const there = serverIn(before, shown);
    if (there === undefined) return withValue(before, SERVER_PATH, serverEntry(client, server));
    if (isTheirWay(there)) return before;
    if (!isOurs(there, 'mcp')) {
      const message =
        `${shown} has another server of the name "${SERVER_NAME}": rename or remove it there, ` +
        'then install again; nothing was written';
      throw new AppError('CONFLICT', message, { path: shown });
    }
    const entry = serverEntry(client, { ...server, args: [...server.args, ...addedTo(there)] });
    return Object.entries(entry).reduce((out, [key, value]) => {
      const path = [...SERVER_PATH, key];
      return isDeepStrictEqual(valueAt(out, path), value) ? out : withValue(out, path, value);
    }, before);
  };
  return editedOnlyOurs(checked(text, shown), { edit, rest: withoutOurServer, shown });
}

/** Whether people reach us in their own way, over HTTP or by way of another program. @throws AppError INVALID_INPUT */
export function keepsServer(text: string, shown: string): boolean {
  return isTheirWay(serverIn(checked(text, shown), shown));
}

function isTheirWay(server: unknown): boolean {
  return isOurAddress(server) || isWrapped(server, 'mcp');
}

/** @throws AppError INVALID_INPUT */
export function withoutServer(text: string, shown: string): string {
  const edit = (before: string): string => {
    let out = before;
    // Where the name stands twice, the other one counts then.
    while (isOurs(serverIn(out, shown), 'mcp')) out = withoutValue(out, SERVER_PATH);
    return out === before ? out : pruned(out, ['mcpServers']);
  };
  return editedOnlyOurs(checked(text, shown), { edit, rest: withoutOurServer, shown });
}

/**
 * An event in which people run us by way of another program stays as it is (`keepsHooks`).
 * @throws AppError INVALID_INPUT where the text is no JSON of the right shape, or cannot be changed without
 * changing more
 */
export function withHooks(text: string | null, hook: Invocation, shown: string): string {
  const edit = (before: string): string => {
    let out = before;
    for (const { event, matcher } of HOOKS) {
      const wanted = {
        ...(matcher === undefined ? {} : { matcher }),
        hooks: [{ type: 'command', ...hook, timeout: HOOK_TIMEOUT_S }],
      };
      const groups = groupsIn(out, event, shown).map(({ group }) => group);
      const ours = groups.filter((group) => handlersOf(group).some(isHook));
      if (ours.length === 0 && groups.some(wrapsHook)) continue;
      if (ours.length === 1 && isDeepStrictEqual(ours[0], wanted)) continue;
      out = withoutEvent(out, event, shown);
      out = withValue(out, ['hooks', event, groupsIn(out, event, shown).length], wanted);
    }
    return out;
  };
  return editedOnlyOurs(checked(text, shown), { edit, rest: withoutOurHooks, shown });
}

/** Also those of events that earlier versions had. @throws AppError INVALID_INPUT */
export function withoutHooks(text: string, shown: string): string {
  const edit = (before: string): string => {
    // Only an event that had nothing but ours goes.
    const events = Object.keys(objectAt(before, ['hooks'], shown));
    const out = events.reduce((left, event) => {
      const without = withoutEvent(left, event, shown);
      return without === left ? left : pruned(without, ['hooks', event]);
    }, before);
    return out === before ? out : pruned(out, ['hooks']);
  };
  return editedOnlyOurs(checked(text, shown), { edit, rest: withoutOurHooks, shown });
}

/** Whether people run us in a hook by way of another program. @throws AppError INVALID_INPUT */
export function keepsHooks(text: string, shown: string): boolean {
  const whole = checked(text, shown);
  return HOOKS.some(({ event }) =>
    groupsIn(whole, event, shown).some(({ group }) => wrapsHook(group)),
  );
}

function withoutEvent(text: string, event: string, shown: string): string {
  let out = text;
  // From the end, so that places before stay as they are.
  for (const { group, at } of groupsIn(text, event, shown).reverse()) {
    const path = ['hooks', event, at];
    const handlers = handlersOf(group);
    if (!handlers.some(isHook)) continue;
    if (handlers.every(isHook)) {
      out = withoutValue(out, path);
      continue;
    }
    for (const [index, handler] of [...handlers.entries()].reverse()) {
      if (isHook(handler)) out = withoutValue(out, [...path, 'hooks', index]);
    }
  }
  return out;
}

/** Without an object or array that has become empty. */
function pruned(text: string, path: JsonPath): string {
  return isEmpty(valueAt(text, path)) ? withoutValue(text, path) : text;
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const isHook = (handler: unknown): boolean => isOurs(handler, 'hook');

const wrapsHook = (group: unknown): boolean =>
  handlersOf(group).some((handler) => isWrapped(handler, 'hook'));

function groupsIn(text: string, event: string, shown: string): { group: unknown; at: number }[] {
  objectAt(text, ['hooks'], shown);
  const groups = valueAt(text, ['hooks', event]);
  if (groups === undefined) return [];
  if (!Array.isArray(groups)) throw badShape(shown, `hooks.${event} is no list`);
  return groups.map((group: unknown, at) => ({ group, at }));
}

function serverIn(text: string, shown: string): unknown {
  objectAt(text, ['mcpServers'], shown);
  return valueAt(text, SERVER_PATH);
}

function objectAt(text: string, path: string[], shown: string): Record<string, unknown> {
  const value = valueAt(text, path);
  if (value === undefined) return {};
  if (!isObject(value)) throw badShape(shown, `${path.join('.') || 'it'} is no object`);
  return value;
}

/** @throws AppError INVALID_INPUT: to write it anew would lose what is in it */
function checked(text: string | null, shown: string): string {
  if (text === null || text.trim() === '') return EMPTY;
  if (!isJson(text)) throw badShape(shown, 'it is no JSON');
  objectAt(text, [], shown);
  return text;
}

/** Whether nothing is left in it, not even a comment. */
export function isBlankDocument(text: string): boolean {
  return isEmpty(valueAt(text, [])) && commentsIn(text).length === 0;
}

function isJson(text: string): boolean {
  try {
    return valueAt(text, []) !== undefined;
  } catch {
    return false;
  }
}

function badShape(shown: string, what: string): AppError {
  return badInput(`${shown} was left as it is: ${what}`, { path: shown });
}

/** A place in a JSON text. The changes below leave everything else as it is written, comments too. */
type JsonPath = readonly (string | number)[];

/** The value at a path, parsed; `undefined`: there is none. @throws SyntaxError */
export function valueAt(text: string, path: JsonPath): unknown {
  const errors: ParseError[] = [];
  const document: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    throw new SyntaxError(`${printParseErrorCode(error.error)} at character ${error.offset}`);
  }
  return path.reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, document);
}

/** All comments, sorted. */
export function commentsIn(text: string): string[] {
  const comments: string[] = [];
  visit(text, {
    onComment: (offset, length) => comments.push(text.slice(offset, offset + length).trim()),
  });
  return comments.sort();
}

/**
 * The text with a member set, or one more item at the end of an array where the path ends in its length.
 * Objects on the way are made.
 */
export function withValue(text: string, path: JsonPath, value: Json): string {
  return modified(text, path, value);
}

/** The text without what is at the path; a path that leads nowhere changes nothing. */
export function withoutValue(text: string, path: JsonPath): string {
  return valueAt(text, path) === undefined ? text : modified(text, path, undefined);
}

function modified(text: string, path: JsonPath, value: Json | undefined): string {
  const indent = /^[^\n]*\{[ \t]*\r?\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}
