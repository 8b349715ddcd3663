/** Ids as people see them: `mem_` and at least eight hex digits of a UUID (DESIGN §3). */

import { sql } from 'drizzle-orm';
import type { RecordStore, RecordType, Shelf } from '../records/index.js';
import { memoriesTable, type Reader } from '../records/index.js';
import { AppError, NotFoundError, wrongField } from '../shared/errors.js';
import { isUuid, type Uuid } from '../shared/ids.js';
import { createSharedPrefixes, type SharedPrefixes } from './id-prefixes.js';
import { workMemoryType } from './records.js';

export const PREFIXES = { memory: 'mem', chapter: 'chap', wisdom: 'wis' } as const;
export type Named = keyof typeof PREFIXES;

const SHOWN_DIGITS = 8;
/** Ids with the same first digits that are looked at; chance makes no more than a few. */
const ALIKE = 1_000;
/** Candidates that an ambiguity error lists. */
const LISTED = 5;

/** `mem_1f2e3d4c`: short enough to type, long enough for hundreds of thousands. */
export function printId(kind: Named, id: Uuid, digits: number = SHOWN_DIGITS): string {
  return `${PREFIXES[kind]}_${hexOf(id).slice(0, digits)}`;
}

/** Names of ids that begin like others of their shelf, as long as nothing came or went. */
interface Printed {
  size: number;
  slots: number;
  names: Map<Uuid, string>;
  shared: SharedPrefixes;
}
const printed = new WeakMap<Shelf, Printed>();
const MOST_PRINTED = 10_000;

/**
 * {@link printId} with as many digits as tell the record apart from the others of the project; ids
 * that the catalog does not hold (chapters, wisdom) have eight. Next to nothing, save for the few ids
 * that begin alike: those cost a pass over all of them (0.2 ms of 50,000) until a memory comes or
 * goes.
 */
export function printIn({ catalog }: Pick<RecordStore, 'catalog'>, kind: Named, id: Uuid): string {
  if (kind !== 'memory') return printId(kind, id);
  const shelf = catalog.shelf(workMemoryType.name);
  const { names, shared } = printedOf(shelf);
  if (!shared.has(id)) return printId(kind, id);
  const known = names.get(id);
  if (known !== undefined) return known;
  const others = shelf.idsWithPrefix(hexOf(id).slice(0, SHOWN_DIGITS), ALIKE);
  const needed = others
    .filter((other) => other !== id)
    .map((other) => sharedDigits(hexOf(id), hexOf(other)) + 1);
  const name = printId(kind, id, Math.max(SHOWN_DIGITS, ...needed));
  if (names.size >= MOST_PRINTED) names.clear();
  names.set(id, name);
  return name;
}

function printedOf(shelf: Shelf): Printed {
  const { size, slots } = shelf;
  const known = printed.get(shelf);
  if (known && known.size === size && known.slots === slots) return known;
  const shared = known?.shared ?? createSharedPrefixes(shelf);
  const fresh: Printed = { size, slots, names: new Map(), shared };
  printed.set(shelf, fresh);
  return fresh;
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
    throw wrongField(field, message);
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

/** From the catalog; from the database while it loads, or when not all of the type are in it. */
async function idsLike(
  records: RecordStore,
  type: RecordType<unknown>,
  hex: string,
  limit: number,
): Promise<Uuid[]> {
  if (type.index && records.catalog.status().state === 'ready' && records.older(type) === null) {
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

function sharedDigits(a: string, b: string): number {
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared += 1;
  return shared;
}

function hexOf(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

function uuidOf(hex: string): Uuid {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
