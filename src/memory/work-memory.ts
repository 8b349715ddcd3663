/**
 * Work memory of one project: every operation of DESIGN §7 over one store. Each takes what a caller
 * sent as it came (`unknown`) and who the caller is; results are RUM's objects, snake_case.
 */

import type { EmbeddingStatus } from '../embeddings/index.js';
import { type CatalogState, identityOfSession } from '../records/index.js';
import type { LongWork } from '../shared/async.js';
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { type Caller, inSession, registeredIdOf } from './access.js';
import type { FinishedRun } from './capture.js';
import { type ChaptersResult, type ChapterView, createChapter, listChapters } from './chapters.js';
import type { MemoryContext } from './context.js';
import { type ForgetResult, forget } from './forget.js';
import {
  type IdentityResult,
  identity,
  identityOf,
  parentOf,
  registerSession,
} from './identity.js';
import { type ImportProgress, type ImportResult, importMemories } from './import.js';
import { type LinkResult, link } from './link.js';
import { get, type ListResult, list } from './list.js';
import { createRecall, type Recall } from './recall/index.js';
import { workMemoryType } from './records.js';
import { type CaptureResult, capture, type StoreResult, store } from './store.js';
import { type TraceResult, trace } from './trace.js';
import { type ExportResult, exportLines, exportMemories } from './transfer.js';
import type { ExportLine, LeftOutLine } from './transfer-format.js';
import { type UpdateResult, updateMemory } from './update.js';
import type { MemoryView } from './view.js';
import { type FoundWisdom, recallWisdom, type SynthesisResult, synthesize } from './wisdom.js';
import { createPhraseWriter } from './write-phrases.js';

export type WorkMemoryDeps = Omit<MemoryContext, 'rule'> & {
  /** Called when memories came in without vectors: time for the re-embedder. */
  onUnembedded?: () => void;
  /** Asks a model for phrases of `remind_when` (CUE_SUMMARIES=model), a phrase a line. */
  phrases?: ((text: string) => Promise<string>) | undefined;
  /** Why nothing can be stored at the moment, or `null`. */
  storageProblem?: () => string | null;
};

export interface MemoryHealth {
  project_id: Uuid;
  memories: number;
  /** Damaged rows that were met: they are in the database and nowhere else. */
  set_aside: number;
  catalog: CatalogState;
  embeddings: EmbeddingStatus;
  /** What is worse than it should be, for the operator. */
  degraded: string[];
}

export interface WorkMemory {
  /** Stores a memory, long or short form. @throws InvalidInputError, AppError TOO_LARGE */
  store(input: unknown, caller: Caller): Promise<StoreResult>;
  /** Stores a finished run if it left something worth keeping; one run is one memory. */
  capture(run: FinishedRun, caller: Caller): Promise<CaptureResult>;
  /**
   * `{ memory_id, revision?, ...patch }`: arrays replace, objects merge, `null` removes.
   * @throws AppError CONFLICT, PERMISSION_DENIED, NotFoundError, InvalidInputError
   */
  updateMemory(input: unknown, caller: Caller): Promise<UpdateResult>;
  /** One memory by `mem_…` or UUID; a use of it unless `counted` is false. @throws NotFoundError, InvalidInputError */
  get(ref: string, caller: Caller, options?: { counted?: boolean }): Promise<MemoryView>;
  /** Finds memories: an object or a printed reference. @throws InvalidInputError */
  recall: Recall['recall'];
  /** Causes and effects, at most five hops. @throws NotFoundError, InvalidInputError */
  trace(input: unknown, caller: Caller): Promise<TraceResult>;
  /** Pages with filters, sorted by time, importance or use. @throws InvalidInputError */
  list(input: unknown, caller: Caller): Promise<ListResult>;
  /** Links two memories; the same link again is `created: false`. */
  link(input: unknown, caller: Caller): Promise<LinkResult>;
  /** register, resume or info of an agent's identity. */
  identity(input: unknown, caller: Caller): Promise<IdentityResult>;
  /** A chapter of given memories, or chapters of groups found by tags. Aborted, it keeps those made. */
  createChapter(input: unknown, caller: Caller, work?: LongWork): Promise<ChaptersResult>;
  /** Newest first. */
  listChapters(
    input: unknown,
    caller: Caller,
  ): Promise<{ chapters: ChapterView[]; total: number; next_cursor: string | null }>;
  /** Wisdom from chapters: insights, patterns, best practices. Aborted, it keeps what is made. */
  synthesize(input: unknown, caller: Caller, work?: LongWork): Promise<SynthesisResult>;
  /** Wisdom by the words of a query, or the newest. */
  recallWisdom(input: unknown, caller: Caller): Promise<FoundWisdom>;
  /** Forgets by id, words, filter or person; `dry_run` only shows. */
  forget(
    input: unknown,
    caller: Caller,
    work?: Pick<LongWork, 'onProgress'>,
  ): Promise<ForgetResult>;
  /** Everything the caller may read, as a document or as JSON lines. */
  export(input: unknown, caller: Caller): Promise<ExportResult>;
  /** The same record by record, for what is too large to hold. */
  exportLines(caller: Caller): AsyncGenerator<ExportLine | LeftOutLine>;
  /** Takes an export in; bad records are reported, the others stored. */
  import(
    input: unknown,
    caller: Caller,
    onProgress?: (progress: ImportProgress) => void,
  ): Promise<ImportResult>;
  health(): Promise<MemoryHealth>;
  /** Resolves when everything that answers did not wait for (access counts) is stored. */
  settled(): Promise<void>;
}

/** Parents of identities never change, so they are remembered; the oldest are dropped. */
const MAX_PARENTS = 1_000;

export function createWorkMemory(deps: WorkMemoryDeps): WorkMemory {
  const { onUnembedded, storageProblem = () => null, phrases, ...parts } = deps;
  const { records, agentId } = parts;
  const parents = new Map<Uuid, Uuid | null>();

  const context: MemoryContext = {
    ...parts,
    rule: {
      agentId,
      ofSession: (sessionId) => identityOfSession(records.projectId, sessionId),
      async parentOf(id) {
        const known = parents.get(id);
        if (known !== undefined) return known;
        const parent = id === agentId ? null : await parentOf(records, id);
        // An unknown identity may be registered later.
        if (parent !== null) remember(id, parent);
        return parent;
      },
    },
  };
  const { recall, settled } = createRecall(context);
  const writer = phrases === undefined ? null : createPhraseWriter(context, phrases);

  function remember(id: Uuid, parent: Uuid | null): void {
    const [oldest] = parents.keys();
    if (parents.size >= MAX_PARENTS && oldest !== undefined) parents.delete(oldest);
    parents.set(id, parent);
  }

  /** Writing as somebody means that the project knows them. @throws NotFoundError */
  async function known(caller: Caller): Promise<Caller> {
    const id = registeredIdOf(caller);
    if (id === undefined || id === agentId || parents.has(id)) return caller;
    remember(id, (await identityOf(records, id)).data.parent_id);
    return caller;
  }

  /**
   * Whoever makes something new is its author: a client that has registered nothing as its session.
   * @throws AppError PERMISSION_DENIED for a client without a session, NotFoundError
   */
  async function author(caller: Caller): Promise<Caller> {
    if (caller.kind !== 'agent' || caller.identityId !== undefined) return known(caller);
    const { sessionId, clientName } = caller;
    if (sessionId === undefined) {
      throw new AppError(
        'PERMISSION_DENIED',
        'register an identity first: nobody can be its author',
      );
    }
    const as = inSession(caller, context.rule);
    const id = context.rule.ofSession(sessionId);
    if (!parents.has(id)) {
      await registerSession(context, { sessionId, clientName });
      remember(id, null);
    }
    return as;
  }

  function told<Result extends { degraded?: string }>(result: Result): Result {
    if (result.degraded !== undefined) onUnembedded?.();
    return result;
  }

  function kept(result: StoreResult): StoreResult {
    if (result.created && result.memory.remind_when.length === 0) writer?.add(result.memory.id);
    return told(result);
  }

  return {
    store: async (input, caller) => kept(await store(context, input, await author(caller))),
    async capture(run, caller) {
      const result = await capture(context, run, await author(caller));
      return result.memory_id === null ? result : kept(result);
    },
    updateMemory: async (input, caller) =>
      told(await updateMemory(context, input, await known(caller))),
    get: (ref, caller, options) => get(context, ref, caller, options),
    recall,
    trace: (input, caller) => trace(context, input, caller),
    list: (input, caller) => list(context, input, caller),
    link: async (input, caller) => link(context, input, await author(caller)),
    identity: (input, caller) => identity(context, input, caller),
    createChapter: async (input, caller, work) =>
      createChapter(context, input, await author(caller), work),
    listChapters: (input, caller) => listChapters(context, input, caller),
    synthesize: async (input, caller, work) =>
      synthesize(context, input, await author(caller), work),
    recallWisdom: (input, caller) => recallWisdom(context, input, caller),
    forget: async (input, caller, work) => forget(context, input, await known(caller), work),
    export: (input, caller) => exportMemories(context, input, caller),
    exportLines: (caller) => exportLines(context, caller),
    import: async (input, caller, onProgress) =>
      told(await importMemories(context, input, await author(caller), onProgress)),
    async health() {
      const catalog = records.catalog.status();
      const aside = records.setAside(workMemoryType);
      const embeddings = context.embeddings.status();
      return {
        project_id: records.projectId,
        memories: await records.count(workMemoryType, { kind: 'operator' }),
        set_aside: aside.length,
        catalog,
        embeddings,
        degraded: [
          ...(aside.length === 0 ? [] : [asideWords(aside)]),
          ...[storageProblem()].filter((problem) => problem !== null),
          ...(embeddings.degraded === undefined ? [] : [embeddings.degraded]),
          ...(catalog.state === 'ready' ? [] : [`the catalog is ${catalog.state}`]),
          ...[records.older(workMemoryType)?.lacking() ?? []].flat(),
        ],
      };
    },
    async settled() {
      await writer?.settled();
      await settled();
    },
  };
}

const NAMED_ASIDE = 3;

function asideWords(ids: readonly Uuid[]): string {
  const named = ids.slice(0, NAMED_ASIDE).join(', ');
  const more = ids.length > NAMED_ASIDE ? ` and ${ids.length - NAMED_ASIDE} more` : '';
  const what =
    ids.length === 1 ? '1 memory is damaged and' : `${ids.length} memories are damaged and`;
  return `${what} set aside, neither found nor exported (table memories, id ${named}${more}; the log says why)`;
}
