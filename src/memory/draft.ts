/**
 * From what a caller sends to a memory: the short form of the seed's data-flow example is brought
 * into the long one, paths are normalized, diffs are hashed. Pure.
 */
import { createHash } from 'node:crypto';
import { type Finding, InvalidInputError, wrongField } from '../shared/errors.js';
import { judge } from '../shared/findings.js';
import { isObject } from '../shared/json.js';
import { normalizePath } from '../shared/paths.js';
import { parseInput } from './input.js';
import { isGenerated } from './render.js';
import {
  type Action,
  draftSchema,
  type MemoryDraft,
  TASK_TYPES,
  type WorkMemoryData,
  workMemorySchema,
} from './schema.js';

const OPERATIONS: Readonly<Record<string, Action['type']>> = {
  edit: 'file_edit',
  create: 'file_create',
  delete: 'file_delete',
  read: 'file_read',
};
const RESULTS: Readonly<Record<string, boolean>> = { pass: true, fail: false };

const UNKNOWN = 'unknown field';
const PLACES =
  'what was done belongs in outcome.summary, what was learned in outcome.learnings, why in reasoning';

/** What is needed to be valid and is in every stored memory already. */
const LEAST = { intent: { goal: '-' }, outcome: { success: true, summary: '-' } };

/** Parts of a memory that a patch may change; the rest is ours. */
const PATCHABLE = [
  'intent',
  'perception',
  'reasoning',
  'actions',
  'outcome',
  'tags',
  'importance',
  'session_id',
  'remind_when',
] as const;
export type Patch = Partial<Record<(typeof PATCHABLE)[number], unknown>>;

export interface DraftOptions {
  /** Keep the text of diffs (CUE_STORE_DIFFS), not only their hash and summary. */
  storeDiffs: boolean;
}

/** @throws InvalidInputError whose findings name field, problem and allowed values */
export function readDraft(raw: unknown, options: DraftOptions): MemoryDraft {
  const findings: Finding[] = [];
  const long = isObject(raw) ? longForm(withoutNulls(raw), findings, true) : raw;
  const judged = judge(draftSchema, long);
  if (judged.findings !== null || findings.length > 0) {
    throw new InvalidInputError([...findings, ...(judged.findings ?? [])].map(told));
  }
  return finished(judged.data, options);
}

/** No field of a memory stands deeper. */
const DEEPEST = 6;

/** A field that is null was not given. */
function withoutNulls(object: Record<string, unknown>, depth = 0): Record<string, unknown> {
  const kept = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => (isObject(item) ? kept(item) : item));
    return isObject(value) && depth < DEEPEST ? withoutNulls(value, depth + 1) : value;
  };
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (value === null ? [] : [[key, kept(value)]])),
  );
}

/** What is sent at the top and may belong in several places is told which there are. */
function told({ field, message }: Finding): Finding {
  const isTop = message === UNKNOWN && !field.includes('.');
  return { field, message: isTop ? `${UNKNOWN}; ${PLACES}` : message };
}

/**
 * A checked patch in the long form. It is judged against the least a memory has, so that only what
 * the caller sent can be wrong.
 * @throws InvalidInputError
 */
export function readPatch(raw: unknown): Patch {
  if (!isObject(raw)) {
    throw wrongField('(body)', 'must be an object');
  }
  const findings: Finding[] = Object.keys(raw)
    .filter((key) => !PATCHABLE.some((name) => name === key))
    .map((field) => ({ field, message: `cannot be changed; fields: ${PATCHABLE.join(', ')}` }));
  const known = Object.fromEntries(
    PATCHABLE.flatMap((key) => (key in raw ? [[key, raw[key]]] : [])),
  );
  if (Object.keys(known).length === 0 && findings.length === 0) {
    findings.push({ field: '(body)', message: `names no field; fields: ${PATCHABLE.join(', ')}` });
  }
  const patch = longForm(known, findings, false);
  findings.push(...(judge(draftSchema, merged(LEAST, patch)).findings ?? []));
  if (findings.length > 0) throw new InvalidInputError(findings);
  return patch;
}

/**
 * The memory after a patch: objects merge, arrays and values replace, `null` removes.
 * @throws InvalidInputError when the whole is no memory any more
 */
export function patched(data: WorkMemoryData, patch: Patch, options: DraftOptions): WorkMemoryData {
  const whole = merged(data, patch);
  const outcome = isObject(whole) && isObject(whole.outcome) ? whole.outcome : {};
  const told = isObject(patch.outcome) && 'summary' in patch.outcome;
  // A summary that was made up from the outcome is made again with it.
  if (isGenerated(data.outcome) && isObject(patch.outcome) && !told) {
    outcome.summary = madeSummary(outcome);
  }
  const next = finished(parseInput(workMemorySchema, whole), options);
  return { ...next, files: filesOf(next) };
}

/** Fields of an action's details. */
const DETAILS: ReadonlySet<string> = new Set([
  'file_path',
  'lines_affected',
  'diff',
  'diff_hash',
  'diff_summary',
  'command',
  'working_directory',
  'query',
  'scope',
] satisfies (keyof Action['details'])[]);

/** Every file a memory names, once, in order of first mention. */
export function filesOf(memory: Pick<WorkMemoryData, 'actions' | 'perception'>): string[] {
  const paths = [
    ...memory.actions.flatMap(({ details }) => details.file_path ?? []),
    ...memory.perception.relevant_files.map(({ path }) => path),
  ];
  return [...new Set(paths)];
}

function merged(base: unknown, change: unknown): unknown {
  if (!isObject(base) || !isObject(change)) return change;
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete result[key];
    else result[key] = merged(base[key], value);
  }
  return result;
}

/** `whole`: a new memory, whose missing summary is made up from what is there. */
function longForm(
  raw: Record<string, unknown>,
  findings: Finding[],
  whole: boolean,
): Record<string, unknown> {
  const long: Record<string, unknown> = whole ? inPlace(raw) : { ...raw };
  if (typeof long.intent === 'string') long.intent = { goal: long.intent };
  if (isObject(long.intent) && typeof long.intent.task_type === 'string') {
    long.intent = { ...long.intent, task_type: taskTypeOf(long.intent.task_type) };
  }
  if (typeof long.perception === 'string') {
    long.perception = { observations: [{ what: long.perception }] };
  }
  if (typeof long.reasoning === 'string') {
    long.reasoning = { approach_chosen: long.reasoning };
  }
  if (isObject(long.perception)) {
    long.perception = perceptionOf(long.perception, findings);
  }
  if (isObject(long.reasoning)) {
    long.reasoning = {
      ...long.reasoning,
      ...items(long.reasoning, 'alternatives_considered', 'approach'),
    };
  }
  if (Array.isArray(long.actions)) {
    long.actions = long.actions.map((action, index) =>
      actionOf(action, `actions.${index}`, findings),
    );
  }
  if (isObject(long.outcome)) long.outcome = outcomeOf(long.outcome, whole);
  if (typeof long.remind_when === 'string') long.remind_when = [long.remind_when];
  return long;
}

const MAX_GOAL = 500;

/** The whole of a short text, otherwise its first sentence, otherwise its first words. */
export function firstPart(text: string): string {
  if (text.length <= MAX_GOAL) return text;
  const sentence = /^[\s\S]{20,500}?[.!?](?=\s)/.exec(text)?.[0];
  if (sentence !== undefined) return sentence;
  const head = text.slice(0, MAX_GOAL).replace(/[\ud800-\udbff]$/, '');
  return head.replace(/\s+\S*$/, '');
}

/** Plain text is enough for a memory: it begins with the goal, and tells what came of it. */
function fromText({ text, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (text === undefined) return rest;
  const told = typeof text === 'string' ? text.trim() : text;
  const intent = rest.intent ?? (typeof told === 'string' ? firstPart(told) : told);
  const given = isObject(rest.outcome) ? rest.outcome : {};
  const summary = intent === told ? {} : { summary: told };
  return { ...rest, intent, outcome: { success: true, ...summary, ...given } };
}

/** Fields at the top that have one place in a memory and no other. */
function inPlace(raw: Record<string, unknown>): Record<string, unknown> {
  const { learning, learnings, files, task_type, ...long } = fromText(raw);
  const { intent, perception, outcome } = long;
  const learned = [learning, learnings].flat().filter((one) => one !== undefined);
  if (learned.length > 0) {
    const known = isObject(outcome) ? [outcome.learnings].flat() : [];
    const all = [...learned, ...known.filter((one) => one !== undefined)];
    long.outcome = { ...(isObject(outcome) ? outcome : {}), learnings: all };
  }
  if (files !== undefined) {
    const seen = typeof perception === 'string' ? { observations: [perception] } : perception;
    const known = isObject(seen) && Array.isArray(seen.relevant_files) ? seen.relevant_files : [];
    long.perception = {
      ...(isObject(seen) ? seen : {}),
      relevant_files: [...known, ...[files].flat()],
    };
  }
  if (task_type !== undefined) {
    const wanted = typeof intent === 'string' ? { goal: intent } : intent;
    long.intent = { task_type, ...(isObject(wanted) ? wanted : {}) };
  }
  return long;
}

/** However it is written together: "bugfix", "Bug-Fix". */
function taskTypeOf(text: string): string {
  const bare = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
  return TASK_TYPES.find((type) => bare(type) === bare(text)) ?? text;
}

function perceptionOf(
  perception: Record<string, unknown>,
  findings: Finding[],
): Record<string, unknown> {
  const long: Record<string, unknown> = {
    ...perception,
    ...items(perception, 'observations', 'what'),
    ...items(perception, 'relevant_files', 'path'),
  };
  if (Array.isArray(long.relevant_files)) {
    long.relevant_files = long.relevant_files.map((file, index) =>
      withPath(file, 'path', `perception.relevant_files.${index}.path`, findings),
    );
  }
  return long;
}

/** Plain texts in a list of objects become objects with that one field. */
function items(from: Record<string, unknown>, list: string, key: string): Record<string, unknown> {
  const value = from[list];
  if (!Array.isArray(value)) return {};
  return { [list]: value.map((item) => (typeof item === 'string' ? { [key]: item } : item)) };
}

function actionOf(action: unknown, at: string, findings: Finding[]): unknown {
  if (!isObject(action)) return action;
  if ('file' in action && !('type' in action)) return fileAction(action, at, findings);
  if ('command' in action && !('type' in action)) return commandAction(action, at, findings);
  if (!('details' in action)) return actionOf(withDetails(action, at, findings), at, findings);
  if (!isObject(action.details)) return action;
  const details = { ...action.details };
  if (typeof details.lines_affected === 'number') {
    details.lines_affected = String(details.lines_affected);
  }
  return {
    ...action,
    details: withPath(details, 'file_path', `${at}.details.file_path`, findings),
  };
}

/** RUM's flat form, `{type, file_path, lines_affected}`: what belongs into the details stands beside them. */
function withDetails(
  { result, ...action }: Record<string, unknown>,
  at: string,
  findings: Finding[],
): Record<string, unknown> {
  const isDetail = ([key]: [string, unknown]) => DETAILS.has(key);
  const entries = Object.entries(action);
  return {
    ...Object.fromEntries(entries.filter((entry) => !isDetail(entry))),
    details: Object.fromEntries(entries.filter(isDetail)),
    ...resultOf(result, at, findings),
  };
}

function fileAction(action: Record<string, unknown>, at: string, findings: Finding[]): unknown {
  const { file, operation, lines, diff, summary, result, timestamp, ...unknown } = action;
  const type = OPERATIONS[String(operation)];
  if (type === undefined) {
    findings.push({
      field: `${at}.operation`,
      message: `must be one of ${Object.keys(OPERATIONS).join(', ')}`,
    });
  }
  const details = {
    file_path: file,
    ...(lines === undefined ? {} : { lines_affected: String(lines) }),
    ...(diff === undefined ? {} : { diff }),
    ...(summary === undefined ? {} : { diff_summary: summary }),
  };
  return {
    ...unknown,
    type: type ?? 'file_edit',
    ...(timestamp === undefined ? {} : { timestamp }),
    details: withPath(details, 'file_path', `${at}.file`, findings),
    ...resultOf(result, at, findings),
  };
}

function commandAction(action: Record<string, unknown>, at: string, findings: Finding[]): unknown {
  const { command, result, output, error, working_directory, timestamp, ...unknown } = action;
  return {
    ...unknown,
    type: 'command_run',
    ...(timestamp === undefined ? {} : { timestamp }),
    details: {
      command,
      ...(working_directory === undefined ? {} : { working_directory }),
    },
    ...resultOf(result, at, findings, {
      ...(output === undefined ? {} : { output_summary: output }),
      ...(error === undefined ? {} : { error }),
    }),
  };
}

function resultOf(
  result: unknown,
  at: string,
  findings: Finding[],
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  if (result === undefined) return {};
  if (isObject(result)) return { result: { ...more, ...result } };
  const success = typeof result === 'boolean' ? result : RESULTS[String(result)];
  if (success === undefined) {
    findings.push({ field: `${at}.result`, message: 'must be one of pass, fail' });
    return {};
  }
  return { result: { success, ...more } };
}

function outcomeOf(outcome: Record<string, unknown>, whole: boolean): Record<string, unknown> {
  const { learning, ...long } = outcome;
  if (learning !== undefined) {
    long.learnings = Array.isArray(long.learnings) ? [learning, ...long.learnings] : [learning];
  }
  return whole && long.summary === undefined ? { ...long, summary: madeSummary(long) } : long;
}

/** The first learning, the reason of a failure, or only how it went. */
function madeSummary(outcome: Record<string, unknown>): unknown {
  const first: unknown = Array.isArray(outcome.learnings) ? outcome.learnings[0] : undefined;
  const made = [first, outcome.failure_reason].find(
    (text) => typeof text === 'string' && text.trim() !== '',
  );
  return made ?? (outcome.success ? 'Succeeded' : 'Failed');
}

function withPath(value: unknown, key: string, field: string, findings: Finding[]): unknown {
  if (!isObject(value) || typeof value[key] !== 'string') return value;
  const read = normalizePath(value[key]);
  if ('path' in read) return { ...value, [key]: read.path };
  findings.push({ field, message: read.finding });
  return value;
}

function finished<Memory extends Pick<WorkMemoryData, 'actions'>>(
  memory: Memory,
  { storeDiffs }: DraftOptions,
): Memory {
  return { ...memory, actions: memory.actions.map((action) => withoutDiff(action, storeDiffs)) };
}

/** A diff stays as its hash and its size, so that no source code is kept unasked (seed, Security). */
function withoutDiff(action: Action, storeDiffs: boolean): Action {
  const { diff, ...details } = action.details;
  if (diff === undefined) return action;
  const lines = diff.split('\n');
  const added = lines.filter((line) => line.startsWith('+') && !line.startsWith('+++')).length;
  const taken = lines.filter((line) => line.startsWith('-') && !line.startsWith('---')).length;
  return {
    ...action,
    details: {
      ...details,
      diff_hash: `sha256:${createHash('sha256').update(diff).digest('hex')}`,
      diff_summary: details.diff_summary ?? `+${added} -${taken} lines`,
      ...(storeDiffs ? { diff } : {}),
    },
  };
}
