/** The completion script for zsh. Pure. */
import { type CommandSpec, type Named, optionPaths, pathsByValues, type Values } from './spec.js';

/** @param name of the program, which is what the script asks for names that are data */
export function zshScript(name: string, commands: readonly CommandSpec[]): string {
  const own = `_${name}`;
  return `#compdef ${name}
# zsh completion of ${name}; made by: ${name} completion zsh
# source <(${name} completion zsh), or as a file named ${own} in a folder of $fpath

${own}_candidates() {
  local -a found
  found=(\${(f)"$(${name} completion --candidates $1 2>/dev/null)"})
  compadd -a found
}

${own}_options() {
  local -a list
  case $here in
${commands
  .map(({ path, options }) => {
    const named = options.flatMap(({ flags, description }) =>
      flags.map((flag) => ({ name: flag, description })),
    );
    return branch([path], `list=(${described(named)})`);
  })
  .join('\n')}
  esac
  _describe option list
}

${own}() {
  local here=${name} expects='' word
  local -a list
  integer at=2 count=0
  while (( at < CURRENT )); do
    word=\${words[at]}
    (( at += 1 ))
    case "$here $word" in
${branch(
  commands.slice(1).map(({ path }) => path),
  'here="$here $word" count=0',
)}
${branch(optionPaths(commands), 'if (( at < CURRENT )); then (( at += 1 )); else expects="$here $word"; fi')}
      (*' -'*) ;;
      (*) (( count += 1 )) ;;
    esac
  done
  if [[ -n $expects ]]; then
    case $expects in
${pathsByValues(commands)
  .map(({ paths, values }) => branch(paths, command(own, values)))
  .join('\n')}
    esac
    return
  fi
  if [[ \${words[CURRENT]} == -* ]]; then
    ${own}_options
    return
  fi
  if (( count == 0 )); then
    case $here in
${commands
  .filter((one) => one.commands.length > 0)
  .map((one) => branch([one.path], `list=(${described(one.commands)})`))
  .join('\n')}
    esac
    (( \${#list} )) && _describe command list
  fi
  case "$here $count" in
${commands
  .flatMap((one) =>
    one.arguments.map(({ values, place, isLast }) => {
      const pattern = isLast ? `${quote(`${one.path} `)}*` : quote(`${one.path} ${place}`);
      return `      (${pattern}) ${command(own, values)} ;;`;
    }),
  )
  .join('\n')}
  esac
}

if [[ \${funcstack[1]-} == ${own} ]]; then ${own} "$@"; else compdef ${own} ${name}; fi
`;
}

function command(own: string, values: Values): string {
  switch (values.kind) {
    case 'words':
      return `compadd -- ${values.words.map(quote).join(' ')}`;
    case 'files':
      return '_files';
    case 'folders':
      return '_files -/';
    case 'candidates':
      return `${own}_candidates ${values.of}`;
  }
}

/** As `_describe` reads it: the first colon divides. */
function described(list: readonly Named[]): string {
  return list
    .map(({ name, description }) => quote(`${name.replaceAll(':', '\\:')}:${description}`))
    .join(' ');
}

function branch(patterns: readonly string[], body: string): string {
  return `      (${patterns.map(quote).join(' | ')}) ${body} ;;`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
