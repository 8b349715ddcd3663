import type { z } from 'zod';
import type { Finding } from './errors.js';

const BODY = '(body)';
/** What zod says of a union when its schema says nothing. */
const DEFAULT_MESSAGE = 'Invalid input';

/** Findings of a failed zod parse, in our form. An unknown field is a finding of its own. */
export function findingsOf(error: z.ZodError): Finding[] {
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
  return [{ field: path || BODY, message: isMissing(issue) ? 'is required' : issue.message }];
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
    return [{ field, message: 'is required' }];
  }
  // Whoever wrote the schema has said it better.
  if (message !== DEFAULT_MESSAGE) return [{ field, message }];
  const types = errors.flat().flatMap((issue) => (isOtherType(issue) ? [issue.expected] : []));
  const isTold = meant.length === 0 && types.length > 0;
  return [{ field, message: isTold ? `must be ${types.join(' or ')}` : message }];
}

function isOtherType(issue: Issue): issue is Extract<Issue, { code: 'invalid_type' }> {
  return issue.code === 'invalid_type' && issue.path.length === 0;
}

function isMissing(issue: Issue): boolean {
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
}
