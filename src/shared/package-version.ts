import { readFileSync } from 'node:fs';
import { fieldOf } from './json.js';

/** The version of this package, from its manifest; `unknown` when that has none. Asked for at each start. */
export function packageVersion(): string {
  return String(fieldOf(manifest(), 'version') ?? 'unknown');
}

/** What the manifest tells of a setting. */
export interface ToldSetting {
  description: string;
  isSensitive: boolean;
}

export function toldSettings(): (name: string) => ToldSetting {
  const all = fieldOf(fieldOf(manifest(), 'agentConfig'), 'pluginParameters');
  return (name) => {
    const told = fieldOf(all, name);
    return {
      description: String(fieldOf(told, 'description') ?? ''),
      isSensitive: fieldOf(told, 'sensitive') === true,
    };
  };
}

function manifest(): unknown {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}
