/**
 * What the rooms that watch (proactive) may look up of work memory: the catalog's shelf for checks
 * that must cost next to nothing, and rows, links and names for what is shown in the end. While the
 * catalog loads, a shelf made of the newest rows of the database stands in and says so.
 */
import type { Embedder } from '../embeddings/index.js';
import {
  audienceOf,
  createCatalog,
  type LinkEdge,
  type OlderQuestion,
  projectIdOf,
  type Reader,
  type RecordStore,
  type Shelf,
  type SlotFilter,
  type StoredRecord,
} from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { analyze } from '../shared/text.js';
import { soundVector } from './embed.js';
import { fileKey } from './file-key.js';
import { edgesOf } from './graph.js';
import { printIn } from './ids.js';
import { bringOlder } from './older.js';
import { identityType, workMemoryType } from './records.js';
import type { WorkMemoryData } from './schema.js';

/** A shelf to look things up in, and what is worse than it should be about it. */
export interface LookUp {
  shelf: Shelf;
  degraded?: string;
}

/** A text's vector and what its model calls similar. */
export interface EmbeddedText {
  vector: Float32Array;
  embedder: Pick<Embedder, 'id' | 'thresholds'>;
}

export interface MemoryChecks {
  readonly projectId: Uuid;
  readonly agentId: Uuid;
  /** For records of other rooms that belong to this project. */
  readonly store: RecordStore;
  /** Whether the text names this project: its id, or the name in `CUE_PROJECT`. */
  isProject(id: string): boolean;
  /** At once, save while the catalog loads: then the newest rows are read from the database. */
  lookUp(): Promise<LookUp>;
  /**
   * Brings into the shelf what could answer and the catalog does not hold. Returns what cannot be found
   * yet, in words.
   */
  bringOlder(question: OlderQuestion): Promise<string | null>;
  /**
   * The key of memories about this file: of those whose path ends in it; where there are none, of
   * those whose whole path it ends in. `undefined` when the text is no path or nobody knows it.
   */
  fileKey(shelf: Shelf, path: string, filter: SlotFilter): string | undefined;
  /** In the order of `ids`; what is gone or not the reader's is absent. `heldMs` as of `RecordStore.get`. */
  rows(
    ids: readonly Uuid[],
    reader: Reader,
    heldMs?: number,
  ): Promise<StoredRecord<WorkMemoryData>[]>;
  /** Edges that begin or end at one of the memories. */
  links(ids: readonly Uuid[]): Promise<LinkEdge[]>;
  /** `null` when the model fails: then words have to do. */
  embed(text: string): Promise<EmbeddedText | null>;
  /** Printed id, `mem_…`. */
  print(id: Uuid): string;
  /** What an author is called in a text: the agent's or the identity's name, else a short id. */
  nameOf(authorId: Uuid): Promise<string>;
}

export interface MemoryChecksDeps {
  records: RecordStore;
  /** The embedder that serves. */
  embedder: () => Embedder;
  clock: Clock;
  log: Log;
  agentId: Uuid;
  /** Name of the Eliza agent's character. */
  agentName: string;
  /** `CUE_PROJECT`. */
  project?: string | undefined;
}

/** Rows read while the catalog loads, and how long they stand for the database. */
const NEWEST = 1_000;
const CHUNK = 200;
const FRESH_MS = 5_000;
const MOST_NAMES = 1_000;

export function createMemoryChecks(deps: MemoryChecksDeps): MemoryChecks {
  const { records, clock, log, agentId } = deps;
  const { catalog, projectId } = records;
  const names = new Map<Uuid, string>();
  let standIn: { atMs: number; shelf: Promise<LookUp> } | null = null;

  async function fromDatabase(): Promise<LookUp> {
    const embedder = deps.embedder();
    const made = createCatalog({ analyze, project: projectId });
    const shelf = made.shelf(workMemoryType.name);
    shelf.setModel(embedder.id);
    let read = 0;
    for await (const rows of records.scan(
      workMemoryType,
      { kind: 'operator' },
      { chunk: CHUNK, newestFirst: true },
    )) {
      for (const { id, createdAtMs, scope, data } of rows) {
        const entry = workMemoryType.index?.(data, createdAtMs);
        if (entry) shelf.put({ id, audience: audienceOf(scope), vector: null, ...entry });
      }
      read += rows.length;
      if (read >= NEWEST) break;
      await yieldToLoop();
    }
    return {
      shelf,
      degraded: `the search index is loading: the newest ${read} memories were read from the database`,
    };
  }

  return {
    projectId,
    agentId,
    store: records,
    isProject: (id) =>
      id.toLowerCase() === projectId ||
      (deps.project !== undefined &&
        (id === deps.project || projectIdOf(agentId, id) === projectId)),
    async lookUp() {
      if (catalog.status().state === 'ready') {
        standIn = null;
        return { shelf: catalog.shelf(workMemoryType.name) };
      }
      const nowMs = clock.now();
      if (standIn === null || Math.abs(nowMs - standIn.atMs) > FRESH_MS) {
        const shelf = fromDatabase();
        const mine = { atMs: nowMs, shelf };
        standIn = mine;
        shelf.catch(() => {
          if (standIn === mine) standIn = null;
        });
      }
      return standIn.shelf;
    },
    bringOlder: async (question) => {
      const brought = await bringOlder({ records, log }, question);
      return brought?.lacking ?? null;
    },
    fileKey,
    rows: (ids, reader, heldMs) => records.get(workMemoryType, ids, reader, heldMs),
    links: (ids) => edgesOf({ records }, ids),
    async embed(text) {
      const embedder = deps.embedder();
      try {
        return { vector: await soundVector(embedder, text), embedder };
      } catch (error) {
        log.warn({ model: embedder.id, reason: messageOf(error) }, 'a check without vectors');
        return null;
      }
    },
    print: (id) => printIn(records, 'memory', id),
    async nameOf(authorId) {
      if (authorId === agentId) return deps.agentName;
      const known = names.get(authorId);
      if (known !== undefined) return known;
      const [identity] = await records.get(identityType, [authorId], { kind: 'operator' });
      const short = `agent-${authorId.slice(0, 8)}`;
      // Who is not registered may be so later.
      if (!identity) return short;
      const name = identity.data.name ?? short;
      const [oldest] = names.keys();
      if (names.size >= MOST_NAMES && oldest !== undefined) names.delete(oldest);
      names.set(authorId, name);
      return name;
    },
  };
}
