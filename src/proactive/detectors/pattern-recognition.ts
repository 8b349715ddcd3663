/**
 * A task begins: whether it is one more of a kind that was done before, and what was learned from
 * those (seed `rum-triggers.md`, 4). Patterns are not kept anywhere: they are found among the past
 * tasks near it, so that they never lag behind the memories and every reader has their own.
 */
import { analyze } from '../../shared/text.js';
import { filesIn, momentOf } from '../gate/features.js';
import { patternIn } from '../gate/pattern.js';
import { rarityIn } from '../gate/weights.js';
import type { Candidate, Detector, TaskStarted } from '../types.js';
import {
  actingIn,
  barIn,
  candidateOf,
  type DetectorContext,
  defineDetector,
  isOwn,
  type Row,
} from './detection.js';
import { createPropose, type Propose } from './proposals.js';

const KIND = 'patternRecognition';
const SHOWN = 3;

export function createPatternRecognition(
  context: DetectorContext,
  propose: Propose = createPropose(context),
): Detector<TaskStarted> {
  return defineDetector(
    context,
    KIND,
    ({ task }: TaskStarted) => task.slice(0, 200),
    async (started, question) => {
      const { config, reader, suppress } = question;
      const { task, files, taskType, tags } = started;
      const moment =
        started.moment ?? momentOf('task_start', task, filesIn(task, files), { taskType, tags });
      const { proposed, shelf, idle, degraded } = await propose(moment, reader);
      const least = config.min_pattern_occurrences;
      const pattern = patternIn(moment.text, proposed, rarityIn(shelf), least);
      if (pattern === null) return question.nothing([idle ?? 'no recurring shape'], { degraded });
      const { confidence, evidence } = pattern;
      const bar = barIn(context, KIND, config.confidence_threshold);
      if (confidence < bar.least) {
        const isLearned = confidence >= config.confidence_threshold;
        const weak = (isLearned && bar.because) || `${confidence} is below ${bar.least}`;
        return question.nothing([...evidence, weak], { degraded });
      }
      const acting = actingIn(context, started);
      const own = pattern.members.filter(({ row }) => isOwn(acting, row.data));
      const suppressed = own.map(({ row }) => suppress(row.id, 'made in this session'));
      const told = pattern.members
        .filter((member) => !own.includes(member))
        .sort((a, b) => compareRows(a.row, b.row, config.extract_learnings));
      if (told.length === 0) {
        return question.nothing([...evidence, 'all of this session'], { suppressed, degraded });
      }
      const said = new Set<string>();
      const memories: (Candidate & { learning?: string })[] = [];
      for (const { row, reasons } of told.slice(0, SHOWN)) {
        const learning = config.extract_learnings ? newLearning(row, said) : undefined;
        const because = [`pattern ${pattern.pattern}`, ...reasons()];
        const candidate = await candidateOf(context, row, confidence, because);
        memories.push(learning === undefined ? candidate : { ...candidate, learning });
      }
      const { title, occurrences } = pattern;
      return question.notifying(
        { kind: KIND, pattern: pattern.pattern, title, occurrences, memories },
        memories,
        { subject: pattern.pattern, strength: confidence, evidence },
        { suppressed, degraded },
      );
    },
  );
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
