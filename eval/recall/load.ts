/** Where the sets come from: two are in the repository, six are public and may be absent. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { SetName } from './arguments.js';
import {
  type Dataset,
  draftOf,
  type EvalProject,
  type GoldenFile,
  goldenProject,
  goldenSchema,
  plainProject,
  plainSchema,
} from './dataset.js';
import { loadPublic } from './public.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Beside the checkout, unless `--data` or CUE_EVAL_DATA says otherwise. */
const DEFAULT_DATA = join(ROOT, '../shared/data');

const cranfieldSchema = z.object({
  docs: z.array(z.object({ id: z.string(), text: z.string() })),
  queries: z.array(z.object({ id: z.string(), text: z.string() })),
  qrels: z.array(z.object({ q: z.string(), doc: z.string(), rel: z.number() })),
});

const cosqaQueries = z.array(z.object({ query: z.string(), gold: z.number() }));
const cosqaSchema = z.object({
  corpus: z.array(z.object({ id: z.number(), code: z.string() })),
  queries: z.object({ test: cosqaQueries }),
});

export interface LoadOptions {
  dataDir?: string;
  /** Told where a set was looked for in vain. */
  say(line: string): void;
}

/** `null` when a public set is not on this machine. */
export function loadSet(name: SetName, options: LoadOptions): Dataset | null {
  switch (name) {
    case 'golden':
      return { name, projects: goldenFiles().map(goldenProject) };
    case 'conversations':
      return { name, projects: conversations() };
    case 'cranfield':
      return fromFile(name, 'cranfield.json', options, (raw) => cranfield(raw));
    case 'cosqa':
      return fromFile(name, 'cosqa_retrieval.json', options, (raw) => cosqa(raw));
    default: {
      const { from, projects } = loadPublic(name, dataDirOf(options));
      return projects === null ? missing(name, from, options) : { name, projects };
    }
  }
}

/** @throws Error when the file is no set of the plain shape */
export function loadFile(path: string): Dataset {
  const parsed = plainSchema.safeParse(readJson(resolve(path)));
  if (!parsed.success) throw new Error(`${path} is no set:\n${z.prettifyError(parsed.error)}`);
  return { name: basename(path, '.json'), projects: parsed.data.map(plainProject) };
}

export function goldenFiles(): GoldenFile[] {
  return filesIn('golden').map((path) => goldenSchema.parse(readJson(path)));
}

export function conversations(): EvalProject[] {
  return filesIn('conversations').flatMap((path) =>
    plainSchema.parse(readJson(path)).map(plainProject),
  );
}

function filesIn(folder: string): string[] {
  const directory = fileURLToPath(new URL(`${folder}/`, import.meta.url));
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(directory, name));
}

function fromFile(
  name: SetName,
  file: string,
  options: LoadOptions,
  read: (raw: unknown) => EvalProject,
): Dataset | null {
  const path = join(dataDirOf(options), file);
  if (existsSync(path)) return { name, projects: [read(readJson(path))] };
  return missing(name, path, options);
}

function dataDirOf({ dataDir }: LoadOptions): string {
  return resolve(dataDir ?? process.env.CUE_EVAL_DATA ?? DEFAULT_DATA);
}

function missing(name: SetName, path: string, { say }: LoadOptions): null {
  say(
    `${name}: skipped, there is no ${path} (--data DIR or CUE_EVAL_DATA names another directory)`,
  );
  return null;
}

/** Judgements of 0 say that a document was looked at and is not relevant. */
function cranfield(raw: unknown): EvalProject {
  const { docs, queries, qrels } = cranfieldSchema.parse(raw);
  const relevant = new Map<string, Map<string, number>>();
  for (const { q, doc, rel } of qrels) {
    if (rel <= 0) continue;
    const judged = relevant.get(q) ?? new Map<string, number>();
    relevant.set(q, judged.set(doc, 1));
  }
  return {
    memories: docs.map(({ id, text }) => ({ id, text, draft: draftOf(text) })),
    questions: queries.map(({ id, text }) => ({ text, relevant: relevant.get(id) ?? new Map() })),
  };
}

function cosqa(raw: unknown): EvalProject {
  const { corpus, queries } = cosqaSchema.parse(raw);
  return {
    memories: corpus.map(({ id, code }) => ({ id: String(id), text: code, draft: draftOf(code) })),
    questions: queries.test.map(({ query, gold }) => ({
      text: query,
      relevant: new Map([[String(gold), 1]]),
    })),
  };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
