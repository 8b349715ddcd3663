/** Checks of a value beyond its shape (seed `nudge.md` §8): size, depth, and the target of a path. Pure. */
import { isDeeper } from '../shared/depth.js';
import type { Finding } from '../shared/errors.js';
import { type HintValue, MAX_VALUE_BYTES, OS_NAMES } from './schema.js';

const MAX_DEPTH = 64;
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const WINDOWS_PATH = /^(?:[a-z]:[\\/]|(?:\\\\|\/\/)[^\\/])/i;

/**
 * Names of prototype properties are refused where they would name a field: as component, as key, in
 * `defaults` and in `env_match`. Inside `json` data they are only data.
 */
export function checkName(name: string, field: string): Finding[] {
  return PROTOTYPE_NAMES.has(name) ? [{ field, message: `must not be "${name}"` }] : [];
}

const SPOILED: readonly (readonly [RegExp, string])[] = [
  [/\0/, 'must not contain NUL characters'],
  [/\p{Cs}/u, 'must not contain half a character (a lone surrogate)'],
];

/**
 * Finds characters that databases or terminals would not keep, the first one of each field. The data must
 * not be too deep.
 */
export function checkTexts(data: unknown, field: string): Finding[] {
  if (typeof data === 'string') {
    const spoiled = SPOILED.find(([pattern]) => pattern.test(data));
    return spoiled === undefined
      ? []
      : [{ field: field.replace(/\0|\p{Cs}/gu, '\ufffd'), message: spoiled[1] }];
  }
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([name, inner]) => {
    const path = `${field}.${name}`;
    return [...(Array.isArray(data) ? [] : checkTexts(name, path)), ...checkTexts(inner, path)];
  });
}

/** `..` in a path is a traversal risk, as in a glob (seed §5). */
export function checkTraversal(value: HintValue): Finding[] {
  if (typeof value === 'string' || value.type !== 'path') return [];
  if (!value.abs.split(/[\\/]/).includes('..')) return [];
  return [{ field: 'value.abs', message: 'must not contain ".."' }];
}

/** Fields start with `value`; empty when nothing is wrong. */
export function checkValue(value: HintValue): Finding[] {
  const data = typeof value !== 'string' && value.type === 'json' ? value.data : null;
  if (isDeeper(data, MAX_DEPTH)) {
    return [{ field: 'value.data', message: `is nested over ${MAX_DEPTH} deep` }];
  }
  const bytes = Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
  const size =
    bytes > MAX_VALUE_BYTES
      ? [{ field: 'value', message: `has ${bytes} bytes, at most ${MAX_VALUE_BYTES} are kept` }]
      : [];
  return [...size, ...checkTexts(value, 'value'), ...checkKind(value)];
}

function checkKind(value: HintValue): Finding[] {
  if (typeof value === 'string') return [];
  if (value.type === 'path') return checkPath(value);
  if (value.type !== 'template') return [];
  return Object.keys(value.defaults ?? {}).flatMap((name) =>
    checkName(name, `value.defaults.${name}`),
  );
}

/** Absolute on each system it is meant for: `/…`, and on Windows `C:\…` or `\\server\share`. */
function checkPath({ abs, os }: Extract<HintValue, { type: 'path' }>): Finding[] {
  const field = 'value.abs';
  if (os?.length === 0)
    return [{ field: 'value.os', message: 'must name a system or be left out' }];
  if (/\p{Cc}/u.test(abs)) return [{ field, message: 'must not contain control characters' }];
  const isOn = (name: (typeof OS_NAMES)[number]): boolean =>
    name === 'windows' ? WINDOWS_PATH.test(abs) : abs.startsWith('/');
  const wrong = (os ?? []).filter((name) => !isOn(name));
  if (wrong.length > 0) return [{ field, message: `is not absolute on ${wrong.join(', ')}` }];
  return OS_NAMES.some(isOn) ? [] : [{ field, message: 'must be absolute' }];
}
