/** Where a hint counts, as flags say it. */
import type { Command } from 'commander';
import { collect, listedPairsOf, wordsIn } from '../flag-words.js';
import { osNamed } from './context-flags.js';

export interface ScopeFlags {
  scopeCwdGlob?: string[];
  scopeRepo?: string[];
  scopeBranch?: string[];
  scopeOs?: string[];
  scopeEnvRequired?: string[];
  scopeEnvMatch?: string[];
}

export function addScopeFlags(command: Command): Command {
  return command
    .option('--scope-cwd-glob <globs>', 'working folders: "**/http-proxy*"', collect)
    .option('--scope-repo <addresses>', 'repositories: git:org/repo', collect)
    .option('--scope-branch <globs>', 'branches: "dev,hotfix/*"', collect)
    .option('--scope-os <names>', 'linux, darwin, windows', collect)
    .option('--scope-env-required <names>', 'variables that must be set', collect)
    .option('--scope-env-match <name=value>', 'a value it must have; repeatable', collect);
}

/**
 * `undefined`: no flag was given. A list without a word stays, for the server to name it.
 * @throws AppError INVALID_INPUT
 */
export function scopeOf(flags: ScopeFlags): object | undefined {
  const repo = flags.scopeRepo && wordsIn(flags.scopeRepo);
  const given = {
    cwd_glob: flags.scopeCwdGlob && wordsIn(flags.scopeCwdGlob),
    repo: repo?.length === 1 ? repo[0] : repo,
    branch: flags.scopeBranch && wordsIn(flags.scopeBranch),
    os: flags.scopeOs && wordsIn(flags.scopeOs).map((name) => osNamed(name, '--scope-os')),
    env_required: flags.scopeEnvRequired && wordsIn(flags.scopeEnvRequired),
    env_match: flags.scopeEnvMatch && listedPairsOf(flags.scopeEnvMatch, '--scope-env-match'),
  };
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}
