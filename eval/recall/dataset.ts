/** What is evaluated: memories of projects, questions, and what answers them. */
import { z } from 'zod';
import type { Relevant } from '../metrics.js';

export interface EvalMemory {
  id: string;
  /** When it was made; absent: a minute after the one before. */
  atMs?: number;
  /** What is handed to `store`; links name ids of the set. */
  draft: Record<string, unknown>;
  /** What the floor searches. */
  text: string;
}

export interface EvalQuestion {
  text: string;
  relevant: Relevant;
  difficulty?: Difficulty;
}

/** Searched on its own: memories of other projects are not there. In time order. */
export interface EvalProject {
  memories: EvalMemory[];
  questions: EvalQuestion[];
}

export interface Dataset {
  name: string;
  projects: EvalProject[];
}

export const DIFFICULTIES = ['easy', 'medium', 'hard'] as const;
export type Difficulty = (typeof DIFFICULTIES)[number];

const idSchema = z.union([z.string().min(1), z.number()]).transform(String);

/** The shape anybody's set has (`--dataset`). */
export const plainSchema = z.array(
  z.object({
    docs: z.array(z.object({ id: idSchema, text: z.string() })).min(1),
    questions: z.array(z.object({ question: z.string().min(1), evidence: z.array(idSchema) })),
  }),
);

/** A file of the golden set. */
export const goldenSchema = z.strictObject({
  project: z.string(),
  memories: z.array(
    z.strictObject({
      id: z.string(),
      at: z.iso.datetime(),
      memory: z.record(z.string(), z.unknown()),
    }),
  ),
  questions: z.array(
    z.strictObject({
      question: z.string(),
      difficulty: z.enum(DIFFICULTIES),
      evidence: z.array(z.string()).min(1),
    }),
  ),
});
export type GoldenFile = z.output<typeof goldenSchema>;

/** A memory's goal is at most this long; what a document has beyond goes into observations. */
const GOAL_CHARS = 8_000;
/** Of an observation, so that it has at most 8 KB whatever its script. */
const OBSERVED_CHARS = 2_000;
/** A memory has no more of them. */
const OBSERVED = 50;

/**
 * Questions without evidence are not asked. Evidence that names no document stays and counts as
 * not found: somebody else's set is measured as it is.
 * @throws Error when two documents have one id
 */
export function plainProject({
  docs,
  questions,
}: z.output<typeof plainSchema>[number]): EvalProject {
  return uniquely({
    memories: docs.map(({ id, text }) => ({ id, text, draft: draftOf(text) })),
    questions: questions
      .filter(({ evidence }) => evidence.length > 0)
      .map(({ question, evidence }) => ({
        text: question,
        relevant: new Map(evidence.map((item) => [item, 1])),
      })),
  });
}

/** @throws Error when ids repeat or evidence is missing, with the first such id */
export function goldenProject({ memories, questions }: GoldenFile): EvalProject {
  return checked({
    memories: memories.map(({ id, at, memory }) => ({
      id,
      atMs: Date.parse(at),
      draft: memory,
      text: wordsOf(memory).join('\n'),
    })),
    questions: questions.map(({ question, difficulty, evidence }) => ({
      text: question,
      difficulty,
      relevant: new Map(evidence.map((item) => [item, 1])),
    })),
  });
}

/** Long documents of a set: so many that follow each other as one, which answers what they answer. */
export function joined({ name, projects }: Dataset, count: number): Dataset {
  return { name: `${name} joined by ${count}`, projects: projects.map(joinedProject) };

  function joinedProject({ memories, questions }: EvalProject): EvalProject {
    const groups = new Map<string, string[]>();
    const groupOf = new Map<string, string>();
    for (const [at, { id, text }] of memories.entries()) {
      const group = `joined ${Math.floor(at / count)}`;
      groupOf.set(id, group);
      groups.set(group, [...(groups.get(group) ?? []), text]);
    }
    const gainOf = (id: string): [string, number] => [groupOf.get(id) ?? id, 1];
    return {
      memories: [...groups].map(([id, texts]) => {
        const text = texts.join('\n\n');
        return { id, text, draft: draftOf(text) };
      }),
      questions: questions.map(({ text, relevant }) => ({
        text,
        relevant: new Map([...relevant.keys()].map(gainOf)),
      })),
    };
  }
}

/** A document as a memory whose goal is its text. */
export function draftOf(text: string): Record<string, unknown> {
  const whole = text.trim() || '(empty)';
  const outcome = { success: true };
  if (whole.length <= GOAL_CHARS) return { intent: { goal: whole }, outcome };
  const observations = Array.from({ length: OBSERVED }, (_, at) => GOAL_CHARS + at * OBSERVED_CHARS)
    .map((from) => ({ what: whole.slice(from, from + OBSERVED_CHARS) }))
    .filter(({ what }) => what.trim() !== '');
  return { intent: { goal: whole.slice(0, GOAL_CHARS) }, perception: { observations }, outcome };
}

function uniquely(project: EvalProject): EvalProject {
  const ids = new Set<string>();
  for (const { id } of project.memories) {
    if (ids.has(id)) throw new Error(`two documents have the id ${id}`);
    ids.add(id);
  }
  return project;
}

function checked(project: EvalProject): EvalProject {
  uniquely(project);
  const ids = new Set(project.memories.map(({ id }) => id));
  for (const { text, relevant } of project.questions) {
    for (const id of relevant.keys()) {
      if (!ids.has(id)) throw new Error(`"${text}" has evidence ${id}, which is no document`);
    }
  }
  return project;
}

/** Every text in a memory except what only names kinds and memories. */
function wordsOf(value: unknown, key = ''): string[] {
  if (['links', 'session_id', 'task_type', 'operation', 'failure_category'].includes(key))
    return [];
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    wordsOf(item, Array.isArray(value) ? key : name),
  );
}
