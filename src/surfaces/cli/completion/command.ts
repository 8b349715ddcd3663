/** `cue completion <shell>`, and that of `nudge`: made from the commands that there are. */
import { Argument, type Command, Option } from 'commander';
import type { ComponentCount } from '../../../hints/offline.js';
import { createRpcClient } from '../../../server/client.js';
import { callServing } from '../ask-server.js';
import type { CommandContext, CommandGroup } from '../command-line.js';
import { badInput, EXIT, type Io } from '../io.js';
import type { Candidates, CommandSpec } from './spec.js';

type MakeScript = (name: string, commands: readonly CommandSpec[]) => string;

const SCRIPTS: Readonly<Record<string, () => Promise<MakeScript>>> = {
  bash: async () => (await import('./bash.js')).bashScript,
  zsh: async () => (await import('./zsh.js')).zshScript,
  fish: async () => (await import('./fish.js')).fishScript,
};
const CANDIDATES: readonly Candidates[] = ['components', 'when'];

/** @param whole the program with all commands defined */
export function completionGroup(whole: () => Promise<Command>): CommandGroup {
  return {
    define(command: Command, { io, end }: CommandContext): void {
      const name = command.parent?.name() ?? '';
      command
        .addArgument(new Argument('[shell]').choices(Object.keys(SCRIPTS)))
        // What the scripts ask for.
        .addOption(new Option('--candidates <what>').choices([...CANDIDATES]).hideHelp())
        .addHelpText('after', explained(name))
        .action(async (shell: string | undefined, { candidates }: { candidates?: Candidates }) => {
          if (candidates !== undefined) {
            io.out(await candidatesText(candidates, io));
          } else {
            const load = SCRIPTS[shell ?? ''];
            if (!load) throw badInput(`say for which shell: ${Object.keys(SCRIPTS).join(', ')}`);
            const [make, { specOf }] = await Promise.all([load(), import('./spec.js')]);
            io.out(make(name, specOf(await whole())));
          }
          end(EXIT.done);
        });
    },
  };
}

const explained = (name: string): string => `
Put the line of your shell where it reads its settings:
  bash   source <(${name} completion bash)        ~/.bashrc
  zsh    source <(${name} completion zsh)         ~/.zshrc, behind compinit
  fish   ${name} completion fish | source         ~/.config/fish/config.fish
`;

/** Nobody waits longer for a completion. */
const TIMEOUT_MS = 1_000;
/** Of what a shell reads without a thought: no quotes, nothing that it expands, no word breaks of bash. */
const HARMLESS = /^[\p{L}\p{N}][\p{L}\p{N} _.,+/-]*$/u;

/** One a line; never throws. */
export async function candidatesText(what: Candidates, io: Io): Promise<string> {
  const names = await (what === 'when' ? triggersOf(io) : componentsOf(io)).catch(() => []);
  return names
    .filter((name) => HARMLESS.test(name))
    .map((name) => `${name}\n`)
    .join('');
}

async function componentsOf(io: Io): Promise<string[]> {
  const { components } = await callServing<{ components: ComponentCount[] }>(
    io,
    undefined,
    'components',
    (address) =>
      createRpcClient(address, { timeoutMs: TIMEOUT_MS }).call('nudge.list_components', {}),
  );
  return components.map(({ name }) => name);
}

/** Of the index of the project. */
async function triggersOf(io: Io): Promise<string[]> {
  const [{ existingPathsOf }, { openIndex, whenRoom }] = await Promise.all([
    import('../when-commands/paths.js'),
    import('../when-commands/perform.js'),
  ]);
  const { library } = await openIndex(await whenRoom(), existingPathsOf({}, io));
  return library.entries.map(({ phrase }) => phrase);
}
