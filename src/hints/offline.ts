/**
 * What of the room needs neither host nor schemas, for command lines that have to start fast: importing
 * it loads nothing but the rules that redact.
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
