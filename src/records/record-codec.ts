/**
 * A typed record ⇄ its row in `memories`. The record is the metadata: an envelope of ours around
 * `data`. What cannot be read is a finding, so that one damaged row never hides the others.
 */
import { z } from 'zod';
import { messageOf } from '../shared/errors.js';
import { isUuid, type Uuid } from '../shared/ids.js';
import type { DamagedRecord, NewTypedRecord, RecordType, StoredRecord } from './record-type.js';
import { audienceOf, type Scope, VISIBILITIES } from './scope.js';
import { withoutNul } from './storable.js';
import { checkVector, vectorText } from './vector-codec.js';

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
