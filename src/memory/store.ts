/** A new memory: cleaned, read, embedded, written with its links. */

import { and, eq, gte } from 'drizzle-orm';
import { memoriesTable, type TransactionStore } from '../records/index.js';
import { HOUR_MS } from '../shared/clock.js';
import { NotFoundError } from '../shared/errors.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { authorOf, type Caller, readerOf, scopeOf } from './access.js';
import { captureDraft, essenceOf, type FinishedRun } from './capture.js';
import { dataText, type MemoryContext } from './context.js';
import { filesOf, readDraft } from './draft.js';
import { embedMemory } from './embed.js';
import { printId } from './ids.js';
import { cleaned, type Redactions, requireSize } from './input.js';
import { insertLinks, linksOfDraft, type NewLink } from './link.js';
import { keyOf, memoryLinkType, workMemoryType } from './records.js';
import { insertPhrases, phraseIds, remindWhenType } from './remind-when.js';
import type { MemoryDraft, WorkMemoryData } from './schema.js';
import { type MemoryView, viewsOf } from './view.js';

export interface StoreResult {
  memory_id: string;
  /** `false` only for a capture that was stored before. */
  created: boolean;
  /** Links created with it. */
  links: number;
  /** What is worse than it should be, in words. */
  degraded?: string;
  /** Kinds of secrets that were taken out before anything was stored. */
  redacted?: Redactions;
  memory: MemoryView;
}

/** `null`: the run left nothing worth keeping; `reason` says why. */
export type CaptureResult =
  | (StoreResult & { reason?: undefined })
  | { memory_id: null; created: false; reason: 'nothing worth keeping' | 'captured before' };

/** @throws InvalidInputError, AppError TOO_LARGE */
export async function store(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<StoreResult> {
  requireSize(input);
  const { value, redacted } = cleaned(input);
  const draft = readDraft(value, context);
  return write(context, draft, caller, { id: context.ids.next(), redacted });
}

/**
 * Stores a finished run without a model call. One run is one memory, however often it is told; the
 * same work again within the hour is none.
 */
export async function capture(
  context: MemoryContext,
  run: FinishedRun,
  caller: Caller,
): Promise<CaptureResult> {
  const { value, redacted } = cleaned(essenceOf(run));
  const captured = captureDraft({ ...run, ...value });
  if (!captured) return { memory_id: null, created: false, reason: 'nothing worth keeping' };
  const scope = scopeOf(caller, { projectId: context.records.projectId, agentId: context.agentId });
  const contentHash = derivedId(
    'captured',
    scope.visibility,
    scope.entityId ?? '',
    scope.roomId ?? '',
    captured.content,
  );
  const sinceMs = context.clock.now() - HOUR_MS;
  if (await capturedSince(context, contentHash, sinceMs)) {
    return { memory_id: null, created: false, reason: 'captured before' };
  }
  const draft = readDraft(captured.draft, context);
  return write(context, draft, caller, {
    id: derivedId('capture', context.records.projectId, run.messageId),
    redacted,
    contentHash,
  });
}

async function write(
  context: MemoryContext,
  draft: MemoryDraft,
  caller: Caller,
  extra: { id: Uuid; redacted: Redactions; contentHash?: string },
): Promise<StoreResult> {
  const { records, clock, agentId } = context;
  const data = dataOf(draft, caller, agentId, extra.contentHash);
  const links = await linksOfDraft(context, extra.id, draft.links, caller);
  const { vector, phrases, degraded } = await embedMemory(context, data);
  const scope = scopeOf(caller, { projectId: records.projectId, agentId, said: draft.visibility });
  const createdAtMs = clock.now();
  const revisions = new Map<Uuid, number>();
  const row = { id: extra.id, createdAtMs, scope, data, vector };
  const insert = async (store: TransactionStore) => {
    const inserted = await store.insert(workMemoryType, [row], {
      onInserted: (id, revision) => revisions.set(id, revision),
    });
    if (inserted.size > 0) await insertPhrases(store, [row], phrases);
  };
  await (data.remind_when.length === 0 ? insert(records) : records.atomically(insert));
  const revision = revisions.get(extra.id);
  const created = revision !== undefined;
  const count = created ? await linkOrUndo(context, row, links, caller) : 0;
  const reader = readerOf(caller);
  // What was inserted is known; only what another had stored under this id is read.
  const [record] = created
    ? [
        {
          id: extra.id,
          text: workMemoryType.text(data),
          createdAtMs,
          revision,
          scope,
          data,
          embeddingModel: vector?.model ?? null,
        },
      ]
    : await records.get(workMemoryType, [extra.id], reader);
  const [memory] = record ? await viewsOf(context, [record], reader) : [];
  if (!memory) throw new NotFoundError('memory', printId('memory', extra.id));
  return {
    memory_id: memory.memory_id,
    created,
    links: count,
    ...(degraded === undefined ? {} : { degraded }),
    ...(extra.redacted.length === 0 ? {} : { redacted: extra.redacted }),
    memory,
  };
}

function dataOf(
  draft: MemoryDraft,
  caller: Caller,
  agentId: Uuid,
  contentHash: string | undefined,
): WorkMemoryData {
  const { links: _links, visibility: _visibility, ...told } = draft;
  const sessionId = told.session_id ?? caller.sessionId;
  return {
    ...told,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    access_count: 0,
    last_accessed: null,
    files: filesOf(told),
    agent_id: authorOf(caller, agentId),
    origin: contentHash === undefined ? 'told' : 'captured',
    ...(contentHash === undefined ? {} : { content_hash: contentHash }),
  };
}

/** A memory that was told with links and stands there without them would be half a memory. */
async function linkOrUndo(
  context: MemoryContext,
  { id, data }: { id: Uuid; data: WorkMemoryData },
  links: readonly NewLink[],
  caller: Caller,
): Promise<number> {
  try {
    return await insertLinks(context, links, caller);
  } catch (error) {
    await context.records.remove(
      memoryLinkType,
      links.map((edge) => edge.id),
    );
    await context.records.remove(remindWhenType, phraseIds(id, data.remind_when));
    await context.records.remove(workMemoryType, [id]);
    throw error;
  }
}

async function capturedSince(
  { records }: MemoryContext,
  contentHash: string,
  sinceMs: number,
): Promise<boolean> {
  const reader = { kind: 'operator' } as const;
  if (records.catalog.status().state === 'ready') {
    const shelf = records.catalog.shelf(workMemoryType.name);
    return shelf.hasKeys([keyOf.hash(contentHash)], { reader, sinceMs });
  }
  const where = and(
    eq(dataText('content_hash'), contentHash),
    gte(memoriesTable.createdAt, new Date(sinceMs)),
  );
  const page = await records.list(workMemoryType, reader, {
    limit: 1,
    ...(where ? { where } : {}),
  });
  return page.records.length > 0;
}
