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
    kind: z.literal('part'),
    shelf: z.string(),
    name: z.string(),
    /** Bytes of the whole part, and where in it this piece begins. */
    total: count,
    from: count,
  }),
  z.object({ kind: z.literal('links') }),
  z.object({
    kind: z.literal('end'),
    frames: count,
    shelves: z.array(z.object({ type: z.string(), model: z.string().nullable() })),
  }),
]);

export type FrameMeta = z.infer<typeof frameSchema>;

export interface Frame {
  meta: FrameMeta;
  /** A view of what was read. Padded with zeros to a multiple of 8 bytes. */
  payload: Uint8Array;
}

const MAGIC = 0x51455543;
const HEADER_BYTES = 16;
const padded = (length: number) => Math.ceil(length / 8) * 8;

export function writeFrame(meta: FrameMeta, payload: Uint8Array = new Uint8Array(0)): Uint8Array {
  const line = Buffer.from(JSON.stringify(meta));
  const payloadLength = padded(payload.length);
  const frame = new Uint8Array(HEADER_BYTES + padded(line.length) + payloadLength);
  frame.set(line, HEADER_BYTES);
  frame.set(payload, HEADER_BYTES + padded(line.length));
  const header = new DataView(frame.buffer);
  header.setUint32(0, MAGIC, true);
  header.setUint32(4, line.length, true);
  header.setUint32(8, payloadLength, true);
  header.setUint32(12, crc32(frame.subarray(HEADER_BYTES)), true);
  return frame;
}

/**
 * The frame at an offset and the offset behind it.
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
  return { frame: { meta: parseMeta(line), payload: bytes.subarray(payloadAt, next) }, next };
}

function parseMeta(line: string): FrameMeta {
  try {
    return frameSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new SnapshotError('a frame has an unknown form', { cause });
  }
}
