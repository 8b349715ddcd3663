/** What an installation changes in the texts of a client's configuration, and what takes it out. Pure. */
import { AppError } from '../../../shared/errors.js';
import { badInput } from '../exit-codes.js';
import { FILE_TOOLS, SHELL_TOOLS } from '../hook/claude-event.js';
import type { ClientName } from './clients.js';
import { addedTo, type Invocation, isOurAddress, isOurs, serverEntry } from './commands.js';
import { isBlankAt, type JsonPath, valueAt, withoutValue, withValue } from './json-text.js';

/** Under which a client knows us. */
export const SERVER_NAME = 'cue';
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

type Fields = Record<string, unknown>;

/**
 * The text with our server in it; other keys of an entry of ours, like its environment, stay, as do words
 * behind our own. One that people have made to reach us over HTTP stays as it is.
 * @param text `null` or blank: there is no file yet
 * @param shown how the file is called in an error
 * @throws AppError INVALID_INPUT where the text is no JSON of the right shape, CONFLICT where another
 * server has our name
 */
export function withServer(
  text: string | null,
  client: ClientName,
  server: Invocation,
  shown: string,
): string {
  let out = checked(text, shown);
  const there = serverIn(out, shown);
  const path = ['mcpServers', SERVER_NAME];
  if (there === undefined) return withValue(out, path, serverEntry(client, server));
  if (isOurAddress(there)) return out;
  if (!isOurs(there, 'mcp')) throw isForeign(shown);
  const entry = serverEntry(client, { ...server, args: [...server.args, ...addedTo(there)] });
  for (const [key, value] of Object.entries(entry)) {
    if (isSame(valueAt(out, [...path, key]), value)) continue;
    out = withValue(out, [...path, key], value);
  }
  return out;
}

function isForeign(shown: string): AppError {
  const message =
    `${shown} has another server of the name "${SERVER_NAME}": rename or remove it there, ` +
    'then install again; nothing was written';
  return new AppError('CONFLICT', message, { path: shown });
}

/** @throws AppError INVALID_INPUT */
export function withoutServer(text: string, shown: string): string {
  const out = checked(text, shown);
  if (!isOurs(serverIn(out, shown), 'mcp')) return out;
  return pruned(withoutValue(out, ['mcpServers', SERVER_NAME]), ['mcpServers']);
}

/** @throws AppError INVALID_INPUT where the text is no JSON of the right shape */
export function withHooks(text: string | null, hook: Invocation, shown: string): string {
  let out = checked(text, shown);
  for (const { event, matcher } of HOOKS) {
    const wanted = {
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [{ type: 'command', ...hook, timeout: HOOK_TIMEOUT_S }],
    };
    const ours = groupsIn(out, event, shown).filter(({ group }) => handlersOf(group).some(isHook));
    if (ours.length === 1 && isSame(ours[0]?.group, wanted)) continue;
    out = withoutEvent(out, event, shown);
    out = withValue(out, ['hooks', event, groupsIn(out, event, shown).length], wanted);
  }
  return out;
}

/** Also those of events that earlier versions had. @throws AppError INVALID_INPUT */
export function withoutHooks(text: string, shown: string): string {
  const out = checked(text, shown);
  const events = Object.keys(objectAt(out, ['hooks'], shown));
  // Only an event that had nothing but ours goes.
  return pruned(
    events.reduce((left, event) => {
      const without = withoutEvent(left, event, shown);
      return without === left ? left : pruned(without, ['hooks', event]);
    }, out),
    ['hooks'],
    out,
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

/** Without an object or array that has become empty; `before`: it was not empty there. */
function pruned(text: string, path: JsonPath, before?: string): string {
  if (!isBlankAt(text, path) || text === before) return text;
  return withoutValue(text, path);
}

const isHook = (handler: unknown): boolean => isOurs(handler, 'hook');

function handlersOf(group: unknown): unknown[] {
  const { hooks }: Fields = isFields(group) ? group : {};
  return Array.isArray(hooks) ? hooks : [];
}

function groupsIn(text: string, event: string, shown: string): { group: unknown; at: number }[] {
  objectAt(text, ['hooks'], shown);
  const groups = valueAt(text, ['hooks', event]);
  if (groups === undefined) return [];
  if (!Array.isArray(groups)) throw badShape(shown, `hooks.${event} is no list`);
  return groups.map((group: unknown, at) => ({ group, at }));
}

function serverIn(text: string, shown: string): unknown {
  objectAt(text, ['mcpServers'], shown);
  return valueAt(text, ['mcpServers', SERVER_NAME]);
}

function objectAt(text: string, path: string[], shown: string): Fields {
  const value = valueAt(text, path);
  if (value === undefined) return {};
  if (!isFields(value)) throw badShape(shown, `${path.join('.') || 'it'} is no object`);
  return value;
}

/** @throws AppError INVALID_INPUT: to write it anew would lose what is in it */
function checked(text: string | null, shown: string): string {
  if (text === null || text.trim() === '') return EMPTY;
  if (!isJson(text)) {
    throw badShape(shown, 'it is no JSON');
  }
  objectAt(text, [], shown);
  return text;
}

/** Whether nothing is left in it. */
export function isBlankDocument(text: string): boolean {
  return isBlankAt(text, []);
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

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Order of keys does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  if (!isFields(one) || !isFields(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}
