/** From a request to what the stages work on: references resolved, keys and times read. */
import type { Embedder } from '../../embeddings/index.js';
import { readPastTime } from '../../language/index.js';
import type { OlderQuestion, SlotFilter } from '../../records/index.js';
import { yieldToLoop } from '../../shared/async.js';
import { NotFoundError } from '../../shared/errors.js';
import { looksLikePath, pathKeys } from '../../shared/paths.js';
import { type Caller, readerOf } from '../access.js';
import type { MemoryContext } from '../context.js';
import { soundVector } from '../embed.js';
import { fileKey, fileKeys } from '../file-key.js';
import { resolveRef } from '../ids.js';
import { FLAGS, keyOf, workMemoryType } from '../records.js';
import { type Outcome, onlyAsks, readOutcome } from './outcome-words.js';
import type { RecallRequest } from './request.js';
import { termsOf } from './terms.js';
import type { Search } from './types.js';

/** Newest memories looked through; a session of more would hide the one before it. */
const LOOKED_AT = 400;
const STEP = 50;
/** Memories brought by each of keys, words and likeness, at least. */
const BROUGHT = 24;

/**
 * In a conversation the last one of its room: sessions of other rooms go on at the same time. Only a
 * room without one means the newest of all.
 * @throws NotFoundError when no earlier session left a memory this reader may see
 */
async function lastSession(
  { records }: Pick<MemoryContext, 'records'>,
  filter: SlotFilter,
  caller: Caller,
): Promise<string> {
  const { hits } = records.catalog.shelf(workMemoryType.name).newest(filter, LOOKED_AT);
  let elsewhere: string | undefined;
  for (let start = 0; start < hits.length; start += STEP) {
    const ids = hits.slice(start, start + STEP).map(({ id }) => id);
    for (const { data, scope } of await records.get(workMemoryType, ids, filter.reader)) {
      const { session_id: session } = data;
      if (session === undefined || session === caller.sessionId) continue;
      if (caller.kind !== 'entity' || scope.roomId === caller.roomId) return session;
      elsewhere ??= session;
    }
    await yieldToLoop();
  }
  if (elsewhere !== undefined) return elsewhere;
  throw new NotFoundError('session', 'last');
}

/** What of the memories that the catalog does not hold could answer the request; `null`: none is needed. */
export async function olderOf(
  embedder: Embedder,
  request: RecallRequest,
  caller: Caller,
  { nowMs, zone }: { nowMs: number; zone: string },
): Promise<OlderQuestion | null> {
  const { query, file, task_type, agent_id, session, tags } = request;
  if (request.memory_id !== undefined) return null;
  const { range } = query === undefined ? { range: null } : readPastTime(query, nowMs, zone);
  const named = file === undefined ? pathsIn(query ?? '').map(({ path }) => path) : [file];
  const also = [
    ...(task_type === undefined ? [] : [keyOf.type(task_type)]),
    ...(agent_id === undefined ? [] : [keyOf.agent(agent_id)]),
    ...(session === undefined || session.toLowerCase() === 'last' ? [] : [keyOf.session(session)]),
    ...(tags ?? []).map(keyOf.tag),
  ];
  const files = named.flatMap(fileKeys).map((key) => [key, ...also]);
  const text = textOf(request, query ?? '', false);
  const within = withinRange(filterOf(request, readerOf(caller)), range);
  const { reader, sinceMs, beforeMs, flagsAll, flagsNone } = within;
  const isTimed = sinceMs !== undefined || beforeMs !== undefined;
  const keys = files.length > 0 ? files : also.length > 0 || isTimed ? [also] : [];
  const limit = Math.max(BROUGHT, 2 * request.limit);
  const asked = { reader, sinceMs, beforeMs, flagsAll, flagsNone, keys, limit };
  if (text === '') return asked;
  // A model that fails is asked again by the search, which tells it.
  const vector = await soundVector(embedder, text).catch(() => null);
  return { ...asked, terms: termsOf(text), vector };
}

/** @throws NotFoundError when a memory or session that is named does not exist for this caller */
export async function searchOf(
  context: Pick<MemoryContext, 'records'>,
  given: RecallRequest,
  caller: Caller,
  { nowMs, zone }: { nowMs: number; zone: string },
): Promise<Search> {
  const { records } = context;
  const reader = readerOf(caller);
  const shelf = records.catalog.shelf(workMemoryType.name);
  const memoryId =
    given.memory_id === undefined
      ? null
      : await resolveRef(records, 'memory', workMemoryType, given.memory_id, reader, 'memory_id');
  const { range, rest } =
    given.query === undefined ? { range: null, rest: '' } : readPastTime(given.query, nowMs, zone);
  const readable = filterOf(given, reader);
  const keys = await keysOf(context, given, readable, caller);
  const named = keys.length === 0 ? fileNamed(rest, shelf, readable) : null;
  const left = named?.rest ?? rest;
  const outcome = outcomeAsked(given, left);
  const request = outcome === null ? given : { ...given, [outcome]: true };
  const filter = outcome === null ? readable : filterOf(request, reader);
  return {
    request,
    reader,
    shelf,
    filter,
    within: withinRange(filter, range),
    keys: named === null ? keys : [named.key],
    text: outcome === null ? textOf(given, left, range !== null || named !== null) : '',
    asked: textOf(request, request.query ?? '', false),
    range,
    memoryId,
    nowMs,
    room: request.limit,
    found: [],
    made: {},
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
  const { failures_only, origin } = request;
  return {
    reader,
    flagsAll: (failures_only ? FLAGS.failure : 0) | (origin === 'captured' ? FLAGS.captured : 0),
    flagsNone: (onlySuccess ? FLAGS.failure : 0) | (origin === 'told' ? FLAGS.captured : 0),
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
  for (const { word, path } of pathsIn(query)) {
    const key = fileKey(shelf, path, filter);
    if (key !== undefined) {
      return { key, rest: query.replace(word, ' ') };
    }
  }
  return null;
}

function pathsIn(query: string): { word: string; path: string }[] {
  return query
    .split(/\s+/)
    .map((word) => ({ word, path: word.replace(/^["'`(<[]+|["'`)>\],;:?!.]+$/g, '') }))
    .filter(({ path }) => looksLikePath(path));
}

/** What is searched in words. A pattern's name is words in disguise. */
function textOf({ intent, pattern }: RecallRequest, rest: string, read: boolean): string {
  const parts = [intent, pattern?.replaceAll(/[_-]+/g, ' '), rest];
  const text = parts.filter((part): part is string => part !== undefined).join('\n');
  return read && onlyAsks(text) ? '' : text.trim();
}

/** "What failed today?" asks for failures, not for texts that say "failed". `null`: neither, or both. */
function outcomeAsked(
  { intent, pattern, strategy, ...request }: RecallRequest,
  rest: string,
): Outcome | null {
  if (intent !== undefined || pattern !== undefined || strategy === 'semantic') return null;
  const first = readOutcome(rest);
  if (first === null) return null;
  const speaksAgainst =
    first === 'failures_only'
      ? request.success_only || !request.include_failures
      : request.failures_only;
  return speaksAgainst ? null : first;
}
