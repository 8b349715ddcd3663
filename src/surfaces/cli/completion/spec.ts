/** What a program takes, read from its commander commands, as the makers of shell scripts need it. Pure. */
import type { Argument, Command, Option } from 'commander';

/** Names that are asked for when a shell completes, since they are data. */
export type Candidates = 'components' | 'when';

export type Values =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'files' }
  | { kind: 'folders' }
  | { kind: 'candidates'; of: Candidates };

export interface Named {
  name: string;
  description: string;
}

export interface OptionSpec {
  /** `-p`, `--port` */
  flags: readonly string[];
  description: string;
  takesValue: boolean;
  /** `null`: anything, or no value at all. */
  values: Values | null;
}

export interface ArgumentSpec {
  values: Values;
  /** Counted from 0. */
  place: number;
  /** Also in all places behind it. */
  isLast: boolean;
}

/** A command by all the words that lead to it: `cue trigger list`. */
export interface CommandSpec {
  path: string;
  commands: readonly Named[];
  options: readonly OptionSpec[];
  /** Of which something is known. */
  arguments: readonly ArgumentSpec[];
}

const FILES: Values = { kind: 'files' };
const COMPONENTS: Values = { kind: 'candidates', of: 'components' };
/** By what the place is called. */
const OF_PLACE: Readonly<Record<string, Values>> = {
  file: FILES,
  path: FILES,
  folder: { kind: 'folders' },
  component: COMPONENTS,
  trigger: { kind: 'candidates', of: 'when' },
};
const OF_FLAG: Readonly<Record<string, Values>> = { '--component': COMPONENTS };

const HELP: OptionSpec = {
  flags: ['--help'],
  description: 'print this help',
  takesValue: false,
  values: null,
};

/** All commands, the program first; one with an alias stands there under both names. */
export function specOf(program: Command): CommandSpec[] {
  return commandSpecs(program, program.name(), []);
}

function commandSpecs(command: Command, path: string, above: readonly OptionSpec[]): CommandSpec[] {
  const options = [...command.options.flatMap(optionSpec), ...above];
  const named = command.commands.flatMap((one) =>
    [one.name(), ...one.aliases()].map((name) => ({ name, one })),
  );
  return [
    {
      path,
      commands: named.map(({ name, one }) => ({ name, description: one.description() })),
      options: [...options, HELP],
      arguments: command.registeredArguments.flatMap(argumentSpec),
    },
    ...named.flatMap(({ name, one }) => commandSpecs(one, `${path} ${name}`, options)),
  ];
}

function optionSpec(option: Option): OptionSpec[] {
  const { short, long, description, required, argChoices, flags, hidden } = option;
  if (hidden) return [];
  const place = /<([\w-]+)/.exec(flags)?.[1] ?? '';
  return [
    {
      flags: [short, long].filter((flag) => flag !== undefined),
      description,
      takesValue: required,
      values: required ? valuesOf(argChoices, OF_FLAG[long ?? ''] ?? OF_PLACE[place]) : null,
    },
  ];
}

function argumentSpec(argument: Argument, place: number): ArgumentSpec[] {
  const values = valuesOf(argument.argChoices, OF_PLACE[argument.name()]);
  return values === null ? [] : [{ values, place, isLast: argument.variadic }];
}

function valuesOf(choices: readonly string[] | undefined, known: Values | undefined) {
  return choices ? { kind: 'words' as const, words: choices } : (known ?? null);
}

/** `cue trigger list --state`, for every option that takes a value. */
export function optionPaths(commands: readonly CommandSpec[]): string[] {
  return commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ flags }) => flags.map((flag) => `${path} ${flag}`)),
  );
}

/** The same where something is known of the value; those with equal values together. */
export function pathsByValues(
  commands: readonly CommandSpec[],
): { paths: string[]; values: Values }[] {
  const groups = new Map<string, { paths: string[]; values: Values }>();
  for (const { path, options } of commands) {
    for (const { flags, values } of options) {
      if (values === null) continue;
      const key = JSON.stringify(values);
      const group = groups.get(key) ?? { paths: [], values };
      group.paths.push(...flags.map((flag) => `${path} ${flag}`));
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}
