/** What callers send, parsed once. */
import type { z } from 'zod';
import { InvalidInputError } from '../shared/errors.js';
import { findingsOf } from '../shared/findings.js';

/** Deeper than any value may be; parsing deeper ones would exhaust the stack. */
export const MAX_DEPTH = 100;

/** @throws InvalidInputError naming each field */
export function parse<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  if (isDeeper(params, MAX_DEPTH)) {
    throw new InvalidInputError([{ field: '(body)', message: `is nested over ${MAX_DEPTH} deep` }]);
  }
  const parsed = schema.safeParse(params ?? {});
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(findingsOf(parsed.error));
}

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
