/** The completion script for bash, from 3.2 on. Pure. */
import { type CommandSpec, optionPaths, pathsByValues, type Values } from './spec.js';

/** @param name of the program, which is what the script asks for names that are data */
export function bashScript(name: string, commands: readonly CommandSpec[]): string {
  const own = `_${name}`;
  return `# bash completion of ${name}; made by: ${name} completion bash
# source <(${name} completion bash)

# Offers the lines of standard input that begin as the word does. Nothing in them is expanded.
${own}_offer() {
  local line quoted
  while IFS= read -r line; do
    case $line in
      '') ;;
      "$cur"*)
        if [ -n "$open" ]; then quoted=$line; else printf -v quoted %q "$line"; fi
        COMPREPLY+=("$quoted")
        ;;
    esac
  done
}

${own}_files() {
  local line
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$cur")
}

${own}_options() {
  case $here in
${commands
  .map((one) =>
    branch(
      [one.path],
      offer(
        own,
        one.options.flatMap(({ flags }) => flags),
      ),
    ),
  )
  .join('\n')}
  esac
}

${own}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} here=${name} open='' expects='' word at=1 count=0
  COMPREPLY=()
  case $cur in
    \\"* | \\'*) open=1 cur=\${cur:1} ;;
    =) cur='' ;;
  esac
  cur=\${cur//\\\\/}
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word=\${COMP_WORDS[at]}
    at=$((at + 1))
    case "$here $word" in
${branch(
  commands.slice(1).map(({ path }) => path),
  `here="$here $word" count=0`,
)}
${branch(optionPaths(commands), BEFORE_VALUE)}
      *' -'*) ;;
      *) count=$((count + 1)) ;;
    esac
  done
  if [ -n "$expects" ]; then
    case $expects in
${pathsByValues(commands)
  .map(({ paths, values }) => branch(paths, command(own, name, values)))
  .join('\n')}
    esac
    return
  fi
  case $cur in
    -*)
      ${own}_options
      return
      ;;
  esac
  if [ "$count" -eq 0 ]; then
    case $here in
${commands
  .filter((one) => one.commands.length > 0)
  .map((one) =>
    branch(
      [one.path],
      offer(
        own,
        one.commands.map((sub) => sub.name),
      ),
    ),
  )
  .join('\n')}
    esac
  fi
  case "$here $count" in
${commands
  .flatMap((one) =>
    one.arguments.map(({ values, place, isLast }) => {
      const pattern = isLast ? `${quote(`${one.path} `)}*` : quote(`${one.path} ${place}`);
      return `      ${pattern}) ${command(own, name, values)} ;;`;
    }),
  )
  .join('\n')}
  esac
  if [ -z "$cur" ] && [ "\${#COMPREPLY[@]}" -eq 0 ]; then ${own}_options; fi
}

complete -F ${own} ${name}
`;
}

/** `--state=x` is three words to bash. */
const BEFORE_VALUE = `
        if [ "\${COMP_WORDS[at]}" = '=' ]; then at=$((at + 1)); fi
        if [ "$at" -lt "$COMP_CWORD" ]; then at=$((at + 1)); else expects="$here $word"; fi
       `;

function command(own: string, name: string, values: Values): string {
  switch (values.kind) {
    case 'words':
      return offer(own, values.words);
    case 'files':
      return `${own}_files -f`;
    case 'folders':
      return `${own}_files -d`;
    case 'candidates':
      return `${own}_offer <<<"$(${name} completion --candidates ${values.of} 2>/dev/null)"`;
  }
}

function offer(own: string, words: readonly string[]): string {
  return `${own}_offer <<<${`$'${words.map(escaped).join('\\n')}'`}`;
}

function branch(patterns: readonly string[], body: string): string {
  return `      ${patterns.map(quote).join(' | ')}) ${body} ;;`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Within `$'…'`. */
function escaped(text: string): string {
  return text.replace(/[\\']/g, '\\$&');
}
