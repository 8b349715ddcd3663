/** The command line of the recall evaluation. Pure. */
import { PUBLIC_SETS } from './public.js';

export const SETS = ['golden', 'conversations', ...PUBLIC_SETS, 'cranfield', 'cosqa'] as const;
export type SetName = (typeof SETS)[number];

export interface RecallArguments {
  /** A file of the user's; excludes `sets`. */
  dataset?: string;
  sets: SetName[];
  json: boolean;
  /** Ids, or beginnings of ids, of embedders; empty: all of the chain. */
  embedders: string[];
  /** A directory of a model to measure beside the others. */
  modelDir?: string;
  /** At most so many questions of each set. */
  limit?: number;
  /** Also each part of the search alone. */
  parts: boolean;
  /** Joins so many documents, one after the other, to one. */
  join?: number;
  /** Where the public sets lie. */
  dataDir?: string;
}

export const USAGE = [
  `npm run eval -- recall [${SETS.join('] [')}]`,
  '  [--dataset FILE] [--parts] [--embedder ID]... [--model-dir DIR] [--limit N] [--join N] [--data DIR] [--json]',
  '--dataset  [{ "docs": [{ "id", "text" }], "questions": [{ "question", "evidence": [id] }] }]',
  '--join     makes one document of N that follow each other',
  '--parts    each part of the search alone too; always so for the named sets',
].join('\n');

/** @throws Error with what is wrong, for the person at the keyboard. */
export function readArguments(argv: readonly string[]): RecallArguments {
  const result: RecallArguments = { sets: [], json: false, embedders: [], parts: false };
  const rest = argv.flatMap((part) => {
    const match = /^(--[a-z-]+)=(.*)$/.exec(part);
    return match ? [match[1] ?? '', match[2] ?? ''] : [part];
  });
  const given = (option: string) => {
    const value = rest.shift();
    if (value === undefined || value === '') throw new Error(`${option} wants a value`);
    return value;
  };
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const set = SETS.find((name) => name === part);
    if (set !== undefined) result.sets.push(set);
    else if (part === '--json') result.json = true;
    else if (part === '--parts') result.parts = true;
    else if (part === '--dataset') result.dataset = given(part);
    else if (part === '--embedder') result.embedders.push(given(part));
    else if (part === '--model-dir') result.modelDir = given(part);
    else if (part === '--data') result.dataDir = given(part);
    else if (part === '--limit') result.limit = positive(part, given(part));
    else if (part === '--join') result.join = positive(part, given(part));
    else throw new Error(`unknown argument ${part}`);
  }
  if (result.dataset !== undefined && result.sets.length > 0) {
    throw new Error('name sets or a --dataset, not both');
  }
  if (result.dataset === undefined) {
    result.parts = true;
    if (result.sets.length === 0) result.sets = [...SETS];
  }
  return result;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new Error(`${option} wants a whole number above 0`);
  }
  return value;
}
