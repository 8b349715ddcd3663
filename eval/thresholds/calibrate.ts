/** The arithmetic of the calibration: from similarities to thresholds and what they let through. */
import { cosine, type Embedder, type Thresholds, vetoOf } from '../../src/embeddings/index.js';

export interface IntentSet {
  /** What was done before; everything else is compared with these. */
  tasks: string[];
  /** Asked again in nearly the same words, with the number of the task. */
  light: [string, number][];
  /** The same in other words. */
  hard: [string, number][];
  /** Like no task. */
  novel: string[];
  /** Nearly the same words, another task. */
  nearMisses: [string, string][];
}

export interface CalibrationReport extends Thresholds {
  id: string;
  /** Shares of 0 to 1. Found: the right task is the nearest, at or above the threshold. */
  lightFound: { candidate: number; strong: number };
  hardFound: { candidate: number; strong: number };
  novelAccepted: { candidate: number; strong: number };
  /** Near misses at or above `candidate`, and those of them that no veto stops. */
  nearMissesSimilar: number;
  nearMissesAfterVeto: number;
  /** Re-asks that a veto forbids; it should not forbid any. */
  lightVetoed: number;
}

const MAX_FALSE_ACCEPTS = 0.02;

interface Nearest {
  task: number;
  score: number;
}

export async function calibrate(
  embedder: Pick<Embedder, 'id' | 'embed'>,
  set: IntentSet,
): Promise<CalibrationReport> {
  const tasks = await embedder.embed(set.tasks);
  const nearest = async (texts: string[]): Promise<Nearest[]> =>
    (await embedder.embed(texts)).map((vector) =>
      tasks
        .map((task, at) => ({ task: at, score: cosine(vector, task) }))
        .reduce((best, next) => (next.score > best.score ? next : best)),
    );
  const light = await nearest(set.light.map(([text]) => text));
  const hard = await nearest(set.hard.map(([text]) => text));
  const novel = (await nearest(set.novel)).map((found) => found.score);
  const firsts = await embedder.embed(set.nearMisses.map(([text]) => text));
  const seconds = await embedder.embed(set.nearMisses.map(([, text]) => text));

  const candidate = lowestThreshold(novel);
  const right = light.filter((found, at) => found.task === set.light[at]?.[1]);
  const strong = Math.max(candidate, roundDown(lowerQuartile(right.map((found) => found.score))));
  const atBoth = (share: (threshold: number) => number) => ({
    candidate: share(candidate),
    strong: share(strong),
  });
  const found = (from: Nearest[], expected: [string, number][]) =>
    atBoth((threshold) =>
      shareOf(from, ({ task, score }, at) => task === expected[at]?.[1] && score >= threshold),
    );
  const similar = set.nearMisses.filter((_, at) => {
    const [first, second] = [firsts[at], seconds[at]];
    return first && second && cosine(first, second) >= candidate;
  });
  return {
    id: embedder.id,
    candidate,
    strong,
    lightFound: found(light, set.light),
    hardFound: found(hard, set.hard),
    novelAccepted: atBoth((threshold) => shareOf(novel, (score) => score >= threshold)),
    nearMissesSimilar: similar.length / set.nearMisses.length,
    nearMissesAfterVeto:
      similar.filter(([first, second]) => !vetoOf(first, second).vetoed).length /
      set.nearMisses.length,
    lightVetoed: shareOf(set.light, ([text, at]) => vetoOf(text, set.tasks[at] ?? '').vetoed),
  };
}

/** Lowest threshold, in hundredths, that at most 2 % of the scores reach. */
export function lowestThreshold(scores: readonly number[]): number {
  for (let hundredths = 0; hundredths <= 100; hundredths++) {
    if (shareOf(scores, (score) => score >= hundredths / 100) <= MAX_FALSE_ACCEPTS) {
      return hundredths / 100;
    }
  }
  return 1;
}

const roundDown = (value: number) => Math.floor(value * 100) / 100;

/** Three of four are at least this. */
function lowerQuartile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 4)] ?? 1;
}

function shareOf<T>(values: readonly T[], holds: (value: T, at: number) => boolean): number {
  return values.filter(holds).length / values.length;
}
