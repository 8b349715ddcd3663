/** `cue export` */

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ImportResult } from '../../memory/index.js';
import { MINUTE_MS } from '../../shared/clock.js';
import {
  byteLength,
  MOST_BYTES,
  type Part,
  partsOfDocument,
  partsOfLines,
} from '../../shared/export-parts.js';
import { isObject } from '../../shared/json.js';
import { addServerOptions, ask, tell } from './answer.js';
import type { CommandContext } from './command-line.js';
import { readTextFile } from './input.js';
import { badInput, EXIT, escapedJson, type Io, printJson } from './io.js';
import { counted, oneLine } from './lines.js';

export const commands = { export: defineExport, import: defineImport };

interface ExportFlags {
  format?: 'json' | 'jsonl';
  triggers?: true;
}

const EXPORT_EXPLAINED = `
JSON lines are printed as they come, however many they are. An export that breaks off ends with exit code
1 and is not complete.

Example:
  cue export > memories.jsonl
`;

export const EXPORT_MS = 10 * MINUTE_MS;

const MEMORIES = '/export';
const slow = { timeoutMs: EXPORT_MS };

function defineExport(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .addOption(
      new Option('--format <name>', 'of memories: JSON lines, or one document (jsonl)').choices([
        'jsonl',
        'json',
      ]),
    )
    .option('--triggers', 'the triggers, in place of memories, links, chapters and wisdom')
    .addHelpText('after', EXPORT_EXPLAINED)
    .action(async (flags: ExportFlags, command: Command) => {
      const { format = 'jsonl', triggers } = flags;
      const { io, end } = context;
      if (triggers) {
        if (flags.format === 'jsonl') throw badInput('triggers are exported as one document');
        const asked = { path: '/triggers/export', field: 'triggers', ...slow } as const;
        printJson(io, await ask<{ triggers: unknown }>(context, command, asked));
      } else if (format === 'json') {
        const asked = { path: MEMORIES, query: { format }, field: 'memories', ...slow } as const;
        printJson(io, await ask<{ memories: unknown }>(context, command, asked));
      } else {
        await linesTo(context, command);
      }
      end(EXIT.done);
    });
}

async function linesTo(context: CommandContext, command: Command): Promise<void> {
  const { io } = context;
  const query = { format: 'jsonl' };
  const onLines = (text: string): void => io.out(escapedJson(text));
  const asked = { path: MEMORIES, query, onLines, field: 'lines', ...slow } as const;
  await ask<{ lines: true }>(context, command, asked);
}

/** Of `/triggers/import`; `rejected` by its place in the list. */
interface BatchResult {
  created: unknown[];
  duplicates: unknown[];
  rejected: { index: number; findings: { field: string; message: string }[] }[];
  counts: { created: number; duplicates: number; rejected: number };
}

/** What `cue export` of a large project has. */
const MAX_FILE_BYTES = 256_000_000;
const STANDARD_INPUT = '-';
const MEMORY_LISTS = ['memories', 'links', 'chapters', 'wisdom'];
const MOST_SHOWN = 20;

const IMPORT_EXPLAINED = `
"-" reads standard input, up to 2 MB. Taken in is what "cue export" prints, in both formats, and lists of
memories in the form of "cue store". What is there already stays as it is, so a file can be imported twice.
A file over 1.5 MB is sent in parts: when one fails, those before it are in.

Exit codes:
  0 done   1 failure, or no server   2 bad input, or a record was rejected
`;

function defineImport(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .argument('<file>')
    .addHelpText('after', IMPORT_EXPLAINED)
    .action(async (file: string, _flags: object, command: Command) => {
      const text = await textOf(file, context.io);
      const read = documentIn(text);
      if (isObject(read) && Array.isArray(read.triggers)) {
        await importTriggers(partsOfDocument(read, ['triggers']), context, command);
      } else {
        mustBeMemories(text, read, file);
        await importMemories(memoryParts(text, read), context, command);
      }
    });
}

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
  if (!lines.some((line) => isObject(documentIn(line)))) {
    refuse('neither JSON lines nor one JSON document: is it cut off?');
  }
}

/** As it is where it fits into one request. */
function memoryParts(text: string, read: unknown): Part[] {
  if (byteLength(text) <= MOST_BYTES) return [{ body: { jsonl: text }, before: 0 }];
  if (Array.isArray(read)) return partsOfDocument({ memories: read }, MEMORY_LISTS);
  return isObject(read) ? partsOfDocument(read, MEMORY_LISTS) : partsOfLines(text);
}

async function importMemories(
  parts: readonly Part[],
  context: CommandContext,
  command: Command,
): Promise<void> {
  let sum: ImportResult = { imported: 0, skipped: 0, rejected: [] };
  for (const { body, before } of parts) {
    const request = { method: 'POST', path: '/import', body, timeoutMs: EXPORT_MS } as const;
    const one = await ask<ImportResult>(context, command, { ...request, field: 'imported' });
    sum = parts.length === 1 ? one : added(sum, one, before);
  }
  await tell(context, command, sum, {
    text: ({ imported, skipped, rejected }) =>
      `✔ imported ${counted(imported, 'record')}, skipped ${skipped}, rejected ${rejected.length}`,
    beside: ({ rejected, redacted = [], degraded }) => [
      ...shortened(rejected.map(({ line, reason }) => `${line}: ${oneLine(reason)}`)),
      ...redacted.map(({ kind, count }) => `taken out: ${oneLine(kind)} (${count})`),
      ...(degraded === undefined ? [] : [oneLine(degraded)]),
    ],
    code: ({ rejected }) => (rejected.length > 0 ? EXIT.badInput : EXIT.done),
  });
}

async function importTriggers(
  parts: readonly Part[],
  context: CommandContext,
  command: Command,
): Promise<void> {
  let sum: BatchResult | null = null;
  for (const { body, before } of parts) {
    const path = '/triggers/import';
    const request = { method: 'POST', path, body, timeoutMs: EXPORT_MS } as const;
    const one = await ask<BatchResult>(context, command, { ...request, field: 'counts' });
    sum = sum === null ? one : addedBatch(sum, one, before);
  }
  if (sum === null) return;
  await tell(context, command, sum, {
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
  });
}

function added(sum: ImportResult, one: ImportResult, before: number): ImportResult {
  const redacted = new Map((sum.redacted ?? []).map(({ kind, count }) => [kind, count]));
  for (const { kind, count } of one.redacted ?? []) {
    redacted.set(kind, (redacted.get(kind) ?? 0) + count);
  }
  const degraded = one.degraded ?? sum.degraded;
  return {
    imported: sum.imported + one.imported,
    skipped: sum.skipped + one.skipped,
    rejected: [
      ...sum.rejected,
      ...one.rejected.map(({ line, reason }) => ({ line: line + before, reason })),
    ],
    ...(redacted.size === 0
      ? {}
      : { redacted: [...redacted].map(([kind, count]) => ({ kind, count })) }),
    ...(degraded === undefined ? {} : { degraded }),
  };
}

function addedBatch(sum: BatchResult, one: BatchResult, before: number): BatchResult {
  const moved = <Item extends { index: number }>(items: readonly unknown[]): Item[] =>
    (items as Item[]).map((item) => ({ ...item, index: item.index + before }));
  return {
    created: [...sum.created, ...moved(one.created)],
    duplicates: [...sum.duplicates, ...moved(one.duplicates)],
    rejected: [...sum.rejected, ...moved<BatchResult['rejected'][number]>(one.rejected)],
    counts: {
      created: sum.counts.created + one.counts.created,
      duplicates: sum.counts.duplicates + one.counts.duplicates,
      rejected: sum.counts.rejected + one.counts.rejected,
    },
  };
}

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - MOST_SHOWN;
  return more > 0 ? [...lines.slice(0, MOST_SHOWN), `and ${more} more`] : [...lines];
}

async function textOf(file: string, io: Io): Promise<string> {
  return file === STANDARD_INPUT
    ? io.stdin()
    : readTextFile(resolve(io.cwd, file), file, MAX_FILE_BYTES);
}

/** `undefined`: JSON lines, or nothing that can be read; which of them says the server. */
function documentIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
