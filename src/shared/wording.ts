/**
 * What is wrong with a request, in words for the person who sent it: "is required", "must be one of
 * a, b". Given to each parse, so that a schema says only what is special about it. Pure.
 */
import type { z } from 'zod';

/** Values named in a finding; the longest list of ours has eleven. */
const MAX_NAMED = 20;

/** What is said of a field that was not sent. */
export const MISSING = 'is required';

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'must be a time as ISO 8601 has it: 2030-01-31T09:00:00Z',
  date: 'must be a day as ISO 8601 has it: 2030-01-31',
};

/** Zod's own words stand where this returns `undefined`. */
export function worded(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? MISSING : mustBe([issue.expected]);
    case 'invalid_value':
      return issue.input === undefined ? MISSING : oneOf(issue.values);
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
    case 'invalid_format':
      return FORMATS[issue.format];
    default:
      return undefined;
  }
}

/** @param expected zod's names of types */
export function mustBe(expected: readonly string[]): string {
  return `must be ${expected.map((name) => KINDS[name] ?? name).join(' or ')}`;
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
