/**
 * Public sets of conversations, read from a folder of clones of their repositories. They are looked
 * at and never copied; docs/recall.md says what each is.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { draftOf, type EvalMemory, type EvalProject, type EvalQuestion } from './dataset.js';

export const PUBLIC_SETS = ['locomo', 'beam', 'realtalk', 'memaware'] as const;
export type PublicSet = (typeof PUBLIC_SETS)[number];

/** Where each set lies below the folder. */
const FOLDERS: Readonly<Record<PublicSet, string>> = {
  // The authors' own repository has it zipped; REALTALK's has the same conversations as files.
  locomo: 'REALTALK/data/locomo',
  beam: 'BEAM/chats/100K',
  realtalk: 'REALTALK/data',
  memaware: 'memaware/data',
};

/** Turns of a conversation whose own times are not given follow each other so closely. */
const TURN_MS = 30_000;
const TURN_ID = /D(\d+):(\d+)/;

/** `null` when the folder is not there; `from` says where it would be. */
export function loadPublic(name: PublicSet, dataDir: string) {
  const from = join(dataDir, FOLDERS[name]);
  const read = { locomo, beam, realtalk, memaware }[name];
  return { from, projects: existsSync(from) ? read(from) : null };
}

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string().optional(),
  clean_text: z.string().optional(),
  blip_caption: z.string().optional(),
  date_time: z.string().optional(),
});
const answersSchema = z.array(z.object({ question: z.string(), evidence: z.array(z.string()) }));

/** Ten invented conversations of two people; evidence are turns. */
function locomo(folder: string): EvalProject[] {
  return filesIn(folder, /\.json$/).map((path) => {
    const { conversation, qa } = z
      .object({ conversation: z.record(z.string(), z.unknown()), qa: answersSchema })
      .parse(readJson(path));
    return talk(conversation, qa);
  });
}

/** Ten real chats of two people over three weeks; evidence are messages. */
function realtalk(folder: string): EvalProject[] {
  return filesIn(folder, /^Chat_.*\.json$/).map((path) => {
    const chat = z.looseObject({ qa: answersSchema }).parse(readJson(path));
    return talk(chat, chat.qa);
  });
}

/** Every turn is a memory, its session the thread. */
function talk(sessions: Record<string, unknown>, qa: z.output<typeof answersSchema>): EvalProject {
  const memories: EvalMemory[] = [];
  for (const [name, value] of Object.entries(sessions)) {
    if (!/^session_\d+$/.test(name)) continue;
    let atMs = timeOf(String(sessions[`${name}_date_time`] ?? ''));
    for (const turn of z.array(turnSchema).parse(value)) {
      const own = turn.date_time === undefined ? undefined : timeOf(turn.date_time);
      atMs = own ?? (atMs ?? 0) + TURN_MS;
      const picture = turn.blip_caption === undefined ? '' : ` [picture: ${turn.blip_caption}]`;
      const text = `${turn.speaker}: ${turn.text ?? turn.clean_text ?? ''}${picture}`;
      memories.push({ id: turn.dia_id, atMs, text, draft: { ...draftOf(text), session_id: name } });
    }
  }
  const ids = new Set(memories.map(({ id }) => id));
  const questions = qa.map(({ question, evidence }) =>
    asked(question, evidence.flatMap(turnIdsOf), ids),
  );
  return { memories: inOrder(memories), questions: answerable(questions) };
}

/** "D1:3", "D1:3; D2:4" and "D1:3-D1:5", as people wrote them. */
function turnIdsOf(evidence: string): string[] {
  return evidence.split(/[;,\s]+/).flatMap((part) => {
    const [from, to] = part.split('-').map((id) => TURN_ID.exec(id));
    if (!from) return [];
    const first = Number(from[2]);
    const last = to && to[1] === from[1] ? Number(to[2]) : first;
    return Array.from(
      { length: Math.max(1, last - first + 1) },
      (_, at) => `D${from[1]}:${first + at}`,
    );
  });
}

const chatSchema = z.array(
  z.object({
    turns: z.array(
      z.array(
        z.object({
          role: z.string(),
          id: z.number(),
          content: z.string(),
          time_anchor: z.string().nullish(),
        }),
      ),
    ),
  }),
);
const probesSchema = z.record(
  z.string(),
  z.array(z.object({ question: z.string(), source_chat_ids: z.unknown().optional() })),
);

/**
 * Twenty invented chats with an assistant of about 100,000 tokens. A request and its answer are one
 * memory, as a finished run is stored; evidence are the requests and answers that a question names.
 */
function beam(folder: string): EvalProject[] {
  const chats = readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(a) - Number(b));
  return chats.map((chat) => {
    const memories: EvalMemory[] = [];
    const memoryOf = new Map<number, string>();
    let atMs = 0;
    for (const [session, { turns }] of chatSchema
      .parse(readJson(join(folder, chat, 'chat.json')))
      .entries()) {
      for (const { role, id, content, time_anchor } of turns.flat()) {
        atMs = Math.max(atMs + TURN_MS, timeOf(time_anchor ?? '') ?? 0);
        // "->-> 1,1" ends a request and is a note of the authors.
        const said = content.replace(/\s*->->[\s\d,]*$/, '');
        const before = memories.at(-1);
        if (role === 'user' || before === undefined) {
          const draft = { ...draftOf(said), session_id: `part ${session + 1}` };
          memories.push({ id: String(id), atMs, text: said, draft });
        } else {
          before.text += `\n${said}`;
          before.draft = answered(before.draft, said);
        }
        memoryOf.set(id, memories.at(-1)?.id ?? '');
      }
    }
    const probes = probesSchema.parse(
      readJson(join(folder, chat, 'probing_questions', 'probing_questions.json')),
    );
    const ids = new Set(memories.map(({ id }) => id));
    const questions = Object.values(probes)
      .flat()
      .map(({ question, source_chat_ids }) =>
        asked(
          question,
          numbersIn(source_chat_ids).map((id) => memoryOf.get(id) ?? ''),
          ids,
        ),
      );
    return { memories, questions: answerable(questions) };
  });
}

const requestsSchema = z.array(
  z.object({
    question: z.string(),
    difficulty: z.enum(['easy', 'medium', 'hard']),
    answer_session_ids: z.array(z.string()),
  }),
);

/** Sessions of one person with an assistant; a request is answered better by who knows some of them. */
function memaware(folder: string): EvalProject[] {
  const memories = filesIn(join(folder, 'sessions'), /\.md$/).flatMap((path) =>
    readFileSync(path, 'utf8')
      .split(/^## Session /m)
      .slice(1)
      .map((session): EvalMemory => {
        const [id = '', date = '', ...lines] = session.split('\n');
        const text = lines.join('\n').trim();
        return { id: id.trim(), atMs: timeOf(date) ?? 0, text, draft: draftOf(text) };
      }),
  );
  const ids = new Set(memories.map(({ id }) => id));
  const requests = requestsSchema.parse(readJson(join(folder, 'questions.json')));
  const questions = requests.map(({ question, difficulty, answer_session_ids }) => ({
    ...asked(question, answer_session_ids, ids),
    difficulty,
  }));
  return [{ memories: inOrder(memories), questions: answerable(questions) }];
}

/** What is asked; evidence that names nothing in the set can be found by nobody and is left out. */
function asked(text: string, evidence: readonly string[], ids: ReadonlySet<string>): EvalQuestion {
  return { text, relevant: new Map(evidence.filter((id) => ids.has(id)).map((id) => [id, 1])) };
}

function answerable(questions: EvalQuestion[]): EvalQuestion[] {
  return questions.filter(({ relevant }) => relevant.size > 0);
}

/** An answer in the outcome of what asked for it. */
function answered(draft: Record<string, unknown>, answer: string): Record<string, unknown> {
  const summary = Buffer.from(answer.trim()).subarray(0, SUMMARY_BYTES).toString();
  return { ...draft, outcome: { success: true, ...(summary === '' ? {} : { summary }) } };
}

/** A summary has at most 8 KB. */
const SUMMARY_BYTES = 8_000;

function inOrder(memories: EvalMemory[]): EvalMemory[] {
  return memories.sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}

/** "1:56 pm on 8 May, 2023", "29.12.2023, 22:42:04", "March-15-2024", "Session Date: 2023-04-05". */
function timeOf(text: string): number | undefined {
  const numbers = /^(\d\d)\.(\d\d)\.(\d{4}), (\d\d):(\d\d):(\d\d)$/.exec(text);
  if (numbers) {
    const [, day, month, year, hour, minute, second] = numbers.map(Number);
    return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  }
  const spoken = /^(\d+:\d+) ([ap]m) on (.+)$/i.exec(text);
  const plain = spoken ? `${spoken[3]} ${spoken[1]} ${spoken[2]}` : text.replace(/^.*: /, '');
  const parsed = Date.parse(`${plain.replaceAll(/(?<=\w)-(?=\d+-)|(?<=^\w+-\d+)-/g, ' ')} UTC`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(folder, name));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
