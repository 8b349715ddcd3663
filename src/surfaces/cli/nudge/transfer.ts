/** `nudge import <file>` */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ImportOutcome, StorePayload } from '../../../hints/offline.js';
import { AppError } from '../../../shared/errors.js';
import { byteLength, MOST_BYTES, partsOfHints } from '../../../shared/export-parts.js';
import type { CommandContext } from '../command-line.js';
import { parseJson, readTextFile } from '../input.js';
import { badInput, EXIT, type Io, printJson, printText } from '../io.js';
import { callServer } from './call.js';

export const commands = { import: defineImport, export: defineExport };

interface ImportFlags {
  mode?: string;
  allowSecret?: true;
  json?: true;
}

/** What a full store with long values has. */
const MAX_FILE_BYTES = 128_000_000;
/** The guard reads every value. */
const IMPORT_MS = 120_000;
const MOST_REASONS = 100;
const STANDARD_INPUT = '-';
/** A skip that leaves nothing to be done. */
const HERE_ALREADY = /: what is here is (?:as new|the same)$/;

const IMPORT_EXPLAINED = `
"-" reads standard input. Taken in is what "nudge export" prints. With --mode merge (without it, too) a
hint that is there already is kept unless the imported one was changed later; with --mode replace all
others go. Where none is fit to be taken in, the exit code is 2. Files over 2 MB are sent in parts: when one
fails, those before it are in.
`;

function defineImport(command: Command, context: CommandContext): void {
  command
    .argument('<file>')
    .option('--mode <word>', 'merge or replace')
    .option('--allow-secret', 'also take in what looks like a secret')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', IMPORT_EXPLAINED)
    .action((file: string, flags: ImportFlags) => performImport(file, flags, context));
}

/**
 * Done also when some hints were skipped, or all are here already; not when none was good. The reasons
 * are printed.
 */
async function performImport(
  file: string,
  flags: ImportFlags,
  context: CommandContext,
): Promise<void> {
  const { io, end } = context;
  const { mode, allowSecret, json } = flags;
  const payload = payloadIn(await textOf(file, io), file);
  const isLong = byteLength(payload) > MOST_BYTES;
  if (isLong && mode === 'replace') {
    throw new AppError(
      'TOO_LARGE',
      `${file} is too large to replace all at once: use --mode merge`,
    );
  }
  let sum: ImportOutcome = { imported: 0, skipped: 0, reasons: [] };
  for (const { body: part } of isLong ? partsOfHints(payload) : [{ body: payload }]) {
    const params = { payload: part, mode, allow_secret: allowSecret };
    const deletes = mode === 'replace';
    const options = { field: 'imported', timeoutMs: IMPORT_MS, deletes } as const;
    const outcome = await callServer<ImportOutcome>(context, 'import', params, options);
    sum = isLong ? added(sum, outcome) : outcome;
  }
  const isNothing = sum.imported === 0 && sum.reasons.some((reason) => !HERE_ALREADY.test(reason));
  if (json) printJson(io, sum);
  else {
    const { oneLine } = await import('./print-hint.js');
    const { imported, skipped, reasons = [] } = sum;
    const mark = isNothing ? '' : '✔ ';
    const what = `${mark}imported ${imported} ${imported === 1 ? 'hint' : 'hints'}, skipped ${skipped}`;
    printText(io, [what, ...reasons.map((reason) => `  - ${oneLine(reason)}`)].join('\n'));
  }
  end(isNothing ? EXIT.badInput : EXIT.done);
}

async function textOf(file: string, io: Io): Promise<string> {
  return file === STANDARD_INPUT
    ? io.stdin(MAX_FILE_BYTES)
    : readTextFile(resolve(io.cwd, file), file, MAX_FILE_BYTES);
}

/** The document itself, or the result of `export` that holds it. */
function payloadIn(text: string, file: string): object {
  const what = file === STANDARD_INPUT ? 'standard input' : file;
  const read = parseJson(text, what);
  if (typeof read !== 'object' || read === null) throw badInput(`${what} holds no hints`);
  if ('components' in read || !('payload' in read)) return read;
  const { payload } = read;
  return typeof payload === 'object' && payload !== null ? payload : read;
}

function added(sum: ImportOutcome, one: ImportOutcome): ImportOutcome {
  return {
    imported: sum.imported + one.imported,
    skipped: sum.skipped + one.skipped,
    reasons: [...sum.reasons, ...one.reasons].slice(0, MOST_REASONS),
  };
}

interface ExportFlags {
  format: string;
  component?: string;
  json?: true;
}

/** All that a store holds takes a while to send. */
const EXPORT_MS = 60_000;

const EXPORT_EXPLAINED = `
What was kept with --allow-secret is in the document as it is.
`;

function defineExport(command: Command, context: CommandContext): void {
  command
    .option('--format <name>', 'json, the only one', 'json')
    .option('--component <name>', 'only this one')
    .option('--json', 'print the result as JSON: { "payload": … }')
    .addHelpText('after', EXPORT_EXPLAINED)
    .action((flags: ExportFlags) => performExport(flags, context));
}

async function performExport({ format, component, json }: ExportFlags, context: CommandContext) {
  const { io, end } = context;
  if (format !== 'json') throw badInput(`--format is json, not "${format}"`);
  const params = { format, component };
  const options = { field: 'payload', timeoutMs: EXPORT_MS } as const;
  const result = await callServer<{ payload: StorePayload }>(context, 'export', params, options);
  // Also without the flag: a document for `import`, not for people.
  printJson(io, json ? result : result.payload);
  const secrets = secretsIn(result.payload);
  if (secrets > 0) io.err(`${secrets} of these hints hold secrets, which are in it as they are\n`);
  end(EXIT.done);
}

function secretsIn({ components }: StorePayload): number {
  return Object.values(components)
    .flatMap(({ hints, variants = {} }) =>
      Object.entries(hints).flatMap(([key, hint]) => variants[key] ?? [hint]),
    )
    .filter(({ meta }) => meta.sensitivity === 'secret').length;
}
