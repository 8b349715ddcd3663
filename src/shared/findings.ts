/** Requests judged by their schemas, and what is wrong with them in our form and words. */
import { z } from 'zod';
import { type Finding, InvalidInputError } from './errors.js';
import { MISSING, mustBe, worded } from './wording.js';

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
