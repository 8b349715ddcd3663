/** `cue status`: who serves, and how all rooms are. */
import type { Command } from 'commander';
import type { AutonomyStatus } from '../../../autonomy/index.js';
import type { MemoryHealth } from '../../../memory/index.js';
import type { ProactiveHealth } from '../../../proactive/index.js';
import { createRpcClient, findServer } from '../../../server/client.js';
import { isAppError } from '../../../shared/errors.js';
import type { TriggerHealth } from '../../../triggers/index.js';
import type { WhenHealth } from '../../../when/index.js';
import type { CommandContext, CommandGroup } from '../command-line.js';
import { errorDocument } from '../exit-codes.js';
import { addServerOptions, ask, type ServerFlags, tell } from '../server/answer.js';
import { callServing } from '../server/call.js';
import { ioFor } from '../server/data-dir.js';
import type { Status } from './print.js';

const EXPLAINED = `
With --json: { server, triggers, autonomy, memory, offers, when }, each as its route answers; "error" stands
in a part that cannot be had.

Exit codes:
  0 a server answers   1 none does, or none of ours   2 it has not what CUE_AGENT or CUE_PROJECT names
`;

export const statusGroup: CommandGroup = { define };

function define(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .addHelpText('after', EXPLAINED)
    .action(async (_flags: object, command: Command) => {
      const { port, dataDir } = command.optsWithGlobals<ServerFlags>();
      const io = ioFor(context.io, () => dataDir);
      // First alone: where nothing serves, one answer says so.
      const server = await callServing<Record<string, unknown>>(io, port, 'pid', (address) =>
        createRpcClient(address).call('nudge.status', {}),
      ).catch((error: unknown) => {
        // One of ours has answered, whose hints have not started.
        const isOurs = isAppError(error) && error.details.met === undefined;
        if (isOurs && error.code !== 'INVALID_INPUT') return errorDocument(error);
        throw error;
      });
      const part = <Health extends object>(path: string, field: keyof Health & string) =>
        ask<Health>(context, command, { path, field }).catch(errorDocument);
      const [triggers, autonomy, memory, offers, when] = await Promise.all([
        part<TriggerHealth>('/triggers/health', 'enabled'),
        part<AutonomyStatus>('/autonomy', 'enabled'),
        part<MemoryHealth>('/memories/health', 'memories'),
        part<ProactiveHealth>('/offers/health', 'detectors'),
        part<WhenHealth>('/when/health', 'state'),
      ]);
      const status: Status = { server, triggers, autonomy, memory, offers, when };
      const { baseUrl } = findServer({ env: io.env, cwd: io.cwd, port });
      await tell(context, command, status, {
        text: async (told) => {
          const { statusText } = await import('./print.js');
          return statusText(told, Number(new URL(baseUrl).port), io.clock.now());
        },
      });
    });
}
