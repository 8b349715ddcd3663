/** The record types of this room: how each reads as text, what is searched and what is embedded. */
import type { IndexEntry, RecordType } from '../records/index.js';
import { pathKeys } from '../shared/paths.js';
import { isGenerated } from './render.js';
import {
  type ChapterData,
  chapterSchema,
  type IdentityData,
  identitySchema,
  type MemoryLinkData,
  memoryLinkSchema,
  type WisdomData,
  type WorkMemoryData,
  wisdomSchema,
  workMemorySchema,
} from './schema.js';
import { mentionsTime, speakerOf } from './signals.js';

/** Bits of `IndexEntry.flags`. */
export const FLAGS = { success: 1, failure: 2, hasFollowUp: 4, captured: 8, saysTime: 16 } as const;

/** An embedder reads a few hundred words at most; what matters stands first. */
const EMBEDDED_CHARS = 1_000;

/** Exact lookup keys; values are lower case. */
export const keyOf = {
  /** `path` is normalized; a memory has one key per suffix of each of its files. */
  file: (path: string) => `file:${path.toLowerCase()}`,
  /** The whole of a noted path, as `pathKeys` spells it. */
  path: (path: string) => `path:${path}`,
  tag: (tag: string) => `tag:${tag.toLowerCase()}`,
  type: (taskType: string) => `type:${taskType}`,
  session: (sessionId: string) => `session:${sessionId}`,
  agent: (agentId: string) => `agent:${agentId}`,
  hash: (contentHash: string) => `hash:${contentHash}`,
  /** Who speaks, where a goal is a line of a conversation. */
  speaker: (name: string) => `by:${name.toLowerCase()}`,
};

export const workMemoryType: RecordType<WorkMemoryData> = {
  name: 'cue_work_memory',
  version: 1,
  schema: workMemorySchema,
  upgrades: {},
  text: memoryText,
  index: indexMemory,
  embeddingText,
};

export const memoryLinkType: RecordType<MemoryLinkData> = {
  name: 'cue_memory_link',
  version: 1,
  schema: memoryLinkSchema,
  upgrades: {},
  text: ({ source_id, link_type, target_id }) => `${source_id} ${link_type} ${target_id}`,
  edge: ({ source_id, link_type, target_id }) => ({
    source: source_id,
    target: target_id,
    type: link_type,
  }),
};

export const chapterType: RecordType<ChapterData> = {
  name: 'cue_chapter',
  version: 1,
  schema: chapterSchema,
  upgrades: {},
  text: ({ title, summary }) => `${title}\n${summary}`,
};

export const wisdomType: RecordType<WisdomData> = {
  name: 'cue_wisdom',
  version: 1,
  schema: wisdomSchema,
  upgrades: {},
  text: ({ title, summary }) => `${title}\n${summary}`,
};

export const identityType: RecordType<IdentityData> = {
  name: 'cue_identity',
  version: 1,
  schema: identitySchema,
  upgrades: {},
  text: ({ type, name }) => (name === null ? type : `${type} ${name}`),
};

function memoryText(memory: WorkMemoryData): string {
  return [memory.intent.goal, ...proseOf(memory)].join('\n');
}

/** Everything said in words besides the goal, most telling first. */
function proseOf({
  intent,
  perception,
  reasoning,
  actions,
  outcome,
  tags,
  files,
}: WorkMemoryData): string[] {
  return [
    isGenerated(outcome) ? undefined : outcome.summary,
    outcome.failure_reason,
    ...outcome.learnings,
    intent.context,
    ...intent.constraints,
    reasoning.approach_chosen,
    reasoning.why_chosen,
    ...reasoning.alternatives_considered.flatMap(({ approach, why_rejected }) => [
      approach,
      why_rejected,
    ]),
    ...reasoning.assumptions,
    ...reasoning.risks_identified,
    ...perception.observations.flatMap(({ what, where, significance }) => [
      what,
      where,
      significance,
    ]),
    ...perception.relevant_files.flatMap(({ relevance, state_summary }) => [
      relevance,
      state_summary,
    ]),
    ...perception.patterns_noticed,
    ...perception.anomalies,
    ...actions.flatMap(({ details, result }) => [
      details.command,
      details.query,
      details.diff_summary,
      result?.output_summary,
      result?.error,
    ]),
    ...outcome.follow_up_needed,
    files.join(' '),
    tags.join(' '),
  ].filter((text): text is string => text !== undefined && text !== '');
}

function indexMemory(memory: WorkMemoryData, createdAtMs: number): IndexEntry {
  const { intent, outcome, files, tags, session_id, agent_id, content_hash, origin } = memory;
  const speaker = speakerOf(intent.goal);
  const paths = files.map(pathKeys);
  const keys = [
    ...paths.flatMap((ends) => ends.map(keyOf.file)),
    ...paths.flatMap((ends) => ends.slice(0, 1).map(keyOf.path)),
    ...tags.map(keyOf.tag),
    keyOf.type(intent.task_type),
    keyOf.agent(agent_id),
    ...(session_id === undefined ? [] : [keyOf.session(session_id)]),
    ...(content_hash === undefined ? [] : [keyOf.hash(content_hash)]),
    ...(speaker === null ? [] : [keyOf.speaker(speaker)]),
  ];
  return {
    timeMs: createdAtMs,
    keys: [...new Set(keys)],
    flags:
      (outcome.success ? FLAGS.success : FLAGS.failure) |
      (outcome.follow_up_needed.length > 0 ? FLAGS.hasFollowUp : 0) |
      (origin === 'captured' ? FLAGS.captured : 0) |
      (mentionsTime(intent.goal) ? FLAGS.saysTime : 0),
    fields: [{ text: intent.goal }, { text: proseOf(memory).join('\n'), isAside: true }],
    ...(session_id === undefined ? {} : { thread: session_id }),
  };
}

function embeddingText({ intent, reasoning, outcome }: WorkMemoryData): string {
  // A generated summary ("Succeeded") or one that repeats a learning says nothing of its own.
  const parts = [
    intent.goal,
    intent.context,
    reasoning.approach_chosen,
    outcome.summary,
    ...outcome.learnings,
  ].filter((text): text is string => text !== undefined && text !== '');
  const text = [...new Set(parts)].join('\n').slice(0, EMBEDDED_CHARS);
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
