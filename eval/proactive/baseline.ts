/**
 * What a simple plugin does, for comparison: every turn it offers what mentions a file whose name
 * ends like one that was named, and the memory nearest to the text when it is near enough: as a warning
 * when that failed. It knows nothing of opposites, ages, patterns, unfinished work and who may read what. Pure.
 */
import { cosine, embedLexical } from '../../src/embeddings/index.js';
import { isObject } from '../../src/shared/json.js';
import {
  goalOf,
  MEMORY_COOLDOWN_SECONDS,
  type OfferedMemory,
  type PlayedTurn,
  saidIn,
} from './judge.js';
import type { ScriptedSession } from './shape.js';

/** Best F1 on the training sessions. */
export const BASELINE_COSINE = 0.35;
const SHOWN_FILES = 3;
const PATH = /[\w./-]+\.\w+/g;

export function playBaseline(
  session: ScriptedSession,
  threshold: number = BASELINE_COSINE,
): PlayedTurn[] {
  const memories = [...session.memories]
    .sort((a, b) => a.ageMs - b.ageMs)
    .map(({ id, draft }) => ({
      id,
      files: filesIn(draft),
      failed: isObject(draft.outcome) && draft.outcome.success === false,
      vector: embedLexical(goalOf(draft)),
    }));
  const shownAt = new Map<string, number>();
  let atMs = 0;
  return session.turns.map((turn) => {
    atMs += turn.after;
    const text = saidIn(turn);
    const startedMs = performance.now();
    const paths = text.match(PATH) ?? [];
    const named = memories
      .filter(({ files }) => files.some((file) => paths.some((path) => file.endsWith(path))))
      .slice(0, SHOWN_FILES)
      .map(({ id }): OfferedMemory => ({ memory: id, detector: 'fileTouch', reasons: ['file'] }));
    const vector = embedLexical(text);
    const [nearest] = memories
      .map(({ id, failed, vector: other }) => ({ id, failed, score: cosine(vector, other) }))
      .sort((a, b) => b.score - a.score);
    const alike: OfferedMemory[] =
      nearest && nearest.score >= threshold
        ? [
            {
              memory: nearest.id,
              detector: nearest.failed ? 'conflictWarning' : 'intentMatch',
              reasons: [`cosine ${nearest.score.toFixed(2)}`],
            },
          ]
        : [];
    const offered = [...named, ...alike].filter(({ memory }) => {
      const before = shownAt.get(memory);
      return before === undefined || atMs - before >= MEMORY_COOLDOWN_SECONDS * 1_000;
    });
    for (const { memory } of offered) shownAt.set(memory, atMs);
    return {
      offered,
      standing: [],
      tokens: 0,
      ms: performance.now() - startedMs,
      late: 0,
      suppressed: new Map(),
      asked: [],
    };
  });
}

/** Every file a draft names, in its short or long form. */
function filesIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return ['file', 'file_path', 'path'].includes(key) ? [value] : [];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => filesIn(item, key === 'relevant_files' ? 'path' : key));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => filesIn(item, name));
}
