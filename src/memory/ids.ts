/** Ids as people see them: `mem_` and at least eight hex digits of a UUID (DESIGN §3). */

import { sql } from 'drizzle-orm';
import type { RecordStore, RecordType } from '../records/index.js';
import { memoriesTable, type Reader } from '../records/index.js';
import { AppError, InvalidInputError, NotFoundError } from '../shared/errors.js';
import { isUuid, type Uuid } from '../shared/ids.js';

export const PREFIXES = { memory: 'mem', chapter: 'chap', wisdom: 'wis' } as const;
export type Named = keyof typeof PREFIXES;

const SHOWN_DIGITS = 8;
/** Candidates that an ambiguity error lists. */
const LISTED = 5;

/** `mem_1f2e3d4c`: short enough to type, long enough for hundreds of thousands. */
export function printId(kind: Named, id: Uuid, digits: number = SHOWN_DIGITS): string {
  return `${PREFIXES[kind]}_${hexOf(id).slice(0, digits)}`;
}

/** The hex digits of a reference, or `null` when the text is no reference of this kind. */
export function parseRef(kind: Named, ref: string): string | null {
  const trimmed = ref.trim().toLowerCase();
  if (isUuid(trimmed)) return hexOf(trimmed);
  const match = /^([a-z]+)_([0-9a-f-]{8,36})$/.exec(trimmed);
  if (!match || match[1] !== PREFIXES[kind]) return null;
  const hex = (match[2] ?? '').replaceAll('-', '');
  return hex.length >= SHOWN_DIGITS && hex.length <= 32 ? hex : null;
}

/**
 * The one record a reference means to this reader. What they may not read does not exist for them:
 * it makes no reference ambiguous either.
 * @throws InvalidInputError for what is no reference or names several (`field` says where),
 * NotFoundError
 */
export async function resolveRef(
  records: RecordStore,
  kind: Named,
  type: RecordType<unknown>,
  ref: string,
  reader: Reader,
  field: string,
): Promise<Uuid> {
  const hex = parseRef(kind, ref);
  if (hex === null) {
    const message = `must be ${PREFIXES[kind]}_ and at least ${SHOWN_DIGITS} hex digits, or a UUID`;
    throw new InvalidInputError([{ field, message }]);
  }
  const candidates =
    hex.length === 32 ? [uuidOf(hex)] : await idsLike(records, type, hex, LISTED + 20);
  const readable = (await records.get(type, candidates, reader)).map(({ id }) => id);
  const [first] = readable;
  if (first === undefined) throw new NotFoundError(kind, ref);
  if (readable.length === 1) return first;
  const listed = readable.slice(0, LISTED).map((id) => printId(kind, id, 32));
  throw new AppError('INVALID_INPUT', `"${ref}" means several: ${listed.join(', ')}`, {
    findings: [{ field, message: `is ambiguous: ${listed.join(', ')}` }],
    candidates: listed,
  });
}

/** From the catalog; from the database while it loads, or when the type is not in it. */
async function idsLike(
  records: RecordStore,
  type: RecordType<unknown>,
  hex: string,
  limit: number,
): Promise<Uuid[]> {
  if (type.index && records.catalog.status().state === 'ready') {
    return records.catalog.shelf(type.name).idsWithPrefix(hex, limit);
  }
  // A range of the primary key: the digits filled up with the smallest and the largest.
  const from = uuidOf(hex.padEnd(32, '0'));
  const to = uuidOf(hex.padEnd(32, 'f'));
  const page = await records.list(
    type,
    { kind: 'operator' },
    { limit, where: sql`${memoriesTable.id} between ${from}::uuid and ${to}::uuid` },
  );
  return page.records.map(({ id }) => id);
}

function hexOf(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

function uuidOf(hex: string): Uuid {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
