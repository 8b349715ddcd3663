/** What every request goes through before it is read: size, NULs, secrets, then its schema. */
import type { z } from 'zod';
import { AppError, wrongField } from '../shared/errors.js';
import { parsed } from '../shared/findings.js';
import { redactSecrets } from '../shared/secrets.js';
import { LIMITS } from './schema.js';

/** How deep a request may be nested; the deepest of ours has five levels. */
const MAX_DEPTH = 12;

/** Kinds of secrets taken out of a text and how many of each; never the secrets. */
export type Redactions = { kind: string; count: number }[];

/**
 * What is looked for is read as what is stored: without NULs and half characters, which no query may
 * have either.
 * @throws InvalidInputError whose findings name each field
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  return parsed(schema, mapTexts(input, wellFormed));
}

/** @throws AppError TOO_LARGE, InvalidInputError when it is no JSON at all */
export function requireSize(input: unknown): void {
  const maxBytes = LIMITS.draftBytes;
  const size = bytesOf(input);
  if (size === null) {
    throw wrongField('(body)', 'must be plain data (JSON)');
  }
  if (size <= maxBytes) return;
  throw new AppError('TOO_LARGE', `a memory may have ${maxBytes} bytes; this one has ${size}`, {
    bytes: size,
    limit: maxBytes,
  });
}

/** `null`: it has a cycle, or something else that JSON has not. */
function bytesOf(input: unknown): number | null {
  try {
    return Buffer.byteLength(JSON.stringify(input) ?? '');
  } catch {
    return null;
  }
}

/**
 * The value with NULs dropped, half characters replaced and secrets redacted, in every string and
 * key. Nothing of a secret passes this point.
 */
export function cleaned<T>(input: T): { value: T; redacted: Redactions } {
  const counts = new Map<string, number>();
  const cleanText = (text: string): string => {
    const { text: safe, found } = redactSecrets(wellFormed(text));
    for (const { kind, count } of found) counts.set(kind, (counts.get(kind) ?? 0) + count);
    return safe;
  };
  // Texts become texts and lists lists: the shape is that of the input.
  const value = mapTexts(input, cleanText) as T;
  return { value, redacted: [...counts].map(([kind, count]) => ({ kind, count })) };
}

/** @throws InvalidInputError when it is nested too deeply */
function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) {
    throw wrongField('(body)', 'is nested too deeply');
  }
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      wellFormed(key),
      mapTexts(inner, change, depth + 1),
    ]),
  );
}

function wellFormed(text: string): string {
  const whole = text.includes('\u0000') ? text.replaceAll('\u0000', '') : text;
  // Encoding replaces a lone surrogate by U+FFFD; PostgreSQL would refuse it.
  return /[\ud800-\udfff]/.test(whole) ? Buffer.from(whole, 'utf8').toString('utf8') : whole;
}
