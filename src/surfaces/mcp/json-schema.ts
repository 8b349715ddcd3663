/** JSON Schemas as clients are shown them: a tool list is part of every prompt, so they are short. */
import { z } from 'zod';

export type JsonSchema = { type: 'object'; [keyword: string]: unknown };

/** What only the service needs to know, or what a model cannot act on. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '$schema',
  'additionalProperties',
  'maxLength',
  'minLength',
  'pattern',
  'format',
  'maxItems',
  'minItems',
]);

const made = new WeakMap<z.ZodType, JsonSchema>();

/** @param io which side of a schema that transforms */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const known = made.get(schema);
  if (known) return known;
  const whole = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  // MCP takes only objects at the top.
  const short: JsonSchema = { ...(shortened(whole) as object), type: 'object' };
  made.set(schema, short);
  return short;
}

function shortened(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => shortened(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, of]) => isNames || !(LEFT_OUT.has(key) || isNoBound(key, of)))
      .map(([key, of]) => [key, shortened(of, !isNames && key === 'properties')]),
  );
}

/** Zod says of every integer that it is a safe one. */
function isNoBound(key: string, value: unknown): boolean {
  return (
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER)
  );
}
