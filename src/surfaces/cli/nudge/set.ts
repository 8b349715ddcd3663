/** `nudge set <component> <key> <value>` */
import type { Command } from 'commander';
import type { SetResult } from '../../../hints/offline.js';
import { EXIT } from '../exit-codes.js';
import { collect, numberOf, wordsIn } from '../flag-words.js';
import { printJson, printText } from '../io.js';
import { inFlags } from '../server/in-flags.js';
import { callServer } from './call.js';
import type { NudgeCommand, NudgeContext } from './command.js';
import { addScopeFlags, type ScopeFlags, scopeOf } from './scope-flags.js';
import { addValueFlags, hintValueOf, VALUE_EXPLAINED, type ValueFlags } from './value-flags.js';

interface SetFlags extends ValueFlags, ScopeFlags {
  reason?: string;
  tags?: string[];
  priority?: number;
  confidence?: number;
  ttl?: string;
  sensitivity?: string;
  source?: string;
  addedBy?: string;
  ifMatchVersion?: number;
  allowSecret?: true;
  json?: true;
}

/** The guard reads a value with a library that takes its time to load. */
const TIMEOUT_MS = 15_000;

export const set: NudgeCommand = {
  define(command, context) {
    command
      .argument('<component>', 'service, module or folder: http-proxy')
      .argument('<key>', 'what it is: build')
      .argument('<value>');
    addValueFlags(command)
      .option('--reason <text>', 'why it is so')
      .option('--tags <words>', 'comma-separated', collect)
      .option('--priority <number>', '1 to 10 (5)', numberOf('--priority'))
      .option('--confidence <number>', '0 to 1 (0.5)', numberOf('--confidence'))
      .option('--ttl <time>', '"session", or a duration: PT2H, P30D')
      .option('--sensitivity <word>', 'secret or normal')
      .option('--source <word>', 'user, agent, tool-output or file-import')
      .option('--added-by <name>', 'who says so');
    addScopeFlags(command)
      .option(
        '--if-match-version <number>',
        'only when it has this version; 0: only when there is none',
        numberOf('--if-match-version'),
      )
      .option('--allow-secret', 'keep it though it looks like a secret, and show it nowhere')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', VALUE_EXPLAINED)
      .action(
        async (component: string, key: string, value: string, flags: SetFlags, own: Command) => {
          try {
            await perform({ component, key }, value, flags, context);
          } catch (error) {
            throw inFlags(error, own);
          }
        },
      );
  },
};

async function perform(
  name: { component: string; key: string },
  given: string,
  flags: SetFlags,
  context: NudgeContext,
): Promise<void> {
  const { io, end } = context;
  const { ifMatchVersion, allowSecret } = flags;
  const params = {
    ...name,
    value: await hintValueOf(given, flags, io),
    ...metaOf(flags),
    ...(ifMatchVersion === undefined ? {} : { if_match_version: ifMatchVersion }),
    ...(allowSecret ? { allow_secret: true } : {}),
  };
  const options = { field: 'hint', timeoutMs: TIMEOUT_MS } as const;
  const result = await callServer<SetResult>(context, 'set_hint', params, options);
  if (flags.json) printJson(io, result);
  else {
    if (result.notice !== undefined) io.err(`${result.notice}\n`);
    const { hintName, scoreBase } = await import('./print-hint.js');
    const { version } = result.hint;
    printText(io, `✔ upserted hint ${hintName(name)} (v${version})\n  ${scoreBase(result.hint)}`);
  }
  end(EXIT.done);
}

function metaOf(flags: SetFlags): { meta?: object } {
  const { reason, tags, priority, confidence, ttl, sensitivity, source, addedBy } = flags;
  const given = {
    ...{ reason, priority, confidence, ttl, sensitivity, source },
    tags: tags && wordsIn(tags),
    scope: scopeOf(flags),
    added_by: addedBy,
  };
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return fields.length === 0 ? {} : { meta: Object.fromEntries(fields) };
}
