/** `nudge status`: who serves, and how much there is. */
import type { HintCounts } from '../../../hints/offline.js';
import { EXIT } from '../exit-codes.js';
import { printJson, printText } from '../io.js';
import { serverLines } from '../server/lines.js';
import type { NudgeCommand, NudgeContext } from './command.js';
import { type KnownServer, serverOf } from './server-of.js';

export const status: NudgeCommand = {
  define(command, context) {
    command
      .option('--json', 'print the result as JSON, with the port')
      .action(({ json = false }: { json?: boolean }) => perform(json, context));
  },
};

/** @throws AppError NOT_FOUND when nothing serves */
async function perform(json: boolean, context: NudgeContext): Promise<void> {
  const { io, end } = context;
  const server = await serverOf(context);
  if (json) printJson(io, { ...server.status, port: server.port });
  else printText(io, (await linesOf(server, io.clock.now())).join('\n'));
  end(EXIT.done);
}

async function linesOf(server: KnownServer, nowMs: number): Promise<string[]> {
  const { oneLine } = await import('./print-hint.js');
  const { components, hints, durable, session, secret, top_tags } = countsOf(server.status.counts);
  const tags = top_tags.map(({ tag, count }) => `${oneLine(tag)} (${count})`).join(', ');
  return [
    ...serverLines(server, server.port, nowMs),
    `  hints: ${hints} of ${components} ${components === 1 ? 'component' : 'components'} ` +
      `(${durable} durable, ${session} of the session, ${secret} secret)`,
    ...(tags === '' ? [] : [`  top tags: ${tags}`]),
  ];
}

/** Of a server that says less, nothing. */
function countsOf(counts: unknown): HintCounts {
  const none = { components: 0, hints: 0, durable: 0, session: 0, secret: 0, top_tags: [] };
  return typeof counts === 'object' && counts !== null ? { ...none, ...counts } : none;
}
