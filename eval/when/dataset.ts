/** What is evaluated: an index with decision files, and what is asked of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import type { Library, Section } from '../../src/when/types.js';

export const KINDS = ['light', 'medium', 'hard'] as const;
export type Kind = (typeof KINDS)[number];

/** A text and the section it is about; `null`: there is none. */
export interface Asked {
  text: string;
  section: Section | null;
  kind?: Kind;
}

export interface WhenDataset {
  name: string;
  library: Library;
  /** Commands with one right section each. */
  pairs: Asked[];
  /** Commands about which no section is. */
  unrelated: Asked[];
  /** Messages, some of which an entry should be offered for. */
  sentences: Asked[];
  offTopic: OffTopic;
}

/** What no section is about; not part of the questions above. */
export interface OffTopic {
  questions: readonly string[];
  messages: readonly string[];
  /** The same with a word of the index in the place of `%`: `% the cat`. */
  borrowed: { questions: readonly string[]; messages: readonly string[] };
}

/** Half of the texts is for choosing values, the other only for telling what they are worth. */
export type Half = 'tune' | 'held';

const HERE = fileURLToPath(new URL('./data', import.meta.url));

const sectionSchema = { file: z.string(), header: z.string() };
const pairsSchema = z.array(
  z.object({ query: z.string().min(1), ...sectionSchema, kind: z.enum(KINDS).optional() }),
);
const unrelatedSchema = z.array(z.string().min(1));
const textsSchema = z.array(z.string().min(1));
const offTopicSchema = z.object({
  questions: textsSchema,
  messages: textsSchema,
  borrowed: z.object({ questions: textsSchema, messages: textsSchema }),
});
const NO_OFF_TOPIC = { questions: [], messages: [], borrowed: { questions: [], messages: [] } };
const sentencesSchema = z.array(
  z.object({
    text: z.string().min(1),
    file: z.string().nullish(),
    header: z.string().nullish(),
  }),
);

/**
 * A directory with `index.md`, `decisions/`, `pairs.json` and, if wanted, `unrelated.json`,
 * `sentences.json` and `off-topic.json`; the set of the repository when none is given.
 * @throws Error when a section is named that is not there
 */
export function readDataset(directory: string = HERE, half?: Half): WhenDataset {
  const decisions = join(directory, 'decisions');
  const paths = readdirSync(decisions).filter((path) => path.endsWith('.md'));
  const files = paths
    .sort()
    .map((path) => parseDecisionFile(path, readFileSync(join(decisions, path), 'utf8')));
  const library = buildLibrary(
    parseIndex(readFileSync(join(directory, 'index.md'), 'utf8')),
    files,
  );
  const sectionOf = (file: string, header: string) => {
    const sections = files.find(({ path }) => path === file)?.sections;
    const section = sections?.find(({ title }) => title === header);
    if (section === undefined) throw new Error(`no section "${header}" in ${file}`);
    return section;
  };
  const read = <T>(name: string, schema: z.ZodType<T>, fallback: T): T => {
    const path = join(directory, name);
    return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, 'utf8'))) : fallback;
  };
  // By twos: some lists alternate between two kinds.
  const wanted = <T>(all: T[]) =>
    half === undefined ? all : all.filter((_, at) => at % 4 < 2 === (half === 'tune'));
  const { questions, messages, borrowed } = read('off-topic.json', offTopicSchema, NO_OFF_TOPIC);
  return {
    name: directory === HERE ? 'photo-library' : basename(directory),
    library,
    pairs: wanted(read('pairs.json', pairsSchema, [])).map(({ query, file, header, kind }) => ({
      text: query,
      section: sectionOf(file, header),
      ...(kind === undefined ? {} : { kind }),
    })),
    unrelated: wanted(read('unrelated.json', unrelatedSchema, [])).map((text) => ({
      text,
      section: null,
    })),
    sentences: wanted(read('sentences.json', sentencesSchema, [])).map(
      ({ text, file, header }) => ({
        text,
        section: file == null || header == null ? null : sectionOf(file, header),
      }),
    ),
    offTopic: {
      questions: wanted(questions),
      messages: wanted(messages),
      borrowed: { questions: wanted(borrowed.questions), messages: wanted(borrowed.messages) },
    },
  };
}
