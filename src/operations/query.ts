/** Query parameters that several routes share: they arrive as text. */
import { z } from 'zod';
import { storableText } from '../triggers/index.js';

export { storableText };

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/** Text that may reach a query of the database. */
export const searchText = storableText(200);

export const pageShape = {
  limit: wholeNumber(1, MAX_LIMIT).default(DEFAULT_LIMIT),
  cursor: z.string().min(1).max(200).optional(),
};

/** An instant in ms. */
export const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be an ISO 8601 time with its zone, or a date (UTC)',
  })
  .transform((text) => Date.parse(text));

/** How long a caller may wait: the host's sockets idle out after 30 s. */
export const MAX_WAIT_MS = 20_000;
export const waitMs = wholeNumber(0, MAX_WAIT_MS);

/** A query has text only; anything but the two words is a mistake worth telling. */
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((word) => word === 'true');

/** A page of a service as REST gives it: `nextCursor` in place of `next_cursor`. */
export function pageOf<Page extends { next_cursor: string | null }>({
  next_cursor,
  ...page
}: Page) {
  return { ...page, nextCursor: next_cursor };
}
