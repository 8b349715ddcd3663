/** `nudge export` */
import type { StorePayload } from '../../../hints/offline.js';
import { badInput, EXIT } from '../exit-codes.js';
import { printJson } from '../io.js';
import { callServer } from './call.js';
import type { NudgeCommand, NudgeContext } from './command.js';

interface ExportFlags {
  format: string;
  component?: string;
  json?: true;
}

/** All that a store holds takes a while to send. */
const TIMEOUT_MS = 60_000;

const EXPLAINED = `
What was kept with --allow-secret is in the document as it is.
`;

export const exportHints: NudgeCommand = {
  define(command, context) {
    command
      .option('--format <name>', 'json, the only one', 'json')
      .option('--component <name>', 'only this one')
      .option('--json', 'print the result as JSON: { "payload": … }')
      .addHelpText('after', EXPLAINED)
      .action((flags: ExportFlags) => perform(flags, context));
  },
};

async function perform({ format, component, json }: ExportFlags, context: NudgeContext) {
  const { io, end } = context;
  if (format !== 'json') throw badInput(`--format is json, not "${format}"`);
  const params = { format, ...(component === undefined ? {} : { component }) };
  const options = { field: 'payload', timeoutMs: TIMEOUT_MS } as const;
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
