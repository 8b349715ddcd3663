/**
 * The door for command lines, which have to start fast: it loads neither the host nor the schemas, only the
 * rules that redact.
 */

export type * from './schema.js';
export { printedValue, redactHint, redactText } from './secrets.js';
export { parseTtl } from './ttl.js';
