/** Hints that outlive the process, as records (`cue_hint`, DESIGN §3): one row per variant. */
import { z } from 'zod';
import type { RecordType } from '../records/index.js';
import { redactSecrets } from '../shared/secrets.js';
import { redactHint } from './guard/index.js';
import { printedValue } from './printed-value.js';
import { type Hint, hintSchema } from './schema.js';

export { printedValue } from './printed-value.js';

const dataSchema = z.looseObject({
  component: z.string(),
  key: z.string(),
  /** The hint but for its use, as JSON text: the database's own JSON sorts keys and loses U+0000. */
  hint: z.string(),
  /** Beside the hint, because uses are counted where it lies. */
  use_count: z.number(),
  /** Empty: never. */
  last_used_at: z.string(),
  /** For a person who looks into the table. */
  value: z.string(),
});
export type HintData = z.output<typeof dataSchema>;

/** Characters of a value in the text that the host shows. */
const SHOWN = 500;

export const hintType: RecordType<HintData> = {
  name: 'cue_hint',
  version: 1,
  schema: dataSchema,
  upgrades: {},
  text: ({ component, key, value }) => redactSecrets(`${component}/${key}: ${value}`).text,
};

export function encodeHint(component: string, key: string, stored: Hint): HintData {
  const { use_count = 0, last_used_at = '', ...hint } = stored;
  const value = printedValue(redactHint(stored, key).value).slice(0, SHOWN);
  return { component, key, hint: JSON.stringify(hint), use_count, last_used_at, value };
}

/** @returns why it cannot be read, in words, or the hint */
export function decodeHint(data: HintData): Hint | string {
  let hint: unknown;
  try {
    hint = JSON.parse(data.hint);
  } catch {
    return 'is not JSON';
  }
  if (typeof hint !== 'object' || hint === null) return 'is no object';
  const { last_used_at } = data;
  // The database counts on where numbers are exact no more.
  const use_count = Math.min(data.use_count, Number.MAX_SAFE_INTEGER);
  const used = last_used_at === '' ? {} : { last_used_at };
  const parsed = hintSchema.safeParse({ ...hint, use_count, ...used });
  return parsed.success ? parsed.data : `${parsed.error.issues[0]?.path.join('.')} is wrong`;
}
