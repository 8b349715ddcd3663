/** `cue completion <shell>` prints a few lines for the shell, which ask `cue __complete` at each press of the key. */
import { Argument, type Command } from 'commander';
import type { CommandContext } from './command-line.js';
import { FILES, FOLDERS } from './complete.js';
import { badInput, EXIT } from './io.js';

export const commands = { completion: defineCompletion };

type MakeScript = (name: string) => string;

const SCRIPTS: Readonly<Record<string, MakeScript>> = {
  bash: (name) => `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} open='' line
  COMPREPLY=()
  case $cur in
    \\"* | \\'*) open=1 cur=\${cur:1} ;;
  esac
  cur=\${cur//\\\\/}
  while IFS= read -r line; do
    case $line in
      ${FILES} | ${FOLDERS})
        compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
          if [ "$line" = ${FILES} ]; then compgen -f -- "$cur"; else compgen -d -- "$cur"; fi
        )
        ;;
      *)
        line=\${line%%$'\\t'*}
        if [ -z "$open" ]; then printf -v line %q "$line"; fi
        COMPREPLY+=("$line")
        ;;
    esac
  done < <(${name} __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null)
}
complete -F _${name} ${name}
`,
  zsh: (name) => `#compdef ${name}
# zsh completion of ${name}: source <(${name} completion zsh)
_${name}() {
  local line
  local -a found
  for line in "\${(@f)$(${name} __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      (${FILES}) _files; return ;;
      (${FOLDERS}) _files -/; return ;;
      (?*) line=\${line//:/\\\\:}; found+=("\${line/$'\\t'/:}") ;;
    esac
  done
  (( \${#found} )) && _describe ${name} found
}
if [[ \${funcstack[1]-} == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`,
  fish: (name) => `# fish completion of ${name}: ${name} completion fish | source
function __${name}_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    for line in (${name} __complete -- $words[2..-1] "$typed" 2>/dev/null)
        switch $line
            case ${FILES}
                __fish_complete_path "$typed"
            case ${FOLDERS}
                __fish_complete_directories "$typed"
            case '*'
                echo $line
        end
    end
end
complete -c ${name} -f -a '(__${name}_complete)'
`,
};

function defineCompletion(command: Command, { io, end }: CommandContext): void {
  const name = command.parent?.name() ?? '';
  command
    .addArgument(new Argument('[shell]').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', explained(name))
    .action((shell: string | undefined) => {
      const make = SCRIPTS[shell ?? ''];
      if (!make) throw badInput(`say for which shell: ${Object.keys(SCRIPTS).join(', ')}`);
      io.out(make(name));
      end(EXIT.done);
    });
}

const explained = (name: string): string => `
Put the line of your shell where it reads its settings:
  bash   source <(${name} completion bash)        ~/.bashrc
  zsh    source <(${name} completion zsh)         ~/.zshrc, behind compinit
  fish   ${name} completion fish | source         ~/.config/fish/config.fish
`;
