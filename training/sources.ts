/** The public sources of the table: which repositories, at which commits, under which licences. */
import { readFileSync } from 'node:fs';

export const KINDS = ['commits', 'docs', 'code', 'commands', 'dialogue', 'intents'] as const;
export type Kind = (typeof KINDS)[number];

export interface Source {
  /** `owner/name` on GitHub; its clone lies at this path in the folder of clones. */
  repository: string;
  commit: string;
  /** SPDX name, as the repository's own licence file says it. */
  licence: string;
  kinds: readonly Kind[];
}

/** @throws Error for a kind that there is not */
export function readSources(): Source[] {
  const lines = readFileSync(new URL('sources.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.slice(1).map((line) => {
    const [repository = '', commit = '', licence = '', kinds = ''] = line.split('\t');
    return { repository, commit, licence, kinds: kinds.split(' ').map(kindOf) };
  });
}

function kindOf(name: string): Kind {
  const kind = KINDS.find((known) => known === name);
  if (kind === undefined) throw new Error(`sources.tsv: no kind "${name}"`);
  return kind;
}
