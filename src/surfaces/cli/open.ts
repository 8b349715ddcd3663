/** `cue open`: the panel in the browser. */
import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import type { Command } from 'commander';
import { createRpcClient, identityOf } from '../../server/client.js';
import { addServerOptions, type ServerFlags, tell } from './answer.js';
import { callServing } from './ask-server.js';
import type { CommandContext, CommandGroup } from './command-line.js';
import { ioFor } from './io.js';

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

export const openGroup: CommandGroup = {
  define(group: Command, context: CommandContext): void {
    addServerOptions(group)
      .option('--print', 'only print its address')
      .action(async ({ print }: { print?: true }, command: Command) => {
        const { port, dataDir } = command.optsWithGlobals<ServerFlags>();
        const io = ioFor(context.io, () => dataDir);
        let baseUrl = '';
        const server = await callServing<Record<string, unknown>>(io, port, 'pid', (address) => {
          baseUrl = address.baseUrl;
          return createRpcClient(address).call('nudge.status', {});
        });
        const agentId = identityOf(server)?.agentId ?? '';
        const address = `${baseUrl}/cue/panel?agentId=${encodeURIComponent(agentId)}`;
        const isOpened = !print && (await opened(address, io.env));
        await tell<{ address: string }>(
          context,
          command,
          { address },
          {
            text: () => address,
            beside: () =>
              print || isOpened ? [] : ['no browser could be opened: open it yourself'],
          },
        );
      });
  },
};

/** Whether the system has a way to open it, and took it. */
function opened(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const [program, ...args] = OPENERS[platform()] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true, env });
    child.once('error', () => resolve(false));
    // One that goes on is the browser itself.
    const timer = setTimeout(() => resolve(true), 2_000);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
    child.unref();
  });
}
