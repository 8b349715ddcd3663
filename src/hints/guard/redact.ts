/** Hints as they may be printed: without values marked as secret and without what the guard finds. */
import type { Hint, HintMeta, HintValue } from '../schema.js';
import { redactText } from './judge.js';

/** The words of a value: what is run, gone to or filled in. */
export function printedValue(value: HintValue): string {
  if (typeof value === 'string') return value;
  switch (value.type) {
    case 'command':
      return value.cmd;
    case 'path':
      return value.abs;
    case 'template':
      return value.body;
    case 'json':
      return JSON.stringify(value.data);
  }
}

/** Shown in place of a value that is marked as secret. */
export const HIDDEN = '[redacted]';

/** The value of a hint that is marked as secret: only its kind remains. */
export function redactValue(value: HintValue): HintValue {
  if (typeof value === 'string') return HIDDEN;
  switch (value.type) {
    case 'command':
      return { ...value, cmd: HIDDEN };
    case 'path':
      return { ...value, abs: HIDDEN };
    case 'template':
      return { type: 'template', format: value.format, body: HIDDEN };
    case 'json':
      return { type: 'json', data: HIDDEN };
  }
}

/**
 * The value without what the guard's own rules find in it.
 * @param key of the hint: what is called `password` is judged as one
 */
export function cleanValue(value: HintValue, key?: string): HintValue {
  if (typeof value === 'string') return redactText(value, key);
  switch (value.type) {
    case 'command':
      return { ...value, cmd: redactText(value.cmd) };
    case 'path':
      return { ...value, abs: redactText(value.abs) };
    case 'template':
      return {
        ...value,
        body: redactText(value.body),
        ...(value.defaults ? { defaults: redactData(value.defaults) } : {}),
      };
    case 'json':
      return { type: 'json', data: redactData(value.data, key) };
  }
}

/** Reason, tags, author and the values of the scope; the rest says nothing of that kind. */
export function redactMeta(meta: HintMeta): HintMeta {
  return redactData(meta);
}

/** The whole hint for people; `--json` shows it as it is. */
export function redactHint(hint: Hint, key?: string): Hint {
  const isSecret = hint.meta.sensitivity === 'secret';
  const value = isSecret ? redactValue(hint.value) : cleanValue(hint.value, key);
  return { ...hint, value, meta: redactMeta(hint.meta) };
}

/** Plain data of the same shape, every text of it and every name as it may be printed. */
function redactData<T>(data: T, name?: string): T {
  return redactAny(data, name) as T;
}

function redactAny(data: unknown, name: string | undefined): unknown {
  if (typeof data === 'string') return redactText(data, name);
  if (typeof data === 'number' && name !== undefined) {
    return redactText(String(data), name) === String(data) ? data : HIDDEN;
  }
  if (Array.isArray(data)) return data.map((item) => redactAny(item, name));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, item]) => [redactText(key), redactAny(item, key)]),
  );
}
