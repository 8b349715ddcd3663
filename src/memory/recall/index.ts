/** Recall: what is asked, the cascade, and the answer under the token caps (DESIGN §7). */
import { performance } from 'node:perf_hooks';
import type { StoredRecord } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import { type Caller, readerOf } from '../access.js';
import { isoOf, type MemoryContext } from '../context.js';
import { shownLinks } from '../graph.js';
import { printIn } from '../ids.js';
import { bringOlder } from '../older.js';
import { workMemoryType } from '../records.js';
import { renderMemory, type ShownLinks } from '../render.js';
import type { WorkMemoryData } from '../schema.js';
import { countAccesses } from './accesses.js';
import { type NamedStage, runCascade } from './cascade.js';
import { readRequest } from './request.js';
import { olderOf, searchOf } from './search.js';
import type { Candidate, RecalledMemory, RecallResult } from './types.js';

export type { RecallInput } from './request.js';
export type { RecalledMemory, RecallResult, StageName } from './types.js';

export interface RecallOptions {
  /** IANA zone in which "yesterday" is read; UTC when absent. */
  zone?: string;
  /** Other stages than the usual ones: the evaluation measures each alone. */
  stages?: readonly NamedStage[];
  /** False: it is no use of what it finds (providers that look ahead, evaluations, a person who looks around). */
  counted?: boolean;
}

export interface Recall {
  /**
   * @param input an object (`recallSchema`) or a reference string
   * @throws InvalidInputError, NotFoundError (a memory or session that is named)
   */
  recall(input: unknown, caller: Caller, options?: RecallOptions): Promise<RecallResult>;
  /** Resolves when the access counts of all answers so far are stored. */
  settled(): Promise<void>;
}

export function createRecall(context: MemoryContext): Recall {
  const { records, clock, log } = context;
  const accesses = countAccesses(context);

  return {
    async recall(input, caller, options = {}) {
      const request = readRequest(input);
      const nowMs = clock.now();
      const when = { nowMs, zone: options.zone ?? 'UTC' };
      const embedder = context.embeddings.current();
      const older =
        records.older(workMemoryType) === null
          ? null
          : await olderOf(embedder, request, caller, when);
      const brought = older && (await bringOlder(context, older));
      const search = {
        ...(await searchOf(context, request, caller, when)),
        ...(older?.vector && { vector: older.vector }),
      };
      const outcome = await runCascade(
        { records, log, embedder },
        search,
        () => performance.now(),
        options.stages,
      );
      const reader = readerOf(caller);
      const rows = await rowsOf(outcome.found, reader);
      const links = request.include_links
        ? await shownLinks(
            context,
            rows.map(({ record }) => record.id),
            reader,
          )
        : new Map<Uuid, ShownLinks>();
      let tokens = 0;
      const memories = rows.map(({ record, candidate }): RecalledMemory => {
        const shown = shownOf(record, candidate, links.get(record.id));
        tokens += shown.tokens;
        return shown.memory;
      });
      if (options.counted !== false) {
        const ids = rows.map(({ record }) => record.id);
        accesses.add(ids);
        context.observer?.used({ how: 'recalled', ids, caller });
      }
      const degraded = [
        ...loadingNote(),
        ...outcome.degraded,
        ...modelNote(),
        ...(brought?.lacking ? [brought.lacking] : []),
      ];
      return {
        memories,
        total_matches: outcome.total,
        token_count: tokens,
        stages: outcome.stages,
        ...(brought ? { from_database: brought.ids.size } : {}),
        ...(degraded.length > 0 ? { degraded: degraded.join('; ') } : {}),
      };

      function shownOf(
        record: StoredRecord<WorkMemoryData>,
        candidate: Candidate,
        shownLinksOf: ShownLinks | undefined,
      ) {
        const memoryId = printIn(records, 'memory', record.id);
        const { createdAtMs, data } = record;
        const content = renderMemory(
          { memoryId, createdAtMs, data, ...(shownLinksOf ? { links: shownLinksOf } : {}) },
          request.depth,
          nowMs,
        );
        const memory: RecalledMemory = {
          memory_id: memoryId,
          depth: request.depth,
          content: content.text,
          confidence: candidate.confidence,
          stage: candidate.stage,
          why: candidate.why,
          fuzzy: candidate.fuzzy,
          created_at: isoOf(createdAtMs),
          success: data.outcome.success,
          origin: data.origin,
          ...(brought?.ids.has(record.id) ? { from_database: true } : {}),
          ...(request.include_links ? { links: shownLinksOf ?? {} } : {}),
        };
        return { memory, tokens: content.tokens };
      }
    },

    settled: () => accesses.settled(),
  };

  /** Rows of the candidates, in their order; what vanished meanwhile is left out. */
  async function rowsOf(found: readonly Candidate[], reader: ReturnType<typeof readerOf>) {
    const records_ = await records.get(
      workMemoryType,
      found.map(({ id }) => id),
      reader,
    );
    const byId = new Map(records_.map((record) => [record.id, record]));
    return found.flatMap((candidate) => {
      const record = byId.get(candidate.id);
      return record ? [{ record, candidate }] : [];
    });
  }

  function loadingNote(): string[] {
    const status = records.catalog.status();
    if (status.state === 'ready') return [];
    return status.state === 'failed'
      ? [`the search index could not be loaded: ${status.reason}`]
      : [
          `the search index is loading (${status.loaded}${status.total === null ? '' : ` of ${status.total}`} records so far): the newest are searched, older ones may be missing`,
        ];
  }

  function modelNote(): string[] {
    const { degraded } = context.embeddings.status();
    return degraded === undefined ? [] : [degraded];
  }
}
