/** The completion script for fish, from 3.0 on. Pure. */
import { type CommandSpec, type OptionSpec, optionPaths, type Values } from './spec.js';

/** @param name of the program, which is what the script asks for names that are data */
export function fishScript(name: string, commands: readonly CommandSpec[]): string {
  const own = `__${name}`;
  const lines = commands.flatMap((one) => [
    ...one.commands.map(
      (sub) => `${at(one.path, '0')} -a ${quote(sub.name)} -d ${quote(sub.description)}`,
    ),
    ...one.options.map((option) => `${at(one.path)} ${optionWords(name, option)}`),
    ...one.arguments.map(
      ({ values, place, isLast }) =>
        `${at(one.path, isLast ? '' : String(place))} ${valueWords(name, values)}`,
    ),
  ]);
  function at(path: string, place = ''): string {
    return `complete -c ${name} -n ${quote(`${own}_at ${quote(path)} ${place}`.trim())}`;
  }
  return `# fish completion of ${name}; made by: ${name} completion fish
# ${name} completion fish | source

# The words that lead to the command, and how many arguments it has so far.
function ${own}_here
    set -l here ${name}
    set -l count 0
    set -l skip 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$here $word"
            case ${commands
              .slice(1)
              .map(({ path }) => quote(path))
              .join(' ')}
                set here "$here $word"
                set count 0
            case ${optionPaths(commands).map(quote).join(' ')}
                set skip 1
            case '* -*'
            case '*'
                set count (math $count + 1)
        end
    end
    echo $here
    echo $count
end

function ${own}_at
    set -l found (${own}_here)
    test "$found[1]" = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test "$found[2]" = "$argv[2]"
end

complete -c ${name} -f
${lines.join('\n')}
`;
}

function optionWords(name: string, { flags, description, takesValue, values }: OptionSpec): string {
  const named = flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const value = takesValue ? [values === null ? '-x' : `-r ${valueWords(name, values)}`] : [];
  return [...named, ...value, `-d ${quote(description)}`].join(' ');
}

function valueWords(name: string, values: Values): string {
  switch (values.kind) {
    case 'words':
      return `-f -a ${quote(values.words.join(' '))}`;
    case 'files':
      return '-F';
    case 'folders':
      return `-f -a ${quote('(__fish_complete_directories)')}`;
    case 'candidates':
      return `-f -a ${quote(`(${name} completion --candidates ${values.of} 2>/dev/null)`)}`;
  }
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
