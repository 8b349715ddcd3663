/** `cue open`: the panel in the browser. */
import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import type { Command } from 'commander';
import { identityOf } from '../../server/client.js';
import { addServerOptions, type ServerFlags, tell } from './answer.js';
import { askWho } from './ask-server.js';
import type { CommandContext } from './command-line.js';
import { ioFor } from './io.js';

export const commands = { open: defineOpen };

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

const EXPLAINED = `
Environment:
  BROWSER   the program that opens it, with its arguments (else the one of the system)
`;

function defineOpen(group: Command, context: CommandContext): void {
  addServerOptions(group)
    .option('--print', 'only print its address')
    .addHelpText('after', EXPLAINED)
    .action(async ({ print }: { print?: true }, command: Command) => {
      const { port, dataDir } = command.optsWithGlobals<ServerFlags>();
      const io = ioFor(context.io, () => dataDir);
      const { who, baseUrl } = await askWho(io, port);
      const agentId = identityOf(who)?.agentId ?? '';
      const address = `${baseUrl}/cue/panel?agentId=${encodeURIComponent(agentId)}`;
      const isOpened = !print && (await opened(address, io.env));
      await tell<{ address: string }>(
        context,
        command,
        { address },
        {
          text: () => address,
          beside: () => (print || isOpened ? [] : ['no browser could be opened: open it yourself']),
        },
      );
    });
}

/** An argument with blanks stands in quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** Whether there is a program that opens it, and it took it. */
function opened(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const [chosen, ...flags] = wordsOf(env.BROWSER ?? '');
  const ofSystem = OPENERS[platform()] ?? ['xdg-open'];
  const [program, ...args] = chosen === undefined ? ofSystem : [chosen, ...flags];
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
