/** `nudge import <file>` and `nudge export`. */
import type { ImportOutcome, StorePayload } from '../../../hints/offline.js';
import { AppError } from '../../../shared/errors.js';
import { byteLength, MOST_BYTES, partsOfHints } from '../../../shared/export-parts.js';
import { isObject } from '../../../shared/json.js';
import { ask, tell } from '../answer.js';
import { parseJson, readInput, STANDARD_INPUT } from '../input.js';
import { badInput, EXIT, printJson } from '../io.js';
import { counted } from '../lines.js';
import { requestCommand } from '../request.js';
import { sumOf } from '../transfer.js';

/** What a full store with long values has. */
const MAX_FILE_BYTES = 128_000_000;
/** The guard reads every value. */
const IMPORT_MS = 120_000;
const MOST_REASONS = 100;
/** A skip that leaves nothing to be done. */
const HERE_ALREADY = /: what is here is (?:as new|the same)$/;

const IMPORT_EXPLAINED = `
"-" reads standard input. Taken in is what "nudge export" prints. With --mode merge (without it, too) a
hint that is there already is kept unless the imported one was changed later; with --mode replace all
others go. Where none is fit to be taken in, the exit code is 2. Files over 2 MB are sent in parts: when one
fails, those before it are in.
`;

/** Done also when some hints were skipped, or all are here already; not when none was good. */
const imported = requestCommand<never, { mode?: string; allow_secret?: true }>({
  args: { '<file>': '' },
  flags: [
    ['mode', '--mode <word>', 'merge or replace'],
    ['allow_secret', '--allow-secret', 'also take in what looks like a secret'],
  ],
  ...{ json: 'print the result as JSON', after: IMPORT_EXPLAINED },
  async ask({ id: file, fields }, context, command) {
    const payload = payloadIn(await readInput(file, context.io, MAX_FILE_BYTES), file);
    const isLong = byteLength(payload) > MOST_BYTES;
    const deletes = fields.mode === 'replace';
    if (isLong && deletes) {
      const message = `${file} is too large to replace all at once: use --mode merge`;
      throw new AppError('TOO_LARGE', message);
    }
    const parts = isLong ? partsOfHints(payload) : [{ body: payload, before: 0 }];
    const sum = await sumOf<ImportOutcome>(parts, (part) => {
      const params = { payload: part, ...fields };
      const call = { call: 'import', params, timeoutMs: IMPORT_MS, deletes } as const;
      return ask<ImportOutcome>(context, command, { ...call, field: 'imported' });
    });
    const { reasons = [] } = sum;
    const isNothing = sum.imported === 0 && reasons.some((reason) => !HERE_ALREADY.test(reason));
    await tell(
      context,
      command,
      { ...sum, reasons: reasons.slice(0, MOST_REASONS) },
      {
        async text({ imported, skipped, reasons }) {
          const { oneLine } = await import('./print-hint.js');
          const what = `imported ${counted(imported, 'hint')}, skipped ${skipped}`;
          const lines = reasons.map((reason) => `  - ${oneLine(reason)}`);
          return [isNothing ? what : `✔ ${what}`, ...lines].join('\n');
        },
        code: () => (isNothing ? EXIT.badInput : EXIT.done),
      },
    );
    return null;
  },
});

/** The document itself, or the result of `export` that holds it. */
function payloadIn(text: string, file: string): object {
  const what = file === STANDARD_INPUT ? 'standard input' : file;
  const read = parseJson(text, what);
  if (typeof read !== 'object' || read === null) throw badInput(`${what} holds no hints`);
  if ('components' in read || !('payload' in read)) return read;
  return isObject(read.payload) ? read.payload : read;
}

/** All that a store holds takes a while to send. */
const EXPORT_MS = 60_000;

const EXPORT_EXPLAINED = `
What was kept with --allow-secret is in the document as it is.
`;

const exported = requestCommand<never, { format?: string; component?: string; json?: true }>({
  flags: [
    ['format', '--format <name>', 'json, the only one (default: "json")'],
    ['component', '--component <name>', 'only this one'],
    ['json', '--json', 'print the result as JSON: { "payload": … }'],
  ],
  after: EXPORT_EXPLAINED,
  async ask({ fields: { format = 'json', component, json } }, context, command) {
    if (format !== 'json') throw badInput(`--format is json, not "${format}"`);
    const call = { call: 'export', params: { format, component }, timeoutMs: EXPORT_MS };
    const asked = { ...call, field: 'payload' } as const;
    const result = await ask<{ payload: StorePayload }>(context, command, asked);
    // Also without the flag: a document for `import`, not for people.
    printJson(context.io, json ? result : result.payload);
    const secrets = secretsIn(result.payload);
    if (secrets > 0) {
      context.io.err(`${secrets} of these hints hold secrets, which are in it as they are\n`);
    }
    context.end(EXIT.done);
    return null;
  },
});

function secretsIn({ components }: StorePayload): number {
  return Object.values(components)
    .flatMap(({ hints, variants = {} }) =>
      Object.entries(hints).flatMap(([key, hint]) => variants[key] ?? [hint]),
    )
    .filter(({ meta }) => meta.sensitivity === 'secret').length;
}

export const commands = { import: imported, export: exported };
