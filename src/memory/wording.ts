/**
 * What is wrong with a request, in words for the person who sent it: "is required", "must be one of
 * a, b". Given to each parse, so that a schema says only what is special about it. Pure.
 */
import type { z } from 'zod';

/** Values named in a finding; the longest list of ours has eleven. */
const MAX_NAMED = 20;

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

/** Zod's own words stand where this returns `undefined`. */
export function worded(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${kindOf(issue.expected)}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : oneOf(issue.values);
    case 'too_small':
      return sized(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        issue.minimum,
      );
    case 'too_big':
      return sized(
        issue.origin,
        issue.inclusive === false ? 'less than' : 'at most',
        issue.maximum,
      );
    default:
      return undefined;
  }
}

function kindOf(expected: string): string {
  return KINDS[expected] ?? expected;
}

function oneOf(values: readonly unknown[]): string {
  const named = values.slice(0, MAX_NAMED).map(String).join(', ');
  return values.length === 1 ? `must be ${named}` : `must be one of ${named}`;
}

function sized(origin: string, how: string, bound: number | bigint): string | undefined {
  switch (origin) {
    case 'number':
    case 'int':
      return `must be ${how} ${bound}`;
    case 'string':
      return bound === 1 && how === 'at least'
        ? 'must not be empty'
        : `must have ${how} ${bound} characters`;
    case 'array':
      return `must have ${how} ${bound} ${Number(bound) === 1 ? 'item' : 'items'}`;
    default:
      return undefined;
  }
}
