/** What callers send, parsed once. */
import type { z } from 'zod';
import { isDeeper } from '../shared/depth.js';
import { type Finding, InvalidInputError } from '../shared/errors.js';
import { parsed } from '../shared/findings.js';

/** Deeper than any value may be; parsing deeper ones would exhaust the stack. */
export const MAX_DEPTH = 100;

/**
 * @param lenient field that is read piece by piece elsewhere, where a piece that is wrong is left out
 * @throws InvalidInputError naming each field
 */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  params: unknown,
  lenient?: string,
): z.output<Schema> {
  if (isDeeper(params, MAX_DEPTH)) {
    throw new InvalidInputError([{ field: '(body)', message: `is nested over ${MAX_DEPTH} deep` }]);
  }
  const lost = lostFields(params, lenient);
  if (lost.length > 0) throw new InvalidInputError(lost);
  return parsed(schema, params ?? {});
}

/**
 * Fields called `__proto__`, which Zod drops from records and says nothing: of a scope with one
 * condition less, more would be let through. Only for what is not too deep.
 * @param except field of the outermost level that is not looked at
 */
export function lostFields(value: unknown, except?: string, path = ''): Finding[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = `${path}${name}`;
    if (name === '__proto__') return [{ field, message: 'must not be "__proto__"' }];
    return name === except ? [] : lostFields(inner, undefined, `${field}.`);
  });
}
