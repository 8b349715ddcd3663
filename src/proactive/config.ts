/** Settings of the detectors and the cooldown, with the seed's field names (`CUE_DETECTORS`). */
import { z } from 'zod';
import { InvalidInputError, messageOf } from '../shared/errors.js';
import { judge } from '../shared/findings.js';

const seconds = z.number().min(0).max(31_536_000);
const days = z.number().min(0).max(36_500);
const count = (min: number, max: number) => z.int().min(min).max(max);
/** `auto`: what is calibrated for the embedder that serves. */
const threshold = z.union([z.literal('auto'), z.number().min(0).max(1)]).default('auto');
/** Nothing said means the defaults. */
const section = <Fields extends z.core.$ZodLooseShape>(fields: Fields) => {
  const schema = z.strictObject(fields);
  // Every field has a default or may be absent.
  return schema.prefault({} as z.input<typeof schema>);
};
const flag = z.boolean().default(true);

export const detectorConfigSchema = z.strictObject({
  fileTouch: section({
    enabled: flag,
    min_memories: count(1, 1_000).default(1),
    max_age_days: days.default(90),
    include_failures: flag,
    cooldown_seconds: seconds.default(300),
  }),
  intentMatch: section({
    enabled: flag,
    similarity_threshold: threshold,
    max_results: count(1, 20).default(3),
    include_failures: flag,
    recency_boost: flag,
  }),
  conflictWarning: section({
    enabled: flag,
    action_similarity_threshold: threshold,
    require_acknowledgment: flag,
    max_age_days: days.default(90),
  }),
  patternRecognition: section({
    enabled: flag,
    min_pattern_occurrences: count(2, 1_000).default(3),
    confidence_threshold: z.number().min(0).max(1).default(0.6),
    extract_learnings: flag,
  }),
  sessionStart: section({
    enabled: flag,
    show_unfinished: flag,
    show_recent_learnings: flag,
    max_learnings: count(0, 20).default(3),
    lookback_days: days.default(30),
  }),
  whenMatch: section({
    enabled: flag,
    max_results: count(1, 20).default(2),
    confidence_threshold: threshold,
  }),
  hintMatch: section({
    enabled: flag,
    max_results: count(1, 20).default(2),
    /** Hints suggested in one place within any ten minutes. */
    max_per_10_minutes: count(0, 1_000).default(3),
  }),
  cooldown: section({
    file_cooldown_seconds: seconds.optional(),
    memory_cooldown_seconds: seconds.default(600),
    rate_limit_per_minute: count(0, 1_000).default(5),
    batch_window_ms: count(0, 60_000).default(500),
  }),
});

/**
 * `fileTouch.cooldown_seconds` and `cooldown.file_cooldown_seconds` are the seed's two names for one
 * thing; the second wins where it is given.
 */
export type ProactiveConfig = z.output<typeof detectorConfigSchema>;
export type ProactiveConfigInput = z.input<typeof detectorConfigSchema>;

/**
 * Reads `CUE_DETECTORS`; nothing said means the defaults.
 * @throws InvalidInputError naming each wrong field below `CUE_DETECTORS`
 */
export function parseConfig(text: string | undefined): ProactiveConfig {
  if (text === undefined || text.trim() === '') return DEFAULT_CONFIG;
  const judged = judge(json.pipe(detectorConfigSchema), text);
  if (judged.findings === null) return judged.data;
  throw new InvalidInputError(
    judged.findings.map(({ field, message }) => ({
      field: field === '(body)' ? 'CUE_DETECTORS' : `CUE_DETECTORS.${field}`,
      message,
    })),
  );
}

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: `is not JSON: ${messageOf(error)}` });
    return z.NEVER;
  }
});

export const DEFAULT_CONFIG: ProactiveConfig = detectorConfigSchema.parse({});

/** Seconds for which a file is not offered again. */
export function fileCooldownSeconds(config: ProactiveConfig): number {
  return config.cooldown.file_cooldown_seconds ?? config.fileTouch.cooldown_seconds;
}
