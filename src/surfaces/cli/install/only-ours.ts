/** The last look at what is to be written: nothing but what is ours may be another than before. Pure. */

import { isDeepStrictEqual } from 'node:util';
import { isAppError } from '../../../shared/errors.js';
import { isObject } from '../../../shared/json.js';
import { badInput } from '../exit-codes.js';
import { isOurs } from './calls.js';
import { valueAt } from './json-text.js';

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
    const isUnharmed = isDeepStrictEqual(rest(valueAt(out, [])), rest(valueAt(text, [])));
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
