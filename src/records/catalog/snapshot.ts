/**
 * A catalog as bytes and back, so that a start need not read every row of the database, nor count
 * and sort anew: a shelf is written as the arrays it is made of.
 *
 * Writing takes turns with the event loop, and the catalog may change meanwhile: a shelf is copied at
 * one moment, but shelves at different ones. So the watermark that a reader catches up from is the
 * one of *before* writing began; removals since then come with it too.
 */
import { endianness } from 'node:os';
import { z } from 'zod';
import { yieldToLoop } from '../../shared/async.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { type CatalogDeps, createCatalog, type MemoryCatalog } from './catalog.js';
import { type Frame, readFrame, SnapshotError, writeFrame } from './snapshot-frames.js';
import { copyLive, jsonBytes, partsOf, SavedShelf } from './snapshot-shelf.js';
import type { Analyze, LinkEdge } from './types.js';

const VERSION = 4;
/** Bytes of a frame: some milliseconds. */
const FRAME_BYTES = 2 ** 21;
const LINKS_PER_FRAME = 5_000;
/** Documents copied into another shelf before the event loop has its turn. */
const DOCS_PER_TURN = 100;

/** Words that a change of the analysis would cut differently: then the snapshot is stale. */
const PROBE =
  'The createdUsers of http_server.ts were indexing 42 files, re-running naïve retries; ОШИБКА 検索';

/** The frames in order. */
export async function* encodeSnapshot(catalog: MemoryCatalog): AsyncGenerator<Uint8Array, void> {
  let frames = 1;
  yield writeFrame({
    kind: 'head',
    version: VERSION,
    project: catalog.project,
    byteOrder: endianness(),
    analysis: analysisOf(catalog.analyze),
    instant: catalog.instant?.id ?? null,
  });
  const shelves: { type: string; model: string | null }[] = [];
  for (const shelf of catalog.shelves()) {
    const { type, model } = shelf;
    shelves.push({ type, model });
    for (const [name, { buffer, byteOffset, byteLength }] of partsOf(shelf)) {
      for (let from = 0; from === 0 || from < byteLength; from += FRAME_BYTES) {
        await yieldToLoop();
        frames += 1;
        const length = Math.min(FRAME_BYTES, byteLength - from);
        yield writeFrame(
          { kind: 'part', shelf: type, name, total: byteLength, from },
          new Uint8Array(buffer, byteOffset + from, length),
        );
      }
    }
  }
  let edges: LinkEdge[] = [];
  for (const edge of catalog.allLinks()) {
    edges.push(edge);
    if (edges.length < LINKS_PER_FRAME) continue;
    frames += 1;
    yield writeFrame({ kind: 'links' }, padded(jsonBytes(edges)));
    edges = [];
    await yieldToLoop();
  }
  frames += 2;
  yield writeFrame({ kind: 'links' }, padded(jsonBytes(edges)));
  yield writeFrame({ kind: 'end', frames, shelves });
}

/**
 * The catalog in a snapshot, in state `loading`; each of the pieces is one frame or more. Gives the event loop a turn every few milliseconds.
 * @throws SnapshotError for damaged bytes, another version, project or analysis of words
 */
export async function decodeSnapshot(
  pieces: readonly Uint8Array[],
  deps: CatalogDeps,
): Promise<MemoryCatalog> {
  const frames = await readFrames(pieces);
  checkHead(frames[0], deps);
  const end = frames.at(-1)?.meta;
  if (end?.kind !== 'end' || end.frames !== frames.length) throw new SnapshotError('it is cut off');

  const catalog = createCatalog(deps);
  for (const { type, model } of end.shelves) {
    const shelf = catalog.shelf(type);
    const saved = new SavedShelf(await wholeParts(frames, type));
    const loaded = saved.isSparse ? createCatalog(deps).shelf(type) : shelf;
    for (const one of [shelf, loaded]) if (model !== null) one.setModel(model);
    for (const _ of saved.into(loaded)) await yieldToLoop();
    if (loaded === shelf) continue;
    for (let slot = 0; slot < loaded.slots; slot += DOCS_PER_TURN) {
      await yieldToLoop();
      copyLive(loaded, shelf, slot, Math.min(loaded.slots, slot + DOCS_PER_TURN));
    }
  }
  for (const { meta, payload } of frames) {
    if (meta.kind !== 'links') continue;
    await yieldToLoop();
    for (const edge of readJson(payload, edgesSchema)) catalog.links.put(edge);
  }
  return catalog;
}

async function readFrames(pieces: readonly Uint8Array[]): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (const bytes of pieces) {
    for (let at = 0; at < bytes.length; ) {
      await yieldToLoop();
      const { frame, next } = readFrame(bytes, at);
      frames.push(frame);
      at = next;
    }
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

/** The parts of a shelf, put together of their frames. */
async function wholeParts(
  frames: readonly Frame[],
  shelf: string,
): Promise<Map<string, Uint8Array>> {
  const parts = new Map<string, Uint8Array>();
  for (const { meta, payload } of frames) {
    if (meta.kind !== 'part' || meta.shelf !== shelf) continue;
    const part = parts.get(meta.name) ?? new Uint8Array(meta.total);
    part.set(payload.subarray(0, meta.total - meta.from), meta.from);
    parts.set(meta.name, part);
    await yieldToLoop();
  }
  return parts;
}

function analysisOf(analyze: Analyze): string {
  return analyze(PROBE).join(' ');
}

const uuidSchema = z.custom<Uuid>(isUuid);
const edgesSchema = z.array(
  z.object({ id: uuidSchema, source: uuidSchema, target: uuidSchema, type: z.string() }),
);

/** With spaces up to a multiple of 8 bytes: frames pad with zeros, which JSON refuses. */
function padded(json: Uint8Array): Uint8Array {
  return Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, ' ')]);
}

function readJson<T>(payload: Uint8Array, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(payload).toString()));
  } catch (cause) {
    throw new SnapshotError('a table has an unknown form', { cause });
  }
}
