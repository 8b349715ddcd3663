/** What every hint must pass before it is stored, whether it is set or imported. */

import { AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import { isDeeper } from '../shared/json.js';
import type { Guard } from './guard.js';
import {
  type HintMeta,
  type HintScope,
  type HintValue,
  MAX_VALUE_BYTES,
  OS_NAMES,
} from './schema.js';
import { checkName, checkScope, normalizeScope, scopeKey } from './scope.js';
import { parseTtl } from './ttl.js';

export interface HintDraft {
  component: string;
  key: string;
  value: HintValue;
  meta: HintMeta;
}

export interface ValidHint {
  /** With a normalized scope and an explicit TTL. */
  meta: HintMeta;
  scopeKey: string;
}

/** Never holds a secret: the guard's findings name rule and place. */
export interface Refusal {
  code: 'INVALID_INPUT' | 'SCOPE_INVALID' | 'SECRET_REJECTED';
  findings: Finding[];
}

export interface ValidateOptions {
  guard: Guard;
  /** The TTL of a hint that names none. */
  defaultTtl: string;
  /** Accepts a suspected secret and marks it as one. */
  allowSecret: boolean;
}

export async function validateHint(
  draft: HintDraft,
  options: ValidateOptions,
): Promise<ValidHint | Refusal> {
  const { value, meta } = draft;
  const ttl = meta.ttl ?? options.defaultTtl;
  const parsedTtl = parseTtl(ttl);
  const findings = [
    ...checkName(draft.component, 'component'),
    ...checkName(draft.key, 'key'),
    ...checkTexts(draft.component, 'component'),
    ...checkTexts(draft.key, 'key'),
    ...checkValue(value),
    ...checkTexts(meta, 'meta'),
  ];
  if ('finding' in parsedTtl) findings.push(parsedTtl.finding);
  if (findings.length > 0) return { code: 'INVALID_INPUT', findings };

  const { scope: given, tags, ...rest } = meta;
  const scopeFindings = [...checkTraversal(value), ...checkScope(given ?? {})];
  if (scopeFindings.length > 0) return { code: 'SCOPE_INVALID', findings: scopeFindings };

  const verdict = await options.guard.check(draft, options.allowSecret);
  if (!verdict.ok) {
    const found = verdict.found.map(({ rule, where }) => ({ field: where, message: rule }));
    return { code: 'SECRET_REJECTED', findings: found };
  }
  const scope = normalizeScope({ ...systemsOf(value), ...given });
  const isScoped = Object.keys(scope).length > 0;
  return {
    meta: {
      ...rest,
      ...(tags ? { tags: [...new Set(tags)] } : {}),
      ttl,
      ...(isScoped ? { scope } : {}),
      ...(verdict.secret ? { sensitivity: 'secret' as const } : {}),
    },
    scopeKey: scopeKey(scope),
  };
}

/** The systems of a path belong to the scope, so that paths of two systems are two hints. */
function systemsOf(value: HintValue): Pick<HintScope, 'os'> {
  const os = typeof value !== 'string' && value.type === 'path' ? value.os : undefined;
  if (os === undefined || OS_NAMES.every((name) => os.includes(name))) return {};
  return { os };
}

export function refusalError({ code, findings }: Refusal): AppError {
  if (code === 'INVALID_INPUT') return new InvalidInputError(findings);
  const words = wordsOf(findings);
  return code === 'SCOPE_INVALID'
    ? new AppError(code, words, { findings })
    : new AppError(
        code,
        `looks like a secret (${words}): allow_secret (--allow-secret) keeps it all the same`,
        {
          findings,
        },
      );
}

export function wordsOf(findings: readonly Finding[]): string {
  return findings.map(({ field, message }) => `${field}: ${message}`).join('; ');
}

const MAX_DEPTH = 64;
const WINDOWS_PATH = /^(?:[a-z]:[\\/]|(?:\\\\|\/\/)[^\\/])/i;

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
