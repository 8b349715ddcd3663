/**
 * The frames a snapshot is made of: magic, lengths and checksum, then a line of JSON that says what
 * it is, then numbers. A frame is whole or refused, so a torn or flipped file is noticed.
 */
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { AppError } from '../../shared/errors.js';

/** The bytes are no snapshot of this catalog: load from the database instead. */
export class SnapshotError extends AppError {
  override readonly name = 'SnapshotError';
  constructor(reason: string, options?: { cause?: unknown }) {
    super('INVALID_INPUT', `unusable snapshot: ${reason}`, { reason }, options);
  }
}

const count = z.int().nonnegative();

export const frameSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('head'),
    version: z.int(),
    project: z.string(),
    byteOrder: z.string(),
    analysis: z.string(),
    /** Model of the second vectors. */
    instant: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('docs'),
    shelf: z.string(),
    /** Model of the vectors when the frame was written. */
    model: z.string().nullable(),
    docs: count,
    keys: count,
    words: count,
    vectors: count,
    seconds: count,
  }),
  z.object({
    kind: z.literal('strings'),
    shelf: z.string(),
    of: z.enum(['keys', 'words', 'audiences', 'threads']),
  }),
  z.object({ kind: z.literal('links') }),
  z.object({
    kind: z.literal('end'),
    frames: count,
    shelves: z.array(z.object({ type: z.string(), model: z.string().nullable() })),
  }),
]);

export type FrameMeta = z.infer<typeof frameSchema>;
export type MetaOf<Kind extends FrameMeta['kind']> = Extract<FrameMeta, { kind: Kind }>;

export interface Frame {
  meta: FrameMeta;
  /** Begins at a multiple of 8 of its buffer. */
  payload: Uint8Array;
}

const MAGIC = 0x51455543;
const HEADER_BYTES = 16;
const padded = (length: number) => Math.ceil(length / 8) * 8;

/** A frame with these parts one after the other as payload, each padded to 8 bytes. */
export function writeFrame(meta: FrameMeta, parts: readonly ArrayBufferView[]): Uint8Array {
  const line = Buffer.from(JSON.stringify(meta));
  const payloadLength = parts.reduce((sum, part) => sum + padded(part.byteLength), 0);
  const frame = new Uint8Array(HEADER_BYTES + padded(line.length) + payloadLength);
  frame.set(line, HEADER_BYTES);
  let at = HEADER_BYTES + padded(line.length);
  for (const part of parts) {
    frame.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += padded(part.byteLength);
  }
  const header = new DataView(frame.buffer);
  header.setUint32(0, MAGIC, true);
  header.setUint32(4, line.length, true);
  header.setUint32(8, payloadLength, true);
  header.setUint32(12, crc32(frame.subarray(HEADER_BYTES)), true);
  return frame;
}

/**
 * The frame at an offset and the offset behind it. The payload is a copy.
 * @throws SnapshotError
 */
export function readFrame(bytes: Uint8Array, offset: number): { frame: Frame; next: number } {
  if (offset + HEADER_BYTES > bytes.length) throw new SnapshotError('it is cut off');
  const header = new DataView(bytes.buffer, bytes.byteOffset + offset, HEADER_BYTES);
  if (header.getUint32(0, true) !== MAGIC) throw new SnapshotError('it does not look like one');
  const lineLength = header.getUint32(4, true);
  const payloadAt = offset + HEADER_BYTES + padded(lineLength);
  const next = payloadAt + header.getUint32(8, true);
  if (next > bytes.length) throw new SnapshotError('it is cut off');
  if (crc32(bytes.subarray(offset + HEADER_BYTES, next)) !== header.getUint32(12, true)) {
    throw new SnapshotError('a checksum is wrong');
  }
  const lineAt = offset + HEADER_BYTES;
  const line = Buffer.from(bytes.subarray(lineAt, lineAt + lineLength)).toString();
  return {
    frame: { meta: parseMeta(line), payload: new Uint8Array(bytes.subarray(payloadAt, next)) },
    next,
  };
}

function parseMeta(line: string): FrameMeta {
  try {
    return frameSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new SnapshotError('a frame has an unknown form', { cause });
  }
}

/** Reads the parts of a payload in the order they were written. */
export class PayloadReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  float64(length: number): Float64Array {
    return new Float64Array(this.#bytes.buffer, this.#take(length * 8), length);
  }

  float32(length: number): Float32Array {
    return new Float32Array(this.#bytes.buffer, this.#take(length * 4), length);
  }

  int32(length: number): Int32Array {
    return new Int32Array(this.#bytes.buffer, this.#take(length * 4), length);
  }

  uint32(length: number): Uint32Array {
    return new Uint32Array(this.#bytes.buffer, this.#take(length * 4), length);
  }

  int8(length: number): Int8Array {
    return new Int8Array(this.#bytes.buffer, this.#take(length), length);
  }

  #take(bytes: number): number {
    const at = this.#at;
    this.#at += padded(bytes);
    if (this.#at > this.#bytes.length) throw new SnapshotError('a frame is too short');
    return this.#bytes.byteOffset + at;
  }
}
