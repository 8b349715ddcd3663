/** What every hint must pass before it is stored, whether it is set or imported. */
import { AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import type { Guard } from './guard/index.js';
import { type HintMeta, type HintScope, type HintValue, OS_NAMES } from './schema.js';
import { checkScope, normalizeScope, scopeKey } from './scope.js';
import { parseTtl } from './ttl.js';
import { checkName, checkTexts, checkTraversal, checkValue } from './values.js';

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
