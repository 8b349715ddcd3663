/** Cursors of lists: a few values to us, opaque to everybody else. */
import { z } from 'zod';
import { wrongField } from './errors.js';
import { parsedJson } from './json.js';
import { isUuid, type Uuid } from './uuid.js';

/** What a Date can hold, and the database compares with. */
const dateMs = z.int().min(-8.64e15).max(8.64e15);
/** The place of a row in a list, newest first. */
export const newestPlace = z.strictObject({ createdAtMs: dateMs, id: z.custom<Uuid>(isUuid) });

export function writeCursor(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** @throws InvalidInputError for a cursor of another order, or one we did not make */
export function readCursor<T>(cursor: string, shape: z.ZodType<T>): T {
  const read = shape.safeParse(parsedJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (read.success) return read.data;
  throw wrongField('cursor', 'is not a cursor of this list');
}
