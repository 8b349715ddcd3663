/**
 * A task begins: whether it is one more of a kind that was done before, and what was learned from
 * those (seed `rum-triggers.md`, 4). Patterns are not kept anywhere: they are found among the past
 * tasks near it, so that they never lag behind the memories and every reader has their own.
 */
import type { WorkMemoryData } from '../../memory/index.js';
import type { StoredRecord } from '../../records/index.js';
import { pathsIn } from '../../shared/path-mentions.js';
import { analyze } from '../../shared/text.js';
import type { Moment } from '../gate/features.js';
import { patternIn } from '../gate/pattern.js';
import { rarityIn } from '../gate/weights.js';
import type { Candidate, Detector, OfferContent, TaskStarted } from '../types.js';
import {
  actingIn,
  candidateOf,
  disabled,
  elsewhere,
  isOwn,
  nothing,
  notifying,
  suppressedBy,
} from './candidates.js';
import { barIn, type DetectorContext, readerIn } from './context.js';
import { createPropose, type Propose } from './proposals.js';

const KIND = 'patternRecognition';
const SHOWN = 3;

type PatternContent = Extract<OfferContent, { kind: 'patternRecognition' }>;
type Row = StoredRecord<WorkMemoryData>;

export function createPatternRecognition(
  context: DetectorContext,
  propose: Propose = createPropose(context),
): Detector<TaskStarted> {
  const suppress = suppressedBy(context, KIND);
  return {
    name: KIND,
    async evaluate(started) {
      const config = context.config().patternRecognition;
      const subject = started.task.slice(0, 200);
      if (!config.enabled) return disabled(context, KIND, subject);
      const reader = readerIn(context, started);
      if (reader === null) return elsewhere(context, KIND, subject, started.projectId);
      const cue = { kind: KIND, subject } as const;
      const moment = momentOf(started);
      const { proposed, shelf, degraded } = await propose(moment, reader);
      const least = config.min_pattern_occurrences;
      const pattern = patternIn(moment.text, proposed, rarityIn(shelf), least);
      if (pattern === null) return nothing(context, cue, ['no recurring shape'], { degraded });
      const { confidence, evidence } = pattern;
      const bar = barIn(context, KIND, config.confidence_threshold);
      if (confidence < bar.least) {
        const isLearned = confidence >= config.confidence_threshold;
        const weak = (isLearned && bar.because) || `${confidence} is below ${bar.least}`;
        return nothing(context, cue, [...evidence, weak], { degraded });
      }
      const acting = actingIn(context, started);
      const suppressed = pattern.members
        .filter(({ row }) => isOwn(acting, row.data))
        .map(({ row }) => suppress(row.id, 'made in this session'));
      const told = pattern.members
        .filter(({ row }) => !isOwn(acting, row.data))
        .sort((a, b) => compareRows(a.row, b.row, config.extract_learnings));
      if (told.length === 0) {
        const own = [...evidence, 'all of this session'];
        return nothing(context, cue, own, { suppressed, degraded });
      }
      const said = new Set<string>();
      const memories: (Candidate & { learning?: string })[] = [];
      for (const { row, reasons } of told.slice(0, SHOWN)) {
        const learning = config.extract_learnings ? newLearning(row, said) : undefined;
        const candidate = await candidateOf(context, row, confidence, [
          `pattern ${pattern.pattern}`,
          ...reasons,
        ]);
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
        { subject: pattern.pattern, strength: confidence, evidence },
        { suppressed, degraded },
      );
    },
  };
}

function momentOf({ moment, task, taskType, files = [], tags }: TaskStarted): Moment {
  if (moment) return moment;
  const named = [...new Set([...files, ...pathsIn(task)])];
  return { kind: 'task_start', text: task.trim(), files: named, taskType, tags };
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
