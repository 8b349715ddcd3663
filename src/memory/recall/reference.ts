/**
 * The short string that offers print and people type: `file:auth.ts`, `mem_1f2e3d4c`,
 * `session:last`, or the whole printed line `recall("file:auth.ts", depth: "reasoning")`. Pure.
 */
import { InvalidInputError } from '../../shared/errors.js';
import { parseRef } from '../ids.js';
import type { DEPTHS } from '../render.js';

/** Fields of a recall request that a reference stands for; checked by the request's own schema. */
export type ReferenceFields = Record<string, unknown>;

const KINDS: Readonly<Record<string, string>> = {
  file: 'file',
  intent: 'intent',
  pattern: 'pattern',
  session: 'session',
  task: 'task_type',
  task_type: 'task_type',
  type: 'task_type',
  agent: 'agent_id',
  tag: 'tags',
  query: 'query',
};

const PRINTED = /^recall\s*\(\s*(["'“”‘’`])(.*?)["'“”‘’`]\s*(?:,\s*(.*?))?\)\s*[.;]?$/is;
const OPTION = /([a-z_]+)\s*[:=]\s*(?:["'“”‘’`]([^"'“”‘’`]*)["'“”‘’`]|([\w.+:-]+))/gi;
const OPTIONS = new Set([
  'depth',
  'limit',
  'include_links',
  'include_failures',
  'success_only',
  'failures_only',
  'since',
  'before',
  'strategy',
  'min_confidence',
]);

/** An id with too few or too many digits, and a printed line whose end is missing. */
const CUT_ID = /^mem_[0-9a-f-]*(?:…|\.{3})?$/i;
const CUT_LINE = /^recall(?:\(|\s+\(\s*["'“”‘’`])/i;

/**
 * What the text refers to. A text that is no reference is a query in words; an unknown option of a
 * printed line is kept and refused by the schema, which names it.
 * @throws InvalidInputError for an id or a printed line that was cut off: its words mean nothing
 */
export function readReference(text: string): ReferenceFields {
  const trimmed = text.trim();
  const printed = PRINTED.exec(trimmed);
  if (!printed && CUT_LINE.test(trimmed)) throw cutOff();
  if (!printed) return fieldsOf(trimmed);
  return { ...fieldsOf((printed[2] ?? '').trim()), ...optionsOf(printed[3] ?? '') };
}

function fieldsOf(ref: string): ReferenceFields {
  if (parseRef('memory', ref) !== null) return { memory_id: ref };
  const isEmpty = ref.endsWith(':') && KINDS[ref.slice(0, -1).toLowerCase()] !== undefined;
  if (isEmpty || CUT_ID.test(ref)) throw cutOff();
  const match = /^([a-z_]+):\s*(\S.*)$/is.exec(ref);
  const field = KINDS[match?.[1]?.toLowerCase() ?? ''];
  const value = match?.[2]?.trim() ?? '';
  if (field === undefined || value === '') return { query: ref };
  return { [field]: field === 'tags' ? [value] : value };
}

function cutOff(): InvalidInputError {
  const message =
    'is cut off or misspelt: give mem_ and at least 8 hex digits, file:auth.ts, session:last, or a whole recall("…") line; words go into query';
  const text =
    'The reference is not complete: file:auth.ts, tag:auth, session:last, mem_ with at least 8 hex digits, or a whole recall("…") line.';
  return new InvalidInputError([{ field: 'ref', message, text }]);
}

function optionsOf(text: string): ReferenceFields {
  const options: ReferenceFields = {};
  for (const [, name = '', quoted, bare] of text.matchAll(OPTION)) {
    const key = name.toLowerCase();
    const value = quoted ?? bare ?? '';
    options[key] = OPTIONS.has(key) && quoted === undefined ? plainValue(value) : value;
  }
  return options;
}

function plainValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

/** The line with which a memory or a group of them is asked for again; without depth the usual one. */
export function printedRecall(ref: string, depth?: (typeof DEPTHS)[number]): string {
  const quoted = `"${ref.replaceAll('"', "'")}"`;
  return depth === undefined ? `recall(${quoted})` : `recall(${quoted}, depth: "${depth}")`;
}
