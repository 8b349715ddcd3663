import type { z } from 'zod';
import type { Finding } from './errors.js';

/** Findings of a failed zod parse, in our form. An unknown field is a finding of its own. */
export function findingsOf(error: z.ZodError): Finding[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: path === '' ? key : `${path}.${key}`,
        message: 'unknown field',
      }));
    }
    const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
    const message = isMissing ? 'is required' : issue.message;
    return [{ field: path === '' ? '(body)' : path, message }];
  });
}
