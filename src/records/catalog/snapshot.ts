/**
 * A catalog as bytes and back, so that a start need not read every row of the database. What can be
 * derived (postings, counts, orders) is not written but rebuilt.
 *
 * Writing takes turns with the event loop, and the catalog may change meanwhile: every frame is
 * whole in itself, but the frames are of different moments. So the watermark that a reader catches
 * up from is the one of *before* writing began; removals since then come with it too.
 */
import { endianness } from 'node:os';
import { z } from 'zod';
import { yieldToLoop } from '../../shared/async.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { type CatalogDeps, createCatalog, type MemoryCatalog } from './catalog.js';
import type { Interner } from './interner.js';
import type { MemoryShelf } from './shelf.js';
import {
  AUDIENCE_COLUMN,
  appendDocs,
  type DecodedDocs,
  DOC_COLUMNS,
  decodeDocs,
  encodeDocs,
  type Renumbering,
  THREAD_COLUMN,
} from './snapshot-docs.js';
import { type Frame, readFrame, SnapshotError, writeFrame } from './snapshot-frames.js';
import type { Analyze, LinkEdge } from './types.js';

const VERSION = 3;
/** A frame of this many documents takes 1 to 3 ms. */
const DOCS_PER_FRAME = 500;
const STRINGS_PER_FRAME = 10_000;
const LINKS_PER_FRAME = 5_000;

/** Words that a change of the analysis would cut differently: then the snapshot is stale. */
const PROBE =
  'The createdUsers of http_server.ts were indexing 42 files, re-running naïve retries; ОШИБКА 検索';
const STRING_TABLES = ['keys', 'words', 'audiences', 'threads'] as const;
type StringTable = (typeof STRING_TABLES)[number];

/** The frames in order; concatenated they are what `decodeSnapshot` takes. */
export async function* encodeSnapshot(catalog: MemoryCatalog): AsyncGenerator<Uint8Array, void> {
  let frames = 1;
  yield writeFrame(
    {
      kind: 'head',
      version: VERSION,
      project: catalog.project,
      byteOrder: endianness(),
      analysis: analysisOf(catalog.analyze),
      instant: catalog.instant?.id ?? null,
    },
    [],
  );
  // Shelves, slots and strings are only ever added to: loops that read the bound anew end with all.
  for (let at = 0; at < catalog.shelves().length; at += 1) {
    const shelf = catalog.shelves()[at] as MemoryShelf;
    for (let slot = 0; slot < shelf.slots; slot += DOCS_PER_FRAME) {
      await yieldToLoop();
      frames += 1;
      yield encodeDocs(shelf, slot, Math.min(shelf.slots, slot + DOCS_PER_FRAME));
    }
  }
  for (const shelf of catalog.shelves()) {
    for (const table of STRING_TABLES) {
      const strings = stringsOf(shelf, table);
      for (let from = 0; from < strings.size; from += STRINGS_PER_FRAME) {
        await yieldToLoop();
        frames += 1;
        const texts = strings.texts(from, from + STRINGS_PER_FRAME);
        yield writeFrame({ kind: 'strings', shelf: shelf.type, of: table }, [jsonBytes(texts)]);
      }
    }
  }
  let edges: LinkEdge[] = [];
  for (const edge of catalog.allLinks()) {
    edges.push(edge);
    if (edges.length < LINKS_PER_FRAME) continue;
    frames += 1;
    yield writeFrame({ kind: 'links' }, [jsonBytes(edges)]);
    edges = [];
    await yieldToLoop();
  }
  frames += 2;
  yield writeFrame({ kind: 'links' }, [jsonBytes(edges)]);
  const shelves = catalog.shelves().map(({ type, model }) => ({ type, model }));
  yield writeFrame({ kind: 'end', frames, shelves }, []);
}

/**
 * The catalog in a snapshot, in state `loading`. Gives the event loop a turn every few milliseconds.
 * @throws SnapshotError for damaged bytes, another version, project or analysis of words
 */
export async function decodeSnapshot(bytes: Uint8Array, deps: CatalogDeps): Promise<MemoryCatalog> {
  const frames = await readFrames(bytes);
  checkHead(frames[0], deps);
  const end = frames.at(-1)?.meta;
  if (end?.kind !== 'end' || end.frames !== frames.length) throw new SnapshotError('it is cut off');

  const catalog = createCatalog(deps);
  for (const { type, model } of end.shelves) {
    const shelf = catalog.shelf(type);
    if (model !== null) shelf.setModel(model);
    const docs: DecodedDocs[] = [];
    for (const { meta, payload } of frames) {
      if (meta.kind !== 'docs' || meta.shelf !== type) continue;
      docs.push(decodeDocs(meta, payload, shelf));
      await yieldToLoop();
    }
    const renumbering: Renumbering = {
      keys: await renumber(shelf, 'keys', frames, docs),
      words: await renumber(shelf, 'words', frames, docs),
      audiences: await renumber(shelf, 'audiences', frames, docs),
      threads: await renumber(shelf, 'threads', frames, docs),
    };
    for (const part of docs) {
      await yieldToLoop();
      appendDocs(shelf, part, renumbering, part.meta.model === model);
    }
  }
  for (const { meta, payload } of frames) {
    if (meta.kind !== 'links') continue;
    await yieldToLoop();
    for (const edge of readJson(payload, edgesSchema)) catalog.links.put(edge);
  }
  return catalog;
}

async function readFrames(bytes: Uint8Array): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    await yieldToLoop();
    const { frame, next } = readFrame(bytes, at);
    frames.push(frame);
    at = next;
  }
  return frames;
}

function checkHead(frame: Frame | undefined, deps: CatalogDeps): void {
  const meta = frame?.meta;
  if (meta?.kind !== 'head') throw new SnapshotError('it has no head');
  if (meta.version !== VERSION) throw new SnapshotError(`its version is ${meta.version}`);
  if (meta.byteOrder !== endianness()) throw new SnapshotError('it is of another machine');
  if (meta.project !== deps.project) throw new SnapshotError('it is of another project');
  if (meta.analysis !== analysisOf(deps.analyze)) {
    throw new SnapshotError('words are analyzed differently now');
  }
  if (meta.instant !== (deps.instant?.id ?? null)) {
    throw new SnapshotError('its second vectors are of another model');
  }
}

/**
 * Makes the strings that documents use known to the shelf, in their old order, and room for their
 * postings. Strings nobody uses any more stay behind (-1).
 */
async function renumber(
  shelf: MemoryShelf,
  table: StringTable,
  frames: readonly Frame[],
  docs: readonly DecodedDocs[],
): Promise<Int32Array> {
  const texts: string[] = [];
  for (const { meta, payload } of frames) {
    if (meta.kind !== 'strings' || meta.shelf !== shelf.type || meta.of !== table) continue;
    await yieldToLoop();
    for (const text of readJson(payload, stringsSchema)) texts.push(text);
  }
  const uses = new Int32Array(texts.length);
  for (const part of docs) {
    countUses(part, table, shelf.words.postings.bits, uses);
    await yieldToLoop();
  }
  const numbers = new Int32Array(texts.length).fill(-1);
  const strings = stringsOf(shelf, table);
  for (const [old, text] of texts.entries()) {
    const count = uses[old] as number;
    if (count === 0) continue;
    const number = strings.intern(text);
    numbers[old] = number;
    if (table === 'keys') shelf.keys.reserve(number, count);
    if (table === 'words') shelf.words.postings.reserve(number, count);
    if (number % STRINGS_PER_FRAME === 0) await yieldToLoop();
  }
  return numbers;
}

function countUses(part: DecodedDocs, table: StringTable, bits: number, uses: Int32Array): void {
  const count = (number: number) => {
    if (number >= 0 && number < uses.length) uses[number] = (uses[number] as number) + 1;
  };
  if (table === 'keys') for (const number of part.keys) count(number);
  if (table === 'words') for (const entry of part.words) count(entry >>> bits);
  const column = { keys: null, words: null, audiences: AUDIENCE_COLUMN, threads: THREAD_COLUMN }[
    table
  ];
  if (column === null) return;
  for (let i = column; i < part.columns.length; i += DOC_COLUMNS) count(part.columns[i] as number);
}

function stringsOf(shelf: MemoryShelf, table: StringTable): Interner {
  switch (table) {
    case 'keys':
      return shelf.keys.names;
    case 'words':
      return shelf.words.postings.names;
    case 'audiences':
      return shelf.audiences;
    case 'threads':
      return shelf.threads;
  }
}

function analysisOf(analyze: Analyze): string {
  return analyze(PROBE).join(' ');
}

const uuidSchema = z.custom<Uuid>(isUuid);
const stringsSchema = z.array(z.string());
const edgesSchema = z.array(
  z.object({ id: uuidSchema, source: uuidSchema, target: uuidSchema, type: z.string() }),
);

/** JSON, with spaces up to a multiple of 8 bytes: frames pad with zeros, which JSON refuses. */
function jsonBytes(value: unknown): Uint8Array {
  const text = Buffer.from(JSON.stringify(value));
  return Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, ' ')]);
}

function readJson<T>(payload: Uint8Array, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(payload).toString()));
  } catch (cause) {
    throw new SnapshotError('a table has an unknown form', { cause });
  }
}
