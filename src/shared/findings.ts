/** Requests judged by their schemas, and what is wrong with them in our form and words. */
import { z } from 'zod';
import { type Finding, InvalidInputError } from './errors.js';

const BODY = '(body)';
/** What zod says of a union when its schema says nothing. */
const DEFAULT_MESSAGE = 'Invalid input';

/** What a schema says of an input. */
type Judged<Output> = { data: Output; findings: null } | { findings: Finding[] };

/** For those who gather findings of their own. */
export function judge<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
): Judged<z.output<Schema>> {
  const read = z.safeParse(schema, input, { error: worded });
  return read.success ? { data: read.data, findings: null } : { findings: findingsOf(read.error) };
}

/** @throws InvalidInputError naming each field */
export function parsed<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const judged = judge(schema, input);
  if (judged.findings === null) return judged.data;
  throw new InvalidInputError(judged.findings);
}

/** Findings of a parse that was given `worded`. An unknown field is a finding of its own. */
function findingsOf(error: z.core.$ZodError): Finding[] {
  return error.issues.flatMap((issue) => findingsIn(issue, issue.path));
}

type Issue = z.core.$ZodIssue;
/** `options`: the words of a discriminator, which zod says and its types do not. */
type Union = Extract<Issue, { code: 'invalid_union' }> & { options?: readonly unknown[] };

function findingsIn(issue: Issue, at: readonly PropertyKey[]): Finding[] {
  const path = at.map(String).join('.');
  if (issue.code === 'invalid_union') return ofUnion(issue, at, path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: path === '' ? key : `${path}.${key}`,
      message: 'unknown field',
    }));
  }
  return [{ field: path || BODY, message: issue.message }];
}

/** What is wrong in the one form that was meant; where none was, which there are. */
function ofUnion(
  { errors, message, options }: Union,
  at: readonly PropertyKey[],
  path: string,
): Finding[] {
  const field = path || BODY;
  if (options) return [{ field, message: `must be one of ${options.map(String).join(', ')}` }];
  const meant = errors.filter((issues) => !issues.some(isOtherType));
  const [first = [], ...others] = meant;
  if (meant.length > 0 && others.length === 0) {
    return first.flatMap((issue) => findingsIn(issue, [...at, ...issue.path]));
  }
  if (errors.length > 0 && errors.every((issues) => issues.some(isMissing))) {
    return [{ field, message: MISSING }];
  }
  // Whoever wrote the schema has said it better.
  if (message !== DEFAULT_MESSAGE) return [{ field, message }];
  const types = errors.flat().flatMap((issue) => (isOtherType(issue) ? [issue.expected] : []));
  const isTold = meant.length === 0 && types.length > 0;
  return [{ field, message: isTold ? mustBe(types) : 'has none of the forms that it may have' }];
}

function isOtherType(issue: Issue): issue is Extract<Issue, { code: 'invalid_type' }> {
  return issue.code === 'invalid_type' && issue.path.length === 0;
}

function isMissing(issue: Issue): boolean {
  return issue.code === 'invalid_type' && issue.message === MISSING;
}

/** Values named in a finding; the longest list of ours has eleven. */
const MAX_NAMED = 20;

/** What is said of a field that was not sent. */
const MISSING = 'is required';

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
function worded(issue: z.core.$ZodRawIssue): string | undefined {
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
function mustBe(expected: readonly string[]): string {
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
