/** `cue export` and `cue import`. */
import type { ImportResult } from '../../memory/index.js';
import { MINUTE_MS } from '../../shared/clock.js';
import {
  byteLength,
  MOST_BYTES,
  type Part,
  partsOfDocument,
  partsOfLines,
} from '../../shared/export-parts.js';
import { isObject, parsedJson } from '../../shared/json.js';
import { ask, type Printed, tell } from './answer.js';
import { readInput, STANDARD_INPUT } from './input.js';
import { badInput, EXIT, escapedJson, printJson } from './io.js';
import { counted, degradedWords, oneLine, redactedWords } from './lines.js';
import { serverCommand } from './request.js';

const EXPORT_EXPLAINED = `
JSON lines are printed as they come, however many they are. An export that breaks off ends with exit code
1 and is not complete.

Example:
  cue export > memories.jsonl
`;

export const EXPORT_MS = 10 * MINUTE_MS;

const FORMATS = 'of memories: JSON lines, or one document (jsonl)';

const exported = serverCommand<never, { format?: 'json' | 'jsonl'; triggers?: true }>({
  flags: [
    ['format', '--format <name>', FORMATS, ['jsonl', 'json']],
    ['triggers', '--triggers', 'the triggers, in place of memories, links, chapters and wisdom'],
  ],
  after: EXPORT_EXPLAINED,
  async ask({ fields: { format, triggers } }, context, command) {
    const { io, end } = context;
    const slow = { timeoutMs: EXPORT_MS };
    if (triggers && format === 'jsonl') throw badInput('triggers are exported as one document');
    const query = { format: format ?? 'jsonl' };
    if (triggers) {
      const asked = { path: '/triggers/export', field: 'triggers', ...slow } as const;
      printJson(io, await ask<{ triggers: unknown }>(context, command, asked));
    } else if (format === 'json') {
      const asked = { path: '/export', query, field: 'memories', ...slow } as const;
      printJson(io, await ask<{ memories: unknown }>(context, command, asked));
    } else {
      const onLines = (text: string): void => io.out(escapedJson(text));
      const asked = { path: '/export', query, onLines, field: 'lines', ...slow } as const;
      await ask<{ lines: true }>(context, command, asked);
    }
    end(EXIT.done);
    return null;
  },
});

/** Of `/triggers/import`; `rejected` by its place in the list. */
interface BatchResult {
  created: unknown[];
  duplicates: unknown[];
  rejected: { index: number; findings: { field: string; message: string }[] }[];
  counts: { created: number; duplicates: number; rejected: number };
}

/** What `cue export` of a large project has. */
const MAX_FILE_BYTES = 256_000_000;
const MAX_STDIN_BYTES = 2_000_000;
const MEMORY_LISTS = ['memories', 'links', 'chapters', 'wisdom'];
const MOST_SHOWN = 20;

const IMPORT_EXPLAINED = `
"-" reads standard input, up to 2 MB. Taken in is what "cue export" prints, in both formats, and lists of
memories in the form of "cue store". What is there already stays as it is, so a file can be imported twice.
A file over 1.5 MB is sent in parts: when one fails, those before it are in.

Exit codes:
  0 done   1 failure, or no server   2 bad input, or a record was rejected
`;

const imported = serverCommand<never>({
  args: { '<file>': '' },
  after: IMPORT_EXPLAINED,
  async ask({ id: file }, context, command) {
    const text = await readInput(file, context.io, MAX_FILE_BYTES, MAX_STDIN_BYTES);
    const read = parsedJson(text);
    const isTriggers = isObject(read) && Array.isArray(read.triggers);
    if (!isTriggers) mustBeMemories(text, read, file);
    const send = <Body extends object>(
      { parts, path, field }: { parts: readonly Part[]; path: string; field: keyof Body & string },
      printed: Printed<Body>,
    ) =>
      sumOf(parts, (body) => {
        const request = { method: 'POST', path, body, timeoutMs: EXPORT_MS, field } as const;
        return ask<Body>(context, command, request);
      }).then((sum) => tell(context, command, sum, printed));
    if (isTriggers) {
      const parts = partsOfDocument(read, ['triggers']);
      await send<BatchResult>({ parts, path: '/triggers/import', field: 'counts' }, TRIGGERS);
    } else {
      const parts = memoryParts(text, read);
      await send<ImportResult>({ parts, path: '/import', field: 'imported' }, MEMORIES);
    }
    return null;
  },
});

const MEMORIES: Printed<ImportResult> = {
  text: ({ imported, skipped, rejected }) =>
    `✔ imported ${counted(imported, 'record')}, skipped ${skipped}, rejected ${rejected.length}`,
  beside: ({ rejected, redacted, degraded }) => [
    ...shortened(rejected.map(({ line, reason }) => `${line}: ${oneLine(reason)}`)),
    ...redactedWords(redacted),
    ...degradedWords(degraded),
  ],
  code: ({ rejected }) => (rejected.length > 0 ? EXIT.badInput : EXIT.done),
};

const TRIGGERS: Printed<BatchResult> = {
  text: ({ counts: { created, duplicates, rejected } }) =>
    `✔ imported ${counted(created, 'trigger')}, skipped ${duplicates}, rejected ${rejected}`,
  beside: ({ rejected }) =>
    shortened(
      rejected.map(({ index, findings }) => {
        const words = findings.map(({ field, message }) => `${field} ${message}`).join('; ');
        return `${index + 1}: ${oneLine(words)}`;
      }),
    ),
  code: ({ counts }) => (counts.rejected > 0 ? EXIT.badInput : EXIT.done),
};

/** What is something else as a whole is told once, not by its lines. @throws AppError INVALID_INPUT */
function mustBeMemories(text: string, read: unknown, file: string): void {
  const what = file === STANDARD_INPUT ? 'standard input' : file;
  const refuse = (is: string): never => {
    throw badInput(`${what} is ${is}`);
  };
  if (isObject(read)) {
    const { payload = read } = read;
    if (isObject(payload) && isObject(payload.components)) {
      refuse(`hints as "nudge export" prints them: nudge import ${file} takes it`);
    }
    const isLine = !text.trim().includes('\n');
    if (isLine || MEMORY_LISTS.some((list) => Array.isArray(read[list]))) return;
    if ('intent' in read) refuse(`one memory: cue store takes it on standard input`);
    refuse('JSON, but no export of memories or triggers');
  }
  if (read !== undefined || text.trim() === '') return;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (!lines.some((line) => isObject(parsedJson(line)))) {
    refuse('neither JSON lines nor one JSON document: is it cut off?');
  }
}

/** As it is where it fits into one request. */
function memoryParts(text: string, read: unknown): Part[] {
  if (byteLength(text) <= MOST_BYTES) return [{ body: { jsonl: text }, before: 0 }];
  if (Array.isArray(read)) return partsOfDocument({ memories: read }, MEMORY_LISTS);
  return isObject(read) ? partsOfDocument(read, MEMORY_LISTS) : partsOfLines(text);
}

/** Sends each part in its turn; what came of them as one answer, which counts their records together. */
export async function sumOf<Answer extends object>(
  parts: readonly Part[],
  send: (body: object) => Promise<Answer>,
): Promise<Answer> {
  let sum: unknown;
  for (const { body, before } of parts) sum = added(sum, placed(await send(body), before));
  return sum as Answer;
}

/** Places of records as they are in the whole. */
function placed(value: unknown, before: number): unknown {
  if (Array.isArray(value)) return value.map((one) => placed(one, before));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, one]) => {
    const isPlace = (name === 'line' || name === 'index') && typeof one === 'number';
    return [name, isPlace ? one + before : placed(one, before)];
  });
  return Object.fromEntries(fields);
}

/** Numbers add up, lists follow each other, and of counts by kind each kind has one. */
function added(sum: unknown, one: unknown): unknown {
  if (typeof sum === 'number' && typeof one === 'number') return sum + one;
  if (Array.isArray(sum) && Array.isArray(one)) {
    const all = [...sum, ...one];
    if (!all.every((item) => isObject(item) && 'kind' in item)) return all;
    const counts = new Map<string, number>();
    for (const { kind, count } of all) counts.set(kind, (counts.get(kind) ?? 0) + count);
    return [...counts].map(([kind, count]) => ({ kind, count }));
  }
  if (!isObject(sum) || !isObject(one)) return one;
  const fields = Object.entries(one).map(([name, value]) => [name, added(sum[name], value)]);
  return { ...sum, ...Object.fromEntries(fields) };
}

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - MOST_SHOWN;
  return more > 0 ? [...lines.slice(0, MOST_SHOWN), `and ${more} more`] : [...lines];
}

export const commands = { export: exported, import: imported };
