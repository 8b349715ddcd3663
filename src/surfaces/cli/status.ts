/** `cue status`: who serves, and how all rooms are. */
import { Argument, type Command } from 'commander';
import type { AutonomyStatus } from '../../autonomy/index.js';
import type { MemoryHealth } from '../../memory/index.js';
import type { ProactiveHealth } from '../../proactive/index.js';
import { findServer } from '../../server/client.js';
import { isAppError } from '../../shared/errors.js';
import type { TriggerHealth } from '../../triggers/index.js';
import type { WhenHealth } from '../../when/index.js';
import { addServerOptions, ask, type ServerFlags, tell } from './answer.js';
import { askWho } from './ask-server.js';
import type { CommandContext, DefineCommand } from './command-line.js';
import { badInput, errorDocument, ioFor } from './io.js';
import { counted } from './lines.js';
import { serverCommand } from './request.js';
import type { Status } from './status-text.js';

const STATUS_EXPLAINED = `
With --json: { server, triggers, autonomy, memory, offers, when }, each as its route answers; "error" stands
in a part that cannot be had.

Exit codes:
  0 a server answers   1 none does, or none of ours   2 it has not what CUE_AGENT or CUE_PROJECT names
`;

function defineStatus(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .addHelpText('after', STATUS_EXPLAINED)
    .action(async (_flags: object, command: Command) => {
      const { status, port } = await askStatus(context, command);
      await tell(context, command, status, {
        text: async (told) => {
          const { statusText } = await import('./status-text.js');
          return statusText(told, port, context.io.clock.now());
        },
      });
    });
}

/** Of whoever serves, and on which port. @throws AppError as `callServing`, where none of ours does */
export async function askStatus(
  context: CommandContext,
  command: Command,
): Promise<{ status: Status; port: number }> {
  const { port, dataDir } = command.optsWithGlobals<ServerFlags>();
  const io = ioFor(context.io, () => dataDir);
  // First alone: where nothing serves, one answer says so.
  const server = await askWho(io, port).then(
    ({ who }) => who,
    (error: unknown) => {
      // One of ours has answered, whose hints have not started.
      const isOurs = isAppError(error) && error.details.met === undefined;
      if (isOurs && error.code !== 'INVALID_INPUT') return errorDocument(error);
      throw error;
    },
  );
  const part = <Health extends object>(path: string, field: keyof Health & string) =>
    ask<Health>(context, command, { path, field }).catch(errorDocument);
  const [triggers, autonomy, memory, offers, when] = await Promise.all([
    part<TriggerHealth>('/triggers/health', 'enabled'),
    part<AutonomyStatus>('/autonomy', 'enabled'),
    part<MemoryHealth>('/memories/health', 'memories'),
    part<ProactiveHealth>('/offers/health', 'detectors'),
    part<WhenHealth>('/when/health', 'state'),
  ]);
  const { baseUrl } = findServer({ env: io.env, cwd: io.cwd, port });
  const status = { server, triggers, autonomy, memory, offers, when };
  return { status, port: Number(new URL(baseUrl).port) };
}

type Told = AutonomyStatus & { cycle?: { instructions: number } | null };

const AUTONOMY_EXPLAINED = `
Without a word: how it stands. "on" and "off" switch all runs of triggers and the loop, and are kept across
restarts; "run" is one cycle now: all instructions that wait for it.
`;

/** A server answers after 20 s, whether the cycle has ended or not. */
const CYCLE_MS = 25_000;

const DEEDS: Readonly<Record<string, object>> = {
  on: { enabled: true },
  off: { enabled: false },
  run: { runCycle: true },
};

const autonomy: DefineCommand = (command, context) => {
  command.addArgument(new Argument('[action]').choices(Object.keys(DEEDS)));
  serverCommand<Told>({
    flags: [
      ['loop', '--loop', 'it also thinks by itself, again and again'],
      ['loop', '--no-loop', 'it only does what it is told', false],
      ['intervalMs', '--interval-ms <number>', 'from one cycle to the next', 'number'],
    ],
    after: AUTONOMY_EXPLAINED,
    ask({ id: action, fields }) {
      const body = { ...DEEDS[action], ...fields };
      if (action === 'run' && Object.keys(fields).length > 0) throw badInput('"run" stands alone');
      const isChange = Object.keys(body).length > 0;
      const change = isChange ? ({ method: 'POST', body, timeoutMs: CYCLE_MS } as const) : {};
      return { path: '/autonomy', ...change, field: 'enabled', text: textOf };
    },
  })(command, context);
};

async function textOf({ cycle, ...told }: Told): Promise<string> {
  const { autonomyLines } = await import('./status-text.js');
  const lines = autonomyLines(told);
  if (cycle === null) lines.unshift('the cycle takes longer, and goes on');
  else if (cycle) lines.unshift(`✔ one cycle: ${counted(cycle.instructions, 'instruction')}`);
  return lines.join('\n');
}

export const commands = { status: defineStatus, autonomy };
