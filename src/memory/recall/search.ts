/** From a request to what the stages work on: references resolved, keys and times read. */
import type { SlotFilter } from '../../records/index.js';
import { looksLikePath, pathKeys } from '../../shared/paths.js';
import { type Caller, readerOf } from '../access.js';
import type { MemoryContext } from '../context.js';
import { fileKey } from '../file-key.js';
import { resolveRef } from '../ids.js';
import { FLAGS, keyOf, workMemoryType } from '../records.js';
import { lastSession } from './last-session.js';
import type { RecallRequest } from './request.js';
import { readTimeWords } from './time-words.js';
import type { Search } from './types.js';

/** @throws NotFoundError when a memory or session that is named does not exist for this caller */
export async function searchOf(
  context: Pick<MemoryContext, 'records'>,
  request: RecallRequest,
  caller: Caller,
  { nowMs, zone }: { nowMs: number; zone: string },
): Promise<Search> {
  const { records } = context;
  const reader = readerOf(caller);
  const shelf = records.catalog.shelf(workMemoryType.name);
  const filter = filterOf(request, reader);
  const memoryId =
    request.memory_id === undefined
      ? null
      : await resolveRef(records, 'memory', workMemoryType, request.memory_id, reader, 'memory_id');
  const { range, rest } =
    request.query === undefined
      ? { range: null, rest: '' }
      : readTimeWords(request.query, nowMs, zone);
  const keys = await keysOf(context, request, filter, caller);
  const named = keys.length === 0 ? fileNamed(rest, shelf, filter) : null;
  return {
    request,
    reader,
    shelf,
    filter,
    within: withinRange(filter, range),
    keys: named === null ? keys : [named.key],
    text: textOf(request, named?.rest ?? rest, range !== null || named !== null),
    asked: textOf(request, request.query ?? '', false),
    range,
    memoryId,
    nowMs,
    room: request.limit,
    found: [],
  };
}

function withinRange(filter: SlotFilter, range: Search['range']): SlotFilter {
  if (range === null) return filter;
  return {
    ...filter,
    sinceMs: Math.max(range.sinceMs, filter.sinceMs ?? Number.NEGATIVE_INFINITY),
    beforeMs: Math.min(range.beforeMs, filter.beforeMs ?? Number.POSITIVE_INFINITY),
  };
}

function filterOf(request: RecallRequest, reader: SlotFilter['reader']): SlotFilter {
  const onlySuccess = request.success_only || !request.include_failures;
  return {
    reader,
    ...(request.failures_only ? { flagsAll: FLAGS.failure } : {}),
    ...(onlySuccess ? { flagsNone: FLAGS.failure } : {}),
    ...(request.since === undefined ? {} : { sinceMs: Date.parse(request.since) }),
    ...(request.before === undefined ? {} : { beforeMs: Date.parse(request.before) }),
    ...(request.tags === undefined || request.tags.length === 0
      ? {}
      : { keysAll: request.tags.map(keyOf.tag) }),
  };
}

async function keysOf(
  context: Pick<MemoryContext, 'records'>,
  request: RecallRequest,
  filter: SlotFilter,
  caller: Caller,
): Promise<string[]> {
  const { file, task_type, agent_id, session, tags } = request;
  const fileKey =
    file === undefined
      ? undefined
      : fileKeyOf(file, context.records.catalog.shelf(workMemoryType.name), filter);
  const sessionId =
    session?.toLowerCase() === 'last' ? await lastSession(context, filter, caller) : session;
  return [
    ...(fileKey === undefined ? [] : [fileKey]),
    ...(task_type === undefined ? [] : [keyOf.type(task_type)]),
    ...(agent_id === undefined ? [] : [keyOf.agent(agent_id)]),
    ...(sessionId === undefined ? [] : [keyOf.session(sessionId)]),
    ...(tags ?? []).map(keyOf.tag),
  ];
}

/** A path that nobody knows is looked for all the same: the answer is that there is nothing. */
function fileKeyOf(path: string, shelf: Search['shelf'], filter: SlotFilter): string | undefined {
  const [longest] = pathKeys(path);
  return fileKey(shelf, path, filter) ?? (longest === undefined ? undefined : keyOf.file(longest));
}

/** The file a question names ("what happened with auth.ts?"), if the project knows it. */
function fileNamed(
  query: string,
  shelf: Search['shelf'],
  filter: SlotFilter,
): { key: string; rest: string } | null {
  for (const word of query.split(/\s+/)) {
    const path = word.replace(/^["'`(<[]+|["'`)>\],;:?!.]+$/g, '');
    if (!looksLikePath(path)) continue;
    const key = fileKey(shelf, path, filter);
    if (key !== undefined) {
      return { key, rest: query.replace(word, ' ') };
    }
  }
  return null;
}

/** What is searched in words. A pattern's name is words in disguise. */
function textOf({ intent, pattern }: RecallRequest, rest: string, read: boolean): string {
  const parts = [intent, pattern?.replaceAll(/[_-]+/g, ' '), rest];
  const text = parts.filter((part): part is string => part !== undefined).join('\n');
  return read && onlyAsks(text) ? '' : text.trim();
}

/** What is left of "what did we do yesterday?" once its time or file is read: nothing to search. */
const ASKING = new Set(
  (
    'what which show tell list did do does done was were is has have had happened happen i we you us ' +
    'me it the a about memories memory thing things stuff work worked working on everything all been ' +
    'up to there any anything from of get got go going my our your with s'
  ).split(' '),
);

/** Word by word: one pattern for all of it would take exponential time on "is is is … x". */
function onlyAsks(text: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .every((word) => word === '' || ASKING.has(word));
}
