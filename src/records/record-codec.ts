/**
 * A typed record ⇄ its row in `memories`. The record is the metadata: an envelope of ours around
 * `data`. What cannot be read is a finding, so that one damaged row never hides the others.
 */
import { z } from 'zod';
import { AppError, messageOf } from '../shared/errors.js';
import { isUuid, type Uuid } from '../shared/ids.js';
import type { DamagedRecord, NewTypedRecord, RecordType, StoredRecord } from './record-type.js';
import { audienceOf, type Scope, VISIBILITIES } from './scope.js';

/** The type of a row whose record was removed; `metadata.was` says what it had been. */
export const TOMBSTONE_TYPE = 'cue_tombstone';

/** A row as our statements return it. */
export type StoredRow = {
  id: Uuid;
  created_ms: string | number;
  text: string | null;
  metadata: Record<string, unknown> | null;
  /** A `halfvec` in base64, where the statement asked for it, or the vector just written. */
  vector?: string | Float32Array | null;
};

/** A row as our statements take it, without the host's columns. */
export interface RowDraft {
  id: Uuid;
  created_ms: number;
  text: string;
  metadata: Record<string, unknown>;
  /** pgvector's input text. */
  vector: string | null;
}

const uuid = z.custom<Uuid>(isUuid, 'is not a UUID');

const scopeSchema: z.ZodType<Scope> = z.object({
  projectId: uuid,
  visibility: z.enum(VISIBILITIES),
  entityId: uuid.nullable(),
  roomId: uuid.nullable(),
  authorId: uuid,
});

/** What surrounds the data. Loose: a newer writer may have added to it. */
const envelopeSchema = z.looseObject({
  version: z.int().min(1),
  revision: z.int().min(1),
  changedAtMs: z.number(),
  scope: scopeSchema,
  embeddingModel: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
});

export type Decoded<Data> =
  | { record: StoredRecord<Data>; changedAtMs: number; damaged?: undefined }
  | { damaged: DamagedRecord; record?: undefined };

/**
 * The row of a new record; the database adds `changedAtMs`.
 * @throws AppError INVALID_INPUT when the vector cannot be stored
 */
export function encodeRecord<Data>(type: RecordType<Data>, record: NewTypedRecord<Data>): RowDraft {
  return {
    id: record.id,
    created_ms: record.createdAtMs,
    text: withoutNul(type.text(record.data)),
    metadata: {
      type: type.name,
      version: type.version,
      revision: 1,
      ...encodeScope(record.scope),
      embeddingModel: record.vector?.model ?? null,
      data: withoutNul(record.data),
    },
    vector: encodeVector(record.vector?.vector),
  };
}

/** `audience` is what SQL filters readers by: the same word as in the catalog. */
export function encodeScope(scope: Scope): { scope: Scope; audience: string } {
  const { projectId, visibility, entityId, roomId, authorId } = scope;
  return {
    scope: { projectId, visibility, entityId, roomId, authorId },
    audience: audienceOf(scope),
  };
}

/** @throws AppError INVALID_INPUT when the vector cannot be stored */
export function encodeVector(vector: Float32Array | undefined): string | null {
  if (!vector) return null;
  checkVector(vector);
  return vectorText(vector);
}

/** Reads a row, older versions step by step through the upgrades of the type. */
export function decodeRecord<Data>(type: RecordType<Data>, row: StoredRow): Decoded<Data> {
  const damaged = (reason: string): Decoded<Data> => ({ damaged: { id: row.id, reason } });
  const envelope = envelopeSchema.safeParse(row.metadata);
  if (!envelope.success) return damaged(reasonOf(envelope.error, 'metadata'));
  const { version, revision, changedAtMs, scope, embeddingModel } = envelope.data;
  let data: unknown = envelope.data.data;
  try {
    data = upgraded(type, version, envelope.data.data);
  } catch (error) {
    return damaged(messageOf(error));
  }
  const parsed = type.schema.safeParse(data);
  if (!parsed.success) return damaged(reasonOf(parsed.error, 'data'));
  return {
    changedAtMs,
    record: {
      id: row.id,
      text: row.text ?? '',
      createdAtMs: Number(row.created_ms),
      revision,
      scope,
      data: parsed.data,
      embeddingModel,
    },
  };
}

function upgraded<Data>(
  type: RecordType<Data>,
  version: number,
  stored: Record<string, unknown>,
): Record<string, unknown> {
  let data = stored;
  // A newer writer's row is read as it is: the schema is loose.
  for (let step = version; step < type.version; step += 1) {
    const upgrade = type.upgrades[step];
    if (!upgrade) throw new Error(`no upgrade from version ${step} of ${type.name}`);
    data = upgrade(data);
  }
  return data;
}

function reasonOf(error: z.ZodError, root: string): string {
  const [issue] = error.issues;
  return issue ? `${[root, ...issue.path.map(String)].join('.')}: ${issue.message}` : root;
}

/** What PostgreSQL's JSON takes. */

/**
 * The value without what PostgreSQL refuses in JSON text: U+0000 goes, half of a surrogate pair
 * becomes U+FFFD. Keys of objects are text too.
 */
export function withoutNul<T>(value: T): T {
  if (typeof value === 'string') return cleanText(value) as T;
  if (Array.isArray(value)) return value.map(withoutNul) as T;
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [cleanText(key), withoutNul(inner)]),
    ) as T;
  }
  return value;
}

function cleanText(text: string): string {
  const whole = /\p{Cs}/u.test(text) ? text.replace(/\p{Cs}/gu, '\ufffd') : text;
  return whole.includes('\u0000') ? whole.replaceAll('\u0000', '') : whole;
}

/** Length of every vector of ours (`embeddings.dim_384` of the host). */
const VECTOR_LENGTH = 384;

/**
 * @throws AppError INVALID_INPUT when it has the wrong length, a number that is not finite, or no
 * direction
 */
export function checkVector(vector: Float32Array): void {
  if (vector.length !== VECTOR_LENGTH) {
    throw new AppError(
      'INVALID_INPUT',
      `a vector has ${VECTOR_LENGTH} numbers, this one ${vector.length}`,
      { length: vector.length },
    );
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares)) {
    throw new AppError('INVALID_INPUT', 'the vector holds numbers that are not finite');
  }
  if (squares === 0) throw new AppError('INVALID_INPUT', 'the vector is zero: it has no direction');
}

/** pgvector's input text. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

/** Every half-precision number by its 16 bits: 256 KB, filled when the first vector is read. */
let halves: Float32Array | undefined;

function halfTable(): Float32Array {
  if (halves) return halves;
  const table = new Float32Array(65_536);
  for (let bits = 0; bits < 65_536; bits += 1) {
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    let magnitude: number;
    if (exponent === 0) magnitude = fraction * 2 ** -24;
    else if (exponent === 31) magnitude = fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
    else magnitude = (1 + fraction / 1_024) * 2 ** (exponent - 15);
    table[bits] = bits & 0x8000 ? -magnitude : magnitude;
  }
  halves = table;
  return table;
}

/**
 * The vector in pgvector's binary form of a `halfvec`, in base64: two 16-bit words of header, then
 * big-endian half-precision numbers. `null` when it is not a usable vector of ours. Base64 because
 * the driver reads text fast and binary slowly; half precision because the catalog keeps 8 bits.
 */
export function decodeHalfVector(base64: string | null): Float32Array | null {
  if (base64 === null) return null;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 4 + 2 * VECTOR_LENGTH || bytes.readUInt16BE(0) !== VECTOR_LENGTH)
    return null;
  const table = halfTable();
  const vector = new Float32Array(VECTOR_LENGTH);
  let zero = 0;
  for (let index = 0, at = 4; index < VECTOR_LENGTH; index += 1, at += 2) {
    const value = table[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] as number;
    zero += value * 0;
    vector[index] = value;
  }
  // NaN, if a number is not finite.
  return zero === 0 ? vector : null;
}
