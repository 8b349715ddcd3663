/**
 * From scripted sessions to pairs of a moment and a memory with the label whether it had to be
 * offered: each session in a store of its own, by the same retrieval and features that serve.
 */
import type { ScriptedSession, ScriptedTurn } from '../../eval/proactive/shape.js';
import { builtInModel, createLexicalEmbedder, embedLexical } from '../../src/embeddings/index.js';
import { readDraft } from '../../src/memory/draft.js';
import { fileKey } from '../../src/memory/file-key.js';
import { remindWhenType, type WorkMemoryData, workMemoryType } from '../../src/memory/index.js';
import { workMemorySchema } from '../../src/memory/schema.js';
import {
  featuresOf,
  MOMENT_KINDS,
  type Moment,
  type MomentKind,
  type Seen,
  type Surroundings,
} from '../../src/proactive/gate/features.js';
import {
  type MomentVectors,
  nearOf,
  phrasesNear,
  retrieve,
} from '../../src/proactive/gate/retrieve.js';
import { momentParts } from '../../src/proactive/gate/text.js';
import { announcedIn } from '../../src/proactive/heard.js';
import { createCatalog } from '../../src/records/index.js';
import type { Uuid } from '../../src/shared/ids.js';
import { pathsIn } from '../../src/shared/path-mentions.js';
import { analyze } from '../../src/shared/text.js';

export interface Pair {
  session: string;
  /** Folder and file: who wrote it. */
  voice: string;
  turn: number;
  memory: string;
  seen: Seen;
  failed: boolean;
  /** Has to come as a warning; as anything at all; `null`: nothing is lost either way. */
  warn: boolean | null;
  offer: boolean | null;
  pattern: boolean;
  kind: MomentKind;
}

export interface Embedding {
  embed(text: string): Float32Array;
  thresholds: MomentVectors['thresholds'];
}

export const LEXICAL: Embedding = {
  embed: embedLexical,
  thresholds: createLexicalEmbedder().thresholds,
};

const PROJECT = '00000000-0000-4000-8000-000000000001' as Uuid;
const AGENT = '00000000-0000-4000-8000-000000000002' as Uuid;
const START_MS = Date.UTC(2026, 2, 2, 9);
const COOLDOWN_MS = 600_000;

export function isMoment(kind: string): kind is MomentKind {
  return MOMENT_KINDS.some((known) => known === kind);
}

/** The moment of a turn as the product hears it. */
export function momentOf(turn: ScriptedTurn): Moment | null {
  const { kind } = turn;
  if (!isMoment(kind)) return null;
  if (kind === 'message' || kind === 'agent') {
    const said = turn[kind] ?? '';
    const text = kind === 'agent' ? announcedIn(said) : said;
    return { kind, text, files: [...new Set([...pathsIn(said), ...(turn.attachments ?? [])])] };
  }
  const said = turn[kind] as {
    intent?: string;
    task?: string;
    action?: string;
    files?: string[];
    filePath?: string;
    taskType?: string;
    tags?: string[];
  };
  const text = said.intent ?? said.task ?? said.action ?? '';
  const files = said.filePath === undefined ? (said.files ?? []) : [said.filePath];
  const named =
    kind === 'action_planned' && files.length > 0 ? files : [...files, ...pathsIn(text)];
  return { kind, text, files: [...new Set(named)], taskType: said.taskType, tags: said.tags };
}

export function dataOf(draft: Record<string, unknown>): WorkMemoryData {
  const { links: _, ...rest } = draft;
  return workMemorySchema.parse({ ...readDraft(rest, { storeDiffs: false }), agent_id: AGENT });
}

let lastId = 0;
function freshId(): Uuid {
  lastId += 1;
  return `10000000-0000-4000-8000-${lastId.toString(16).padStart(12, '0')}` as Uuid;
}

/** @param foreign memories of other sessions that stand in the same store */
export function pairsOf(
  session: ScriptedSession,
  voice: string,
  around: Surroundings,
  serving: Embedding,
  foreign: readonly { data: WorkMemoryData; ageMs: number }[] = [],
): Pair[] {
  const catalog = createCatalog({ analyze, project: PROJECT, instant: builtInModel() });
  const shelf = catalog.shelf(workMemoryType.name);
  const reminders = catalog.shelf(remindWhenType.name);
  for (const each of [shelf, reminders]) each.setModel('training');
  const known = new Map<Uuid, { name: string; data: WorkMemoryData; ageMs: number; to?: string }>();
  const put = (name: string, data: WorkMemoryData, ageMs: number, to?: string) => {
    const id = freshId();
    known.set(id, { name, data, ageMs, ...(to === undefined ? {} : { to }) });
    const entry = workMemoryType.index?.(data, START_MS - ageMs);
    if (!entry) return;
    const embeddingText = workMemoryType.embeddingText?.(data) ?? '';
    const vector = serving.embed(embeddingText);
    shelf.put({ id, audience: 'p', vector, embeddingText, ...entry });
    for (const phrase of data.remind_when) {
      const told = remindWhenType.index?.({ memory_id: id, phrase }, START_MS - ageMs);
      if (!told) continue;
      const place = { id: freshId(), audience: 'p', embeddingText: phrase };
      reminders.put({ ...place, vector: serving.embed(phrase), ...told });
    }
  };
  for (const { id, draft, ageMs, privateTo } of session.memories) {
    put(id, dataOf(draft), ageMs, privateTo);
  }
  for (const [at, { data, ageMs }] of foreign.entries()) put(`foreign ${at}`, data, ageMs);
  const filter = { reader: { kind: 'operator' } } as const;
  const pairs: Pair[] = [];
  const labelled = new Map<string, number>();
  let atMs = 0;
  for (const [index, turn] of session.turns.entries()) {
    atMs += turn.after;
    const { must, any, may, kinds } = turn.expect;
    const wanted = new Set([...must, ...any.flat()]);
    const cool = new Set(
      [...labelled].filter(([, since]) => atMs - since < COOLDOWN_MS).map(([name]) => name),
    );
    for (const name of [...wanted, ...may]) labelled.set(name, atMs);
    const moment = momentOf(turn);
    if (moment === null || moment.text.trim() === '') continue;
    const vectors: MomentVectors = {
      whole: serving.embed(moment.text),
      parts: momentParts(moment.text).map((part) => serving.embed(part)),
      thresholds: serving.thresholds,
    };
    const phrases = phrasesNear(catalog, moment, vectors, filter.reader);
    const keyOf = (path: string) => fileKey(shelf, path, filter);
    const found = retrieve(shelf, moment, vectors, filter, keyOf, phrases);
    const readable = found.filter(({ id }) => {
      const to = known.get(id)?.to;
      return to === undefined || (turn.room === undefined && (turn.person ?? 'user') === to);
    });
    const pool = readable.flatMap(({ id, stored, alike }) => {
      const memory = known.get(id);
      return memory ? [nearOf(memory.data, { id, stored, alike, ageMs: memory.ageMs + atMs })] : [];
    });
    for (const seen of featuresOf(moment, pool, around)) {
      const name = known.get(seen.near.id as Uuid)?.name ?? '';
      const kind = kinds[name];
      const isWanted = wanted.has(name);
      const isOpen = !isWanted && (may.includes(name) || cool.has(name));
      const isPattern = any.some((group) => group.includes(name)) || kind === 'patternRecognition';
      pairs.push({
        session: session.id,
        voice,
        turn: index,
        memory: name,
        seen,
        failed: !seen.near.success,
        warn: isOpen ? null : isWanted && (kind === undefined || kind === 'conflictWarning'),
        offer: isOpen ? null : isWanted,
        pattern: isPattern,
        kind: moment.kind,
      });
    }
  }
  return pairs;
}
