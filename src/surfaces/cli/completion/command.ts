/** `cue completion <shell>`, and that of `nudge`: made from the commands that there are. */
import { Argument, type Command, Option } from 'commander';
import type { CommandContext, CommandGroup } from '../command-line.js';
import { badInput, EXIT } from '../exit-codes.js';
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
            const { candidatesText } = await import('./candidates.js');
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
