/**
 * A task begins: whether it is one more of a kind that was done before, and what was learned from
 * those (seed `rum-triggers.md`, 4). Patterns are not kept anywhere: they are found among the past
 * tasks nearest in wording, so that they never lag behind the memories and every reader has their own.
 */
import { FLAGS, type WorkMemoryData } from '../../memory/index.js';
import type { DenseScores, Shelf, SlotFilter, StoredRecord } from '../../records/index.js';
import { analyze } from '../../shared/text.js';
import { findPattern, type Member, type Shape, shapeOf } from '../patterns/index.js';
import type { Candidate, Detector, OfferContent, Suppressed, TaskStarted } from '../types.js';
import {
  actingIn,
  candidateOf,
  disabled,
  elsewhere,
  isOwn,
  nothing,
  notifying,
  rowsOf,
} from './candidates.js';
import { type DetectorContext, readerIn } from './context.js';

const KIND = 'patternRecognition';
/** Past tasks looked at: rows by primary key. */
const LOOKED_AT = 48;
const SHOWN = 3;
/** Beside the noun, words before it and the verb only order what has the noun. */
const BESIDE = 0.2;

type PatternContent = Extract<OfferContent, { kind: 'patternRecognition' }>;
type Row = StoredRecord<WorkMemoryData>;

export function createPatternRecognition(context: DetectorContext): Detector<TaskStarted> {
  return {
    name: KIND,
    async evaluate(started) {
      const config = context.config().patternRecognition;
      const subject = started.task.slice(0, 200);
      if (!config.enabled) return disabled(context, KIND, subject);
      const reader = readerIn(context, started);
      if (reader === null) return elsewhere(context, KIND, subject, started.projectId);
      const cue = { kind: KIND, subject } as const;
      const { task: goal, taskType, files, tags } = started;
      const shape = shapeOf({ goal, taskType, files, tags }, true);
      if (shape.heads.length === 0) {
        return nothing(context, cue, ['the task names no kind of thing']);
      }
      const { shelf, degraded } = await context.checks.lookUp();
      const ids = nearest(shelf, shape, { reader }).map((slot) => shelf.idOf(slot));
      if (ids.length < config.min_pattern_occurrences) {
        return nothing(context, cue, ['too few tasks like it'], { degraded });
      }
      const rows = new Map((await rowsOf(context, ids, reader)).map((row) => [row.id, row]));
      const past = [...rows.values()].map((row) => ({ id: row.id, shape: shapeOfRow(row) }));
      const pattern = findPattern(shape, past, config.min_pattern_occurrences);
      if (pattern === null) return nothing(context, cue, ['no recurring shape'], { degraded });
      if (pattern.confidence < config.confidence_threshold) {
        const weak = `${pattern.confidence} is below ${config.confidence_threshold}`;
        return nothing(context, cue, [...pattern.evidence, weak], { degraded });
      }

      const acting = actingIn(context, started);
      const withRows = pattern.members.flatMap((member) => {
        const row = rows.get(member.id);
        return row === undefined ? [] : [{ member, row }];
      });
      const suppressed = withRows
        .filter(({ row }) => isOwn(acting, row.data))
        .map(
          ({ row }): Suppressed => ({
            memoryId: context.checks.print(row.id),
            detector: KIND,
            reason: 'made in this session',
          }),
        );
      const told = withRows
        .filter(({ row }) => !isOwn(acting, row.data))
        .sort((a, b) => compareRows(a.row, b.row, config.extract_learnings));
      if (told.length === 0) {
        return nothing(context, cue, [...pattern.evidence, 'all of this session'], {
          suppressed,
          degraded,
        });
      }
      const said = new Set<string>();
      const memories: (Candidate & { learning?: string })[] = [];
      for (const { member, row } of told) {
        if (memories.length >= SHOWN) break;
        const learning = config.extract_learnings ? newLearning(row, said) : undefined;
        const reasons = [`pattern ${pattern.pattern}`, ...reasonsOf(member)];
        const candidate = await candidateOf(context, row, pattern.confidence, reasons);
        memories.push(learning === undefined ? candidate : { ...candidate, learning });
      }
      const content: PatternContent = {
        kind: KIND,
        pattern: pattern.pattern,
        title: pattern.title,
        occurrences: pattern.occurrences,
        memories,
      };
      return notifying(
        context,
        content,
        memories,
        { subject: pattern.pattern, strength: pattern.confidence, evidence: pattern.evidence },
        { suppressed, degraded },
      );
    },
  };
}

/** Slots of past tasks that name one of the things, those with more of the wording first. */
function nearest(shelf: Shelf, shape: Shape, filter: SlotFilter): number[] {
  const terms = new Map<string, number>();
  const weigh = (text: string, weight: number) => {
    for (const term of analyze(text)) terms.set(term, Math.max(weight, terms.get(term) ?? 0));
  };
  for (const { words, verbWord } of shape.heads) {
    if (verbWord !== undefined) weigh(verbWord, BESIDE);
    for (const { surface, concept } of words) {
      weigh(surface, 1);
      terms.set(concept, 1);
    }
  }
  for (const { surface } of shape.modifiers) weigh(surface, BESIDE);
  if (shape.heads.some(({ key }) => key === 'dependency upgrade')) weigh('bump update upgrade', 1);
  return best(shelf, shelf.keyword(terms, filter));
}

/** The best few, newer ones first among equals; one pass, for there may be very many. */
function best(shelf: Shelf, { scores, touched }: DenseScores): number[] {
  const isBetter = (a: number, b: number) => {
    const by = (scores[a] as number) - (scores[b] as number);
    return by > 0 || (by === 0 && shelf.timeOf(a) > shelf.timeOf(b));
  };
  const slots: number[] = [];
  for (const slot of touched) {
    const last = slots.at(-1);
    if (slots.length >= LOOKED_AT && last !== undefined && !isBetter(slot, last)) continue;
    let at = slots.length;
    while (at > 0 && isBetter(slot, slots[at - 1] as number)) at -= 1;
    slots.splice(at, 0, slot);
    if (slots.length > LOOKED_AT) slots.pop();
  }
  // What was told says more than what was captured; the order among each stays.
  const isCaptured = (slot: number) => (shelf.flagsOf(slot) & FLAGS.captured) !== 0;
  return [...slots.filter((slot) => !isCaptured(slot)), ...slots.filter(isCaptured)];
}

function shapeOfRow({ data }: Row): Shape {
  const { intent, files, tags } = data;
  return shapeOf({ goal: intent.goal, taskType: intent.task_type, files, tags });
}

/** With something learned, succeeded, newest: in this order. */
function compareRows(a: Row, b: Row, learnings: boolean): number {
  const learned = ({ data }: Row) => (learnings && data.outcome.learnings.length > 0 ? 1 : 0);
  const succeeded = ({ data }: Row) => (data.outcome.success ? 1 : 0);
  return (
    learned(b) - learned(a) ||
    succeeded(b) - succeeded(a) ||
    b.createdAtMs - a.createdAtMs ||
    (a.id < b.id ? -1 : 1)
  );
}

/** The first learning that no memory before it has said. */
function newLearning({ data }: Row, said: Set<string>): string | undefined {
  const key = (text: string) => [...new Set(analyze(text))].sort().join(' ');
  const learning = data.outcome.learnings.find((text) => !said.has(key(text)));
  if (learning !== undefined) said.add(key(learning));
  return learning;
}

function reasonsOf({ head }: Member): string[] {
  return [`${head.from} "${head.words.map(({ surface }) => surface).join(' ')}"`];
}
