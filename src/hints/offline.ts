/**
 * The door for command lines, which have to start fast: it loads neither the host nor the schemas, only the
 * rules that redact.
 */
export { redactText } from './guard/judge.js';
export { printedValue, redactHint } from './guard/redact.js';
export type {
  BumpParams,
  DeleteHintParams,
  ExportParams,
  GetHintParams,
  Hint,
  HintMeta,
  HintScope,
  HintValue,
  ImportParams,
  NudgeContext,
  QueryParams,
  SetHintParams,
} from './schema.js';
export { parseTtl } from './ttl.js';
export type * from './types.js';
