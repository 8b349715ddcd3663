/** What the scripts of all shells ask: which words expect a value, and which. Pure. */
import type { CommandSpec, Values } from './spec.js';

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
