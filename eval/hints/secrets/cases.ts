/** Made-up hints with and without a secret, on which the guard is measured (docs/hints.md). */
import type { HintMeta, HintValue } from '../../../src/hints/schema.js';

/** A hint as somebody would store it; a plain text is a value under the key `note`. */
export type SecretCase =
  | string
  | { component?: string; key?: string; value?: HintValue; meta?: HintMeta };

export interface CaseHint {
  component: string;
  key: string;
  value: HintValue;
  meta: HintMeta;
}

export function hintOf(given: SecretCase): CaseHint {
  const {
    component = 'api',
    key = 'note',
    value = 'make build',
    meta = {},
  } = typeof given === 'string' ? { value: given } : given;
  return { component, key, value, meta };
}

/** Rules are chosen while looking at `tune`; `held` is only counted. */
export type Half = 'tune' | 'held';

/** Every third of the cases written first is held out; what was added since was looked at. */
const WRITTEN_FIRST = { positive: 193, negative: 258 };

export function halfOf(kind: keyof typeof WRITTEN_FIRST, index: number): Half {
  return index < WRITTEN_FIRST[kind] && index % 3 === 2 ? 'held' : 'tune';
}

export const join = (...parts: string[]): string => parts.join('');

export const command = (cmd: string): SecretCase => ({ value: { type: 'command', cmd } });
