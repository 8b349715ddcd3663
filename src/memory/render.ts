/**
 * A memory as text, at the five depths of recall and under their token caps (DESIGN §7). Pure.
 */

import { ageOf } from '../shared/clock.js';
import { upperFirst } from '../shared/text.js';
import { countTokens, truncateToTokens } from '../shared/tokens.js';
import type { Action, LinkType, WorkMemoryData } from './schema.js';

export const DEPTHS = ['summary', 'outcome', 'reasoning', 'full', 'complete'] as const;
export type Depth = (typeof DEPTHS)[number];

/** Most tokens (o200k_base) a memory takes at each depth; `complete` is never cut. */
export const DEPTH_TOKENS: Readonly<Record<Depth, number | null>> = {
  summary: 20,
  outcome: 50,
  reasoning: 150,
  full: 300,
  complete: null,
};

export interface Rendered {
  text: string;
  tokens: number;
}

/** Printed ids of the memories at the other end, by the link as read from this one. */
export type ShownLinks = Partial<Record<LinkType, string[]>>;

/** What a memory is called by and when it was made; both stand outside of its data. */
export interface RenderedMemory {
  memoryId: string;
  createdAtMs: number;
  data: WorkMemoryData;
  /** As callers read them; only `full` and `complete` show them. */
  links?: ShownLinks;
}

export function renderMemory(memory: RenderedMemory, depth: Depth, nowMs: number): Rendered {
  const whole =
    depth === 'complete' ? completeText(memory) : partsOf(memory, depth, nowMs).join('\n');
  const cap = DEPTH_TOKENS[depth];
  const text = cap === null ? whole : truncateToTokens(whole, cap);
  return { text, tokens: countTokens(text) };
}

function partsOf(memory: RenderedMemory, depth: Depth, nowMs: number): string[] {
  const { data } = memory;
  const heading = oneLine(`${data.outcome.success ? '✓' : '✗'} ${data.intent.goal}`);
  if (depth === 'summary') return [heading];
  const outcome = outcomeParts(data);
  if (depth === 'outcome') return present([heading, ...outcome]);
  const reasoning = reasoningParts(data);
  if (depth === 'reasoning') return present([heading, ...outcome, ...reasoning]);
  return present([
    `${heading} (${memory.memoryId}, ${ageOf(memory.createdAtMs, nowMs)}, ${data.intent.task_type})`,
    ...outcome,
    ...reasoning,
    ...fullParts(memory),
  ]);
}

function outcomeParts({ outcome }: WorkMemoryData): (string | undefined)[] {
  const reason = outcome.failure_reason;
  const [learning] = outcome.learnings;
  return [
    isGenerated(outcome) ? undefined : outcome.summary,
    reason === undefined || reason === outcome.summary ? undefined : `Failed because: ${reason}`,
    learning === undefined || learning === outcome.summary ? undefined : `Learned: ${learning}`,
  ];
}

/** Whether the summary was made because the writer gave none. */
export function isGenerated({ summary, success }: WorkMemoryData['outcome']): boolean {
  return summary === (success ? 'Succeeded' : 'Failed');
}

function reasoningParts({ reasoning, files }: WorkMemoryData): (string | undefined)[] {
  return [
    labelled('Approach', reasoning.approach_chosen),
    labelled('Why', reasoning.why_chosen),
    ...reasoning.alternatives_considered.map(({ approach, why_rejected }) =>
      why_rejected === undefined
        ? `Rejected: ${approach}`
        : `Rejected: ${approach} (${why_rejected})`,
    ),
    labelled('Files', files.join(', ')),
  ];
}

function fullParts({ data, links }: RenderedMemory): (string | undefined)[] {
  const { intent, perception, reasoning, actions, outcome, tags } = data;
  return [
    labelled('Context', intent.context),
    labelled('Constraints', intent.constraints.join('; ')),
    ...perception.observations.map(({ what, where }) =>
      where === undefined ? `Saw: ${what}` : `Saw: ${what} (${where})`,
    ),
    labelled('Patterns', perception.patterns_noticed.join('; ')),
    labelled('Anomalies', perception.anomalies.join('; ')),
    labelled('Assumed', reasoning.assumptions.join('; ')),
    labelled('Risks', reasoning.risks_identified.join('; ')),
    labelled('Did', actions.map(actionText).join('; ')),
    ...outcome.learnings.slice(1).map((learning) => `Learned: ${learning}`),
    labelled('Kind of failure', outcome.failure_category),
    labelled('Follow up', outcome.follow_up_needed.join('; ')),
    labelled('Tags', tags.join(', ')),
    ...Object.entries(links ?? {}).map(([type, ids]) =>
      labelled(upperFirst(type.replaceAll('_', ' ')), ids.join(', ')),
    ),
  ];
}

function actionText({ type, details, result }: Action): string {
  const object = details.command ?? details.file_path ?? details.query ?? '';
  const lines = details.lines_affected === undefined ? '' : `:${details.lines_affected}`;
  const verdict = result === undefined ? '' : result.success ? ' ok' : ' failed';
  return `${type.replaceAll('_', ' ')} ${object}${lines}${verdict}`.replace(/\s+/g, ' ').trim();
}

function completeText({ memoryId, createdAtMs, data, links }: RenderedMemory): string {
  return JSON.stringify({
    memory_id: memoryId,
    created_at: new Date(createdAtMs).toISOString(),
    ...data,
    links: links ?? {},
  });
}

function labelled(label: string, text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : `${label}: ${text}`;
}

function present(parts: (string | undefined)[]): string[] {
  return parts.filter((part): part is string => part !== undefined).map(oneLine);
}

/** A stored text cannot begin a line of its own in what is shown. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
