/** Which of the words of a command line are commands, options with their values, and words of the command. */
import type { Command, Option } from 'commander';

interface Line {
  command: Command;
  /** Words that are no option and no command. */
  count: number;
  /** The option whose value is typed. */
  expects?: Option;
  /** Values of options, by their long names. */
  said: Map<string, string>;
}

export function lineOf(program: Command, words: readonly string[]): Line {
  const line: Line = { command: program, count: 0, said: new Map() };
  for (const word of words) {
    const { command, expects } = line;
    if (expects !== undefined) {
      // `--state=x` is three words to bash.
      if (word === '=') continue;
      line.said.set(expects.long ?? '', word);
      delete line.expects;
      continue;
    }
    if (word.startsWith('-')) {
      const [flag = '', value] = divided(word);
      const option = optionNamed(flag, command);
      if (option?.required && value !== undefined) line.said.set(option.long ?? '', value);
      else if (option?.required) line.expects = option;
      continue;
    }
    const next = line.count === 0 ? commandOf(command, word) : undefined;
    if (next) line.command = next;
    else line.count += 1;
  }
  return line;
}

/** `--state=re` */
export function divided(word: string): [string, string?] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

/** The command of that name, or of that alias. */
export function commandOf({ commands }: Command, word: string): Command | undefined {
  return commands.find((one) => one.name() === word || one.aliases().includes(word));
}

/** Of the command and those above it. */
export function optionsOf(command: Command): Option[] {
  return [...command.options, ...(command.parent ? optionsOf(command.parent) : [])];
}

export function optionNamed(flag: string, command: Command): Option | undefined {
  return optionsOf(command).find(({ short, long }) => flag === short || flag === long);
}
